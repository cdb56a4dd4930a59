//! Algorithm 1 in one process: all halves, round by round. Nodes do not see each other's news
//! inside a round, so the bits do not depend on the number of threads.

use super::node::RelaxNode;
use crate::numeric::threads::*;
use crate::{Error, Graph};

/// What a round did.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RelaxRound {
    /// Rounds so far; round 0 trains every node alone.
    pub round: u64,
    /// Σᵢ Σⱼ A_ij times the mean squared difference of predictions on the points of j: (7) with
    /// squared error, every edge twice.
    pub variation: f64,
    /// How far the messages moved, relative to their length.
    pub change: f64,
}

/// All nodes of a graph.
pub struct FedRelax<'g> {
    graph: &'g Graph,
    nodes: Vec<RelaxNode>,
    rounds: u64,
    from_zero: bool,
}

impl<'g> FedRelax<'g> {
    /// The halves of all nodes, in order.
    pub fn new(graph: &'g Graph, nodes: Vec<RelaxNode>) -> Result<FedRelax<'g>, Error> {
        let (expected, found) = (graph.nodes(), nodes.len());
        if expected != found {
            return Err(Error::Size { what: "nodes of the graph", expected, found });
        }
        if let Some(i) = (0..expected).find(|&i| nodes[i].slots() != graph.degree(i)) {
            let (expected, found) = (graph.degree(i), nodes[i].slots());
            return Err(Error::Size { what: "neighbors of a node", expected, found });
        }
        Ok(FedRelax { graph, nodes, rounds: 0, from_zero: false })
    }

    /// The same, but in round 1 every neighbor says 0, as in the code of the paper's authors.
    pub fn from_zero(self) -> FedRelax<'g> {
        FedRelax { from_zero: true, ..self }
    }

    /// The next round: the nodes tell each other what they predict, and fit. Round 0 trains every
    /// node alone.
    pub fn round(&mut self) -> Result<RelaxRound, Error> {
        let (round, change) = self.fit()?;
        Ok(RelaxRound { round, variation: self.variation(), change })
    }

    /// The same without a look at the variation; gives the number of the round and the change.
    pub fn fit(&mut self) -> Result<(u64, f64), Error> {
        let graph = self.graph;
        let said: Vec<Vec<f64>> = self.nodes.iter().map(|n| n.message().to_vec()).collect();
        if self.rounds > 0 {
            let zero = self.from_zero && self.rounds == 1;
            let longest = if zero { said.iter().map(Vec::len).max().unwrap_or(0) } else { 0 };
            let zeros = vec![0.0; longest];
            let told = |j: usize| if zero { &zeros[..said[j].len()] } else { said[j].as_slice() };
            let absorb = |(i, node): (usize, &mut RelaxNode)| {
                let mut slots = graph.incident(i).iter().enumerate();
                slots.try_for_each(|(slot, inc)| node.absorb(slot, told(inc.neighbor())))
            };
            first_error(self.nodes.par_iter_mut().enumerate().map(absorb).collect())?;
        }
        first_error(self.nodes.par_iter_mut().map(RelaxNode::compute).collect())?;
        let round = self.rounds;
        self.rounds += 1;
        let (mut moved, mut size) = (0.0, 0.0);
        for (node, before) in self.nodes.iter().zip(&said) {
            for (k, now) in node.message().iter().enumerate() {
                let last = before.get(k).copied().unwrap_or(0.0);
                moved += (now - last) * (now - last);
                size += now * now;
            }
        }
        let change = if moved == 0.0 { 0.0 } else { (moved / size.max(f64::MIN_POSITIVE)).sqrt() };
        Ok((round, change))
    }

    /// (7) with squared error at the models as they are.
    pub fn variation(&self) -> f64 {
        let of = |(i, node): (usize, &RelaxNode)| {
            let slots = self.graph.incident(i);
            node.variation(|slot| self.nodes[slots[slot].neighbor()].message())
        };
        let halves: Vec<f64> = self.nodes.par_iter().enumerate().map(of).collect();
        halves.iter().sum()
    }

    /// The halves.
    pub fn nodes(&self) -> &[RelaxNode] {
        &self.nodes
    }

    /// The halves, at the end.
    pub fn into_nodes(self) -> Vec<RelaxNode> {
        self.nodes
    }
}

/// The error of the first node that has one, whichever thread came first.
fn first_error(done: Vec<Result<(), Error>>) -> Result<(), Error> {
    let of_node = |(node, done): (usize, Result<(), Error>)| {
        done.map_err(|reason| Error::AtNode { node, reason: Box::new(reason) })
    };
    done.into_iter().enumerate().try_for_each(of_node)
}
