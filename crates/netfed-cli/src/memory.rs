//! Whether a problem fits into the memory of the machine, before it is asked for.

use netfed::model::{ModelKind, ModelSize};

use crate::failure::Failure;

/// Refuses a problem that needs more memory than there is.
pub(crate) fn check(nodes: usize, edges: usize, dim: usize, rows: usize) -> Result<(), Failure> {
    check_against(nodes, edges, dim, rows, available())
}

fn check_against(
    nodes: usize,
    edges: usize,
    dim: usize,
    rows: usize,
    available: Option<f64>,
) -> Result<(), Failure> {
    let what = || format!("{nodes} nodes, {edges} edges and {dim} features");
    fits(estimate(nodes, edges, dim, rows), available, what, FEWER_FEATURES)
}

const FEWER_FEATURES: &str = "use fewer features (--features) or a machine with more memory";

/// Refuses what needs more bytes than there are.
fn fits(
    needed: f64,
    available: Option<f64>,
    what: impl Fn() -> String,
    advice: &str,
) -> Result<(), Failure> {
    match available {
        Some(available) if needed > available => Err(Failure::input(format!(
            "{} need about {} of memory, but only {} is available; {advice}.",
            what(),
            gigabytes(needed),
            gigabytes(available)
        ))),
        _ => Ok(()),
    }
}

/// Bytes of a fit: models, messages and copies of them for each node, one dual for each edge, the
/// data twice.
fn estimate(nodes: usize, edges: usize, dim: usize, rows: usize) -> f64 {
    let (n, e, d, m) = (nodes as f64, edges as f64, dim as f64, rows as f64);
    8.0 * (6.0 * n * d + e * d + 2.0 * m * d) + 300.0 * n + 150.0 * e
}

/// Refuses local models whose covariances, and what it takes to compute them, need more memory than
/// there is.
pub(crate) fn check_covariances(nodes: usize, dim: usize, rows: usize) -> Result<(), Failure> {
    let (n, d, m) = (nodes as f64, dim as f64, rows as f64);
    let needed = 8.0 * (n * d * d + 2.0 * m * d);
    let what = || format!("the covariances of {nodes} models with {dim} features");
    fits(needed, available(), what, FEWER_FEATURES)
}

/// Refuses public points of which the copies of all nodes need more memory than there is.
pub(crate) fn check_public(nodes: usize, points: usize, dim: usize) -> Result<(), Failure> {
    let needed = 8.0 * (nodes as f64 + 1.0) * points as f64 * (dim as f64 + 1.0);
    let what = || format!("{points} public points at {nodes} nodes");
    fits(needed, available(), what, "say fewer with --public-points")
}

/// Refuses models that need more memory than there is: those of all nodes, twice as they are
/// written to a file, and one fit.
pub(crate) fn check_models<'a>(
    models: impl Iterator<Item = (&'a ModelKind, ModelSize)>,
) -> Result<(), Failure> {
    let (mut count, mut kept, mut fit) = (0, 0.0, 0.0_f64);
    let mut largest: Option<(&ModelKind, f64)> = None;
    for (kind, size) in models {
        count += 1;
        kept += size.kept;
        fit = fit.max(size.fit);
        let whole = size.kept + size.fit;
        if largest.is_none_or(|(_, most)| whole > most) {
            largest = Some((kind, whole));
        }
    }
    let Some((kind, _)) = largest else { return Ok(()) };
    let what = || match count {
        1 => format!("the model \"{kind}\" may"),
        _ => format!("the models of {count} nodes, the largest of them \"{kind}\", may"),
    };
    fits(8.0 * (2.0 * kept + fit), available(), what, "take smaller ones (--model, --models)")
}

fn gigabytes(bytes: f64) -> String {
    format!("{:.1} GB", bytes / 1e9)
}

/// Bytes that can be had now, where the system tells (Linux).
fn available() -> Option<f64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_large_a_problem_is_refused() {
        assert!(check_against(1000, 5000, 10, 20_000, Some(1e9)).is_ok());
        let message =
            check_against(1_000_000, 5_000_000, 1000, 1000, Some(16e9)).unwrap_err().to_string();
        assert!(
            message.contains("89.1 GB of memory") && message.contains("16.0 GB is available"),
            "{message}"
        );
    }
}
