//! The points of the paper's Figures 2 to 5, as printed in the authors' public notebooks
//! (data/paper).

const FIGURES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/paper/nfl_figures.csv"));

/// One point of a figure: mean and standard deviation over the paper's five runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    pub(crate) penalty: String,
    /// Value of ρ or σ that names the curve.
    pub(crate) curve: f64,
    pub(crate) x: f64,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

/// The points of one figure, by the name that its rows have.
pub(crate) fn figure(experiment: &str) -> Vec<Point> {
    FIGURES.lines().filter_map(|line| point(line, experiment)).collect()
}

fn point(line: &str, experiment: &str) -> Option<Point> {
    let (name, rest) = line.split_once(',')?;
    let (penalty, _) = rest.split_once(',')?;
    // From the end: a quoted column in between may have commas.
    let mut cells = line.rsplit(',');
    let deviation = cells.next()?.parse().ok()?;
    let mean = cells.next()?.parse().ok()?;
    let x = cells.nth(1)?.split_once('=')?.1.parse().ok()?;
    let curve = cells.next()?.split_once('=')?.1.parse().ok()?;
    (name == experiment).then(|| Point { penalty: penalty.into(), curve, x, mean, deviation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_figures_are_there() {
        let names = [
            "nfl_fig2_sbm_rho",
            "nfl_fig3_sbm_noise",
            "nfl_fig4_chain_rho",
            "nfl_fig5_chain_noise",
        ];
        for (name, count) in names.into_iter().zip([90, 90, 81, 81]) {
            assert_eq!(figure(name).len(), count, "{name}");
        }
        let all = figure("nfl_fig2_sbm_rho");
        let found = all.iter().find(|p| p.penalty == "norm1" && p.curve == 0.6 && p.x == 0.25);
        assert_eq!(found.map(|p| p.mean), Some(0.275737));
        let chain = figure("nfl_fig4_chain_rho");
        assert_eq!((chain[0].curve, chain[0].x, chain[0].mean), (0.2, 0.1, 6.45053e-09));
    }
}
