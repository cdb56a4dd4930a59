//! What a user should know about the nodes: who trains alone, and whom no data reach. The news of data travels one edge per round, so a node
//! k edges from the nearest data learns something in round k.

use netfed::{Graph, Table};
use netfed_report::text::plural;

use super::flags::Relax;
use crate::prepare::names;

/// The warnings, in sentences without a period.
pub(super) fn warnings(points: &Table, graph: &Graph, alpha: f64, args: &Relax) -> Vec<String> {
    let n = points.nodes().len();
    let count = points.points_per_node();
    let far = distances(graph, alpha > 0.0, |i| count[i] > 0);
    let list = |keep: &dyn Fn(usize) -> bool| -> Vec<&str> {
        (0..n).filter(|&i| keep(i)).map(|i| points.nodes()[i].as_str()).collect()
    };
    let (data, file) = (args.data.display(), args.graph.display());
    let mut found = Vec::new();
    let mut warn = |list: Vec<&str>, what: String| {
        if !list.is_empty() {
            found.push(format!("{} {what}: {}", plural(list.len(), "node"), names(&list)));
        }
    };
    warn(
        list(&|i| count[i] > 0 && graph.degree(i) == 0),
        format!("with data but without an edge in {file}, trained alone"),
    );
    warn(
        list(&|i| count[i] == 0 && far[i].is_some_and(|k| k <= args.rounds)),
        format!("without data points in {data}, trained on what neighbors predict"),
    );
    let longest = far.iter().flatten().max().copied().unwrap_or(0);
    warn(
        list(&|i| far[i].is_some_and(|k| k > args.rounds)),
        format!(
            "without data points in {data} that {} do not reach, left untrained (predictions are 0, or all classes alike); say --rounds {longest} or more",
            plural(args.rounds as usize, "round")
        ),
    );
    warn(
        list(&|i| far[i].is_none()),
        "without data and without a coupled path to a node with data, left untrained: predictions are 0, or all classes alike".into(),
    );
    found
}

/// The edges from every node to the nearest with data; none where there is no way.
fn distances(graph: &Graph, coupled: bool, has_data: impl Fn(usize) -> bool) -> Vec<Option<u64>> {
    let mut far: Vec<Option<u64>> = (0..graph.nodes()).map(|i| has_data(i).then_some(0)).collect();
    let mut next: Vec<usize> = (0..graph.nodes()).filter(|&i| has_data(i)).collect();
    let mut edges = 0;
    while coupled && !next.is_empty() {
        edges += 1;
        let neighbors = next.iter().flat_map(|&i| graph.incident(i)).map(|inc| inc.neighbor());
        let mut reached: Vec<usize> = neighbors.filter(|&j| far[j].is_none()).collect();
        reached.sort_unstable();
        reached.dedup();
        reached.iter().for_each(|&j| far[j] = Some(edges));
        next = reached;
    }
    far
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_news_travels_one_edge_per_round() {
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (5, 6, 1.0)];
        let graph = Graph::new(7, &edges).unwrap();
        let data = |i: usize| i == 0 || i == 4;
        let reached = [Some(0), Some(1), Some(2), Some(1), Some(0), None, None];
        assert_eq!(distances(&graph, true, data), reached);
        let alone = [Some(0), None, None, None, Some(0), None, None];
        assert_eq!(distances(&graph, false, data), alone);
    }
}
