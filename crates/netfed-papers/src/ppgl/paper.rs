//! Tables I and II of the paper and of an independent re-run (data/paper).

const TABLES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/paper/ppgl_tables.csv"));

/// Precision, recall, F-score and relative error of a method in a setting, by a source: `paper`,
/// `rerun T=50` or `rerun converged`.
pub(super) fn known(setting: &str, method: &str, source: &str) -> Option<[f64; 4]> {
    TABLES.lines().find_map(|line| {
        let mut cells = line.split(',');
        let here = cells.next()? == setting && cells.next()? == method && cells.next()? == source;
        let mut number = || cells.next()?.parse().ok();
        if here { Some([number()?, number()?, number()?, number()?]) } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cells_are_there() {
        for setting in ["N = 20", "N = 50", "N = 100", "q = 0.3", "q = 0.6", "q = 0.9"] {
            for method in ["IGL", "FedAvg", "FedProx", "MR-MTL", "Ditto", "PPGL-L", "PPGL-C"] {
                assert!(known(setting, method, "paper").is_some(), "{setting} {method}");
                assert!(known(setting, method, "rerun T=50").is_some(), "{setting} {method}");
            }
        }
        assert_eq!(known("N = 20", "PPGL-C", "paper"), Some([0.636, 0.516, 0.566, 0.874]));
        assert_eq!(known("N = 20", "Ditto", "rerun converged"), None);
    }
}
