//! Values of the paper's figures, read off them, and those of an independent re-run in numpy
//! (data/paper/fedrelax_figures.csv).

const FIGURES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/paper/fedrelax_figures.csv"));

/// What is known of one point of a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Known {
    pub(crate) paper: Option<f64>,
    pub(crate) rerun: Option<f64>,
}

/// Where a point of a figure is. Numbers that do not matter there are none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) figure: &'a str,
    pub(crate) method: &'a str,
    pub(crate) dim: usize,
    pub(crate) sigma: f64,
    pub(crate) inside: Option<f64>,
    pub(crate) alpha: Option<f64>,
    /// A number, `limit` or nothing.
    pub(crate) round: &'a str,
}

/// What is known there.
pub(crate) fn known(place: &Place<'_>) -> Known {
    let number = |cell: &str| cell.parse::<f64>().ok();
    let found = FIGURES.lines().skip(1).find_map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let [figure, method, d, sigma, inside, alpha, round, paper, rerun, _] = cells[..] else {
            return None;
        };
        let same = figure == place.figure
            && method == place.method
            && d.parse() == Ok(place.dim)
            && number(sigma) == Some(place.sigma)
            && place.inside.is_none_or(|p| number(inside) == Some(p))
            && place.alpha.is_none_or(|a| number(alpha) == Some(a))
            && round == place.round;
        same.then(|| Known { paper: number(paper), rerun: number(rerun) })
    });
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found() {
        let place = Place {
            figure: "1a",
            method: "rmsprop",
            dim: 20,
            sigma: 0.0,
            inside: None,
            alpha: Some(0.01),
            round: "500",
        };
        assert_eq!(known(&place), Known { paper: Some(0.24), rerun: Some(0.231) });
        let bound = Place { figure: "5", method: "bound", dim: 10, sigma: 5.0, round: "", ..place };
        assert_eq!(known(&Place { inside: Some(0.8), ..bound }).rerun, Some(3879.0));
        assert_eq!(known(&Place { inside: Some(0.3), ..bound }), Known::default());
        let trees = Place { figure: "2", method: "published", dim: 50, round: "4", ..place };
        assert_eq!(known(&Place { alpha: Some(1.0), ..trees }).paper, Some(0.99));
        let fig3 = Place { figure: "3", dim: 10, sigma: 5.0, ..place };
        assert_eq!(known(&fig3), Known { paper: Some(0.37), rerun: Some(0.373) });
    }
}
