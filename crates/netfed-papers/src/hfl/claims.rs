//! What Figures 1 and 2 must show, counted over their cells.

use super::figures::Cell;
use super::instance::{Covariance, expected_error};
use super::methods::Method;

/// How many cells have the order of the methods that they should, and how near Fed-ADMM-ES comes to
/// Oracle.
pub(crate) fn order(cells: &[Cell]) -> Vec<String> {
    let count = |test: &dyn Fn(&Cell) -> bool| cells.iter().filter(|c| test(c)).count();
    let below = |a: Method, b: Method| count(&|c| c.mean(a) <= c.mean(b));
    let all = cells.len();
    let ratio = |points: usize| {
        let own = cells.iter().filter(|c| c.points == points);
        own.map(|c| c.mean(Method::Selected) / c.mean(Method::Oracle)).fold(0.0, f64::max)
    };
    let off = |method: Method, expected: &dyn Fn(&Cell) -> f64| {
        cells.iter().map(|c| (c.mean(method) / expected(c) - 1.0).abs()).fold(0.0, f64::max)
    };
    let behind = |level: f64| {
        let lost = |c: &Cell| c.level == level && c.mean(Method::Untuned) > c.mean(Method::Local);
        format!("{} of {}", count(&lost), count(&|c| c.level == level))
    };
    let wrong = |points: usize| {
        let own = || cells.iter().filter(|c| c.points == points).flat_map(|c| &c.runs);
        let (given, kept) = own().fold((0, 0), |(a, b), e| (a + e.wrong.0, b + e.wrong.1));
        100.0 * kept as f64 / given.max(1) as f64
    };
    vec![
        format!(
            "Oracle ≤ 1.03 · Fed-ADMM-ES in {} of {all} cells, Fed-ADMM-ES ≤ Fed-ADMM in {}, Fed-ADMM ≤ Local in {}.",
            count(&|c| c.mean(Method::Oracle) <= 1.03 * c.mean(Method::Selected)),
            below(Method::Selected, Method::Tuned),
            below(Method::Tuned, Method::Local)
        ),
        format!(
            "Fed-ADMM-ES is at most {:.2}, {:.2} and {:.2} times Oracle at n = 50, 100 and 200; of the edges between clusters selection keeps {:.0}%, {:.1}% and {:.2}%.",
            ratio(50),
            ratio(100),
            ratio(200),
            wrong(50),
            wrong(100),
            wrong(200)
        ),
        format!(
            "Means of Local and Oracle are within {:.1}% and {:.1}% of their expected values p/(n − p − 1) and p/(n|V|/5 − p − 1).",
            100.0 * off(Method::Local, &|c| expected_error(c.points)),
            100.0 * off(Method::Oracle, &|c| expected_error(c.points * c.nodes / 5))
        ),
        format!(
            "Fed-ADMM falls behind Local where λ is not tuned again: in {} cells with corruption 0.1 and {} with 0.2.",
            behind(0.1),
            behind(0.2)
        ),
    ]
}

/// Where Fed-ADMM-Local-ES, which does not see the graph, becomes better than Fed-ADMM-ES.
pub(crate) fn crossings(cells: &[Cell]) -> Vec<String> {
    let lost = |c: &&Cell| c.mean(Method::Tuned) > c.mean(Method::Local);
    let mut parts = Vec::new();
    for c in cells.iter().filter(|c| c.level == 0.0) {
        let same =
            |o: &&Cell| o.points == c.points && o.nodes == c.nodes && o.covariance == c.covariance;
        let better = |o: &&Cell| o.mean(Method::LocallySelected) < o.mean(Method::Selected);
        let from = cells.iter().filter(same).find(better);
        let from = from.map_or("nowhere".to_owned(), |o| format!("from {}", o.level));
        let reading = if c.covariance == Covariance::OverP { "" } else { ", I/√p" };
        parts.push(format!("|V| = {}, n = {}{reading}: {from}", c.nodes, c.points));
    }
    vec![
        format!(
            "Selection without the given graph (Fed-ADMM-Local-ES) is the better one, by corruption: {}.",
            parts.join("; ")
        ),
        format!(
            "Fed-ADMM with λ tuned on the given graph is worse than Local in {} of {} cells.",
            cells.iter().filter(lost).count(),
            cells.len()
        ),
    ]
}
