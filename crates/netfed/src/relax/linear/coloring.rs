//! Groups of nodes without an edge inside a group: what is updated at once gives the same as one
//! after the other.

use crate::Graph;

/// The nodes of each color, by the greedy rule: the first color that no earlier neighbor has.
pub(super) fn colors(graph: &Graph) -> Vec<Vec<usize>> {
    let mut color = vec![usize::MAX; graph.nodes()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for i in 0..graph.nodes() {
        let mut taken = vec![false; groups.len()];
        for inc in graph.incident(i).iter().filter(|inc| inc.neighbor() < i) {
            taken[color[inc.neighbor()]] = true;
        }
        let free = taken.iter().position(|t| !t).unwrap_or(groups.len());
        if free == groups.len() {
            groups.push(Vec::new());
        }
        color[i] = free;
        groups[free].push(i);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::stochastic_block_model;

    #[test]
    fn no_edge_joins_nodes_of_one_color() {
        let graph = stochastic_block_model(&[20, 20], 0.4, 0.1, 3).unwrap();
        let groups = colors(&graph);
        let mut of = vec![0; 40];
        groups.iter().enumerate().for_each(|(c, g)| g.iter().for_each(|&i| of[i] = c));
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 40);
        assert!(graph.edges().iter().all(|e| of[e.tail] != of[e.head]));
        let most = (0..40).map(|i| graph.degree(i)).max().unwrap();
        assert!(groups.len() <= most + 1, "{} colors, largest degree {most}", groups.len());
        let chain = Graph::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)]).unwrap();
        assert_eq!(colors(&chain), [vec![0, 2, 4], vec![1, 3]]);
        assert_eq!(colors(&Graph::new(2, &[]).unwrap()), [vec![0, 1]]);
    }
}
