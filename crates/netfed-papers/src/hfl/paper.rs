//! Values of the paper's figures, read off them, and those of an independent re-run in numpy
//! (data/paper/hfl_figures.csv).

const FIGURES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/paper/hfl_figures.csv"));

/// What is known of one point of a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Known {
    pub(crate) paper: Option<f64>,
    pub(crate) rerun: Option<f64>,
    /// Standard deviation of the re-run over its replications.
    pub(crate) deviation: Option<f64>,
}

/// The point of a figure: covariance of the models, method, nodes, points per node, corruption, and
/// the round or nothing.
pub(crate) fn known(
    figure: &str,
    covariance: &str,
    method: &str,
    (nodes, points, corruption): (usize, usize, f64),
    round: Option<u64>,
) -> Known {
    let found = FIGURES.lines().skip(1).find_map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let [f, c, m, n, p, level, t, paper, rerun, deviation] = cells[..] else { return None };
        let same = f == figure
            && c == covariance
            && m == method
            && n.parse() == Ok(nodes)
            && p.parse() == Ok(points)
            && level.parse() == Ok(corruption)
            && t.parse().ok() == round;
        same.then(|| Known {
            paper: paper.parse().ok(),
            rerun: rerun.parse().ok(),
            deviation: deviation.parse().ok(),
        })
    });
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found() {
        let point = known("fig1", "I/p", "Fed-ADMM-ES", (40, 100, 0.1), None);
        assert_eq!(point.paper, Some(0.033));
        assert_eq!((point.rerun, point.deviation), (Some(0.0260), Some(0.0035)));
        let printed = known("fig1", "I/sqrt(p)", "Fed-ADMM-ES", (40, 100, 0.1), None);
        assert_eq!((printed.paper, printed.rerun), (None, Some(0.0249)));
        let second = known("fig2", "I/p", "Fed-ADMM-Local-ES", (60, 100, 0.9), None);
        assert_eq!(second.paper, Some(0.01945));
        let curve = known("s1", "I/sqrt(p)", "GD 0.3/sqrt(t)", (80, 50, 0.1), Some(50));
        assert_eq!(curve.rerun, Some(0.232));
        assert_eq!(known("fig1", "I/p", "Local", (7, 100, 0.1), None), Known::default());
    }
}
