//! The minimum spanning tree of all pairs of nodes, by Prim's rounds: the node nearest to the tree
//! joins it. n rounds of n discrepancies, memory for n of them. Where nodes cannot be compared it
//! is a forest.

use super::found::Found;
use crate::Error;
use crate::graph::discrepancy::Discrepancy;
use crate::numeric::threads::*;
use crate::outcome::{Event, Shared};

/// Nodes that are worth a task of their own.
const BLOCK: usize = 64;

/// The edges of the tree, in order.
pub(super) fn spanning_tree(all: &dyn Discrepancy, observer: &Shared<'_>) -> Result<Found, Error> {
    let n = all.nodes();
    // For every node outside the tree its nearest node in it.
    let mut outside: Vec<(usize, f64, usize)> = (1..n).map(|j| (j, f64::INFINITY, 0)).collect();
    let (mut edges, mut newest) = (Vec::with_capacity(n), 0);
    for k in 0..n {
        if observer.tell(Event::round(k as u64)).is_break() {
            return Ok(Found { edges: Vec::new(), stopped: true });
        }
        let update = |(j, nearest, to): &mut (usize, f64, usize)| -> Result<(), Error> {
            if all.at_least(newest, *j) > *nearest {
                return Ok(());
            }
            let d = all.between(newest.min(*j), newest.max(*j))?;
            if d < *nearest {
                (*nearest, *to) = (d, newest);
            }
            Ok(())
        };
        outside
            .par_chunks_mut(BLOCK)
            .try_for_each(|block| block.iter_mut().try_for_each(update))?;
        let next = outside
            .iter()
            .enumerate()
            .min_by(|(_, a), (_, b)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let Some((place, &(j, nearest, to))) = next else { break };
        if nearest < f64::INFINITY {
            edges.push((to.min(j), to.max(j), nearest));
        }
        // A node that no tree reaches begins one of its own.
        newest = j;
        outside.swap_remove(place);
    }
    Ok(Found { edges, stopped: false }.sorted())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::discrepancy::GreatCircle;
    use crate::outcome::Unobserved;
    use rand::RngExt;

    #[test]
    fn the_tree_is_the_shortest_that_connects() {
        let mut random = crate::numeric::sampling::random(6);
        let places: Vec<(f64, f64)> = (0..150)
            .map(|_| (60.0 + 5.0 * random.random::<f64>(), 20.0 + 9.0 * random.random::<f64>()))
            .collect();
        let all = GreatCircle::new(&places).unwrap();
        let tree = spanning_tree(&all, &Shared::new(&mut Unobserved)).unwrap().edges;
        assert_eq!(tree.len(), 149);
        // Kruskal: take pairs in order of length unless they close a cycle.
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for i in 0..150 {
            pairs.extend((i + 1..150).map(|j| (all.between(i, j).unwrap(), i, j)));
        }
        pairs.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut group: Vec<usize> = (0..150).collect();
        let mut length = 0.0;
        for (d, i, j) in pairs {
            let (a, b) = (group[i], group[j]);
            if a != b {
                length += d;
                group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
            }
        }
        let found: f64 = tree.iter().map(|e| e.2).sum();
        assert!((found - length).abs() < 1e-9 * length, "{found} {length}");
    }
}
