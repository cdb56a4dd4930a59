//! Maximum flow and minimum cut in a network with capacities (Dinic's method).
//!
//! Each phase finds the shortest paths that still have room, by breadth-first search, and fills all
//! of them. Every filled path empties at least one arc to exactly zero, also in floating-point
//! numbers, so that the bounds on the number of steps hold as they do for integers: O(n²m), in
//! practice close to linear.

use std::collections::VecDeque;

/// Level of a node that the source does not reach.
const UNREACHED: u32 = u32::MAX;

/// A network under construction. Arcs come in pairs: 2k and 2k + 1 are each other's reverse.
pub(crate) struct Network {
    arcs_of: Vec<Vec<u32>>,
    head: Vec<u32>,
    room: Vec<f64>,
}

/// A maximum flow.
pub(crate) struct MaxFlow {
    /// The nodes on the source's side of a minimum cut: those that the source still reaches, the
    /// fewest possible.
    pub(crate) source_side: Vec<bool>,
    /// What is left of the capacity of each pair of arcs, in the order they were added.
    pub(crate) room: Vec<f64>,
}

impl Network {
    /// A network of nodes without arcs.
    pub(crate) fn new(nodes: usize) -> Network {
        Network { arcs_of: vec![Vec::new(); nodes], head: Vec::new(), room: Vec::new() }
    }

    /// Adds a pair of arcs with the capacities from `a` to `b` and from `b` to `a`.
    pub(crate) fn add(&mut self, a: usize, b: usize, forward: f64, backward: f64) {
        for (tail, head, capacity) in [(a, b, forward), (b, a, backward)] {
            self.arcs_of[tail].push(self.head.len() as u32);
            self.head.push(head as u32);
            self.room.push(capacity);
        }
    }

    /// A maximum flow between two different nodes.
    pub(crate) fn max_flow(mut self, source: usize, sink: usize) -> MaxFlow {
        loop {
            let mut level = self.levels(source);
            if level[sink] == UNREACHED {
                let source_side = level.iter().map(|l| *l != UNREACHED).collect();
                let room = self.room.iter().step_by(2).copied().collect();
                return MaxFlow { source_side, room };
            }
            self.fill(source, sink, &mut level);
        }
    }

    /// Distance of every node from the source, over arcs with room.
    fn levels(&self, source: usize) -> Vec<u32> {
        let mut level = vec![UNREACHED; self.arcs_of.len()];
        level[source] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(at) = queue.pop_front() {
            for &arc in &self.arcs_of[at] {
                let head = self.head[arc as usize] as usize;
                if self.room[arc as usize] > 0.0 && level[head] == UNREACHED {
                    level[head] = level[at] + 1;
                    queue.push_back(head);
                }
            }
        }
        level
    }

    /// Fills all shortest paths.
    fn fill(&mut self, source: usize, sink: usize, level: &mut [u32]) {
        let mut next = vec![0; self.arcs_of.len()];
        let mut path: Vec<usize> = Vec::new();
        let mut at = source;
        loop {
            if at == sink {
                let amount = path.iter().map(|&a| self.room[a]).fold(f64::INFINITY, f64::min);
                for &arc in &path {
                    self.room[arc] -= amount;
                    self.room[arc ^ 1] += amount;
                }
                // Back to where the first emptied arc starts.
                let emptied = path.iter().position(|&a| self.room[a] <= 0.0).unwrap_or(0);
                at = self.head[path[emptied] ^ 1] as usize;
                path.truncate(emptied);
                continue;
            }
            let onward = self.arcs_of[at][next[at]..].iter().position(|&arc| {
                let head = self.head[arc as usize] as usize;
                self.room[arc as usize] > 0.0 && level[head] == level[at].saturating_add(1)
            });
            if let Some(skipped) = onward {
                next[at] += skipped;
                let arc = self.arcs_of[at][next[at]] as usize;
                path.push(arc);
                at = self.head[arc] as usize;
            } else if let Some(arc) = path.pop() {
                // A dead end.
                level[at] = UNREACHED;
                at = self.head[arc ^ 1] as usize;
            } else {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// What leaves node 0: the value of the flow.
    fn value(arcs: &[(usize, usize, f64, f64)], flow: &MaxFlow) -> f64 {
        let left = arcs.iter().zip(&flow.room).filter(|(arc, _)| arc.0 == 0);
        left.map(|(arc, room)| arc.2 - room).sum()
    }

    /// The smallest cut, by trying all of them.
    fn smallest_cut(nodes: usize, arcs: &[(usize, usize, f64, f64)]) -> f64 {
        // Node 0 is the source, the last one is the sink.
        let cut = |side: usize| {
            let here = |i: usize| side >> i & 1 == 1;
            arcs.iter()
                .map(|&(a, b, forward, backward)| match (here(a), here(b)) {
                    (true, false) => forward,
                    (false, true) => backward,
                    _ => 0.0,
                })
                .sum::<f64>()
        };
        (0..1 << (nodes - 1)).filter(|side| side & 1 == 1).map(cut).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_flow_is_as_large_as_the_smallest_cut() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for trial in 0..300 {
            let nodes = 2 + trial % 8;
            let mut arcs = Vec::new();
            for a in 0..nodes {
                for b in a + 1..nodes {
                    if rng.random::<f64>() < 0.6 {
                        let (f, g) = (rng.random::<f64>(), rng.random::<f64>());
                        arcs.push((a, b, f, if trial % 2 == 0 { f } else { g }));
                    }
                }
            }
            let mut network = Network::new(nodes);
            arcs.iter().for_each(|&(a, b, f, g)| network.add(a, b, f, g));
            let flow = network.max_flow(0, nodes - 1);
            let smallest = smallest_cut(nodes, &arcs);
            let value = value(&arcs, &flow);
            assert!((value - smallest).abs() < 1e-12, "{value} {smallest}");
            // The side it names is a cut of that size.
            let sides = flow.source_side;
            let crossing = |a: usize, b: usize, c: f64| if sides[a] && !sides[b] { c } else { 0.0 };
            let named: f64 =
                arcs.iter().map(|&(a, b, f, g)| crossing(a, b, f) + crossing(b, a, g)).sum();
            assert!(sides[0] && !sides[nodes - 1] && (named - smallest).abs() < 1e-12);
        }
    }

    #[test]
    fn what_leaves_a_node_came_to_it() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let nodes = 40;
        let arcs: Vec<(usize, usize, f64)> = (0..200)
            .map(|_| (rng.random_range(0..nodes), rng.random_range(0..nodes), rng.random()))
            .filter(|(a, b, _)| a != b)
            .collect();
        let mut network = Network::new(nodes);
        arcs.iter().for_each(|&(a, b, c)| network.add(a, b, c, c));
        let flow = network.max_flow(0, nodes - 1);
        let mut balance = vec![0.0; nodes];
        for (&(a, b, c), room) in arcs.iter().zip(&flow.room) {
            assert!((0.0..=2.0 * c + 1e-12).contains(room));
            balance[a] += c - room;
            balance[b] -= c - room;
        }
        assert!((balance[0] + balance[nodes - 1]).abs() < 1e-12 && balance[0] > 0.0);
        assert!(balance[1..nodes - 1].iter().all(|b| b.abs() < 1e-12));
    }

    #[test]
    fn a_hundred_thousand_edges_are_no_trouble() {
        // A grid with uneven capacities, from one corner to the other: long paths, many of them.
        let (side, mut rng) = (224, ChaCha8Rng::seed_from_u64(1));
        let mut network = Network::new(side * side);
        let mut at_source = Vec::new();
        for i in 0..side * side {
            let mut to = |j: usize| {
                let capacity: f64 = 0.5 + rng.random::<f64>();
                if i == 0 {
                    at_source.push(capacity);
                }
                network.add(i, j, capacity, capacity);
            };
            if i % side + 1 < side {
                to(i + 1);
            }
            if i / side + 1 < side {
                to(i + side);
            }
        }
        assert!(network.head.len() > 199_000);
        let flow = network.max_flow(0, side * side - 1);
        let sent: f64 = at_source.iter().zip(&flow.room).map(|(c, room)| c - room).sum();
        assert!(sent > 0.0 && sent <= at_source.iter().sum::<f64>());
        assert!(flow.source_side[0] && !flow.source_side[side * side - 1]);
    }
}
