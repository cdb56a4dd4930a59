//! The halves of all nodes of a member, taken together.

use netfed::Half;

type Nodes<'a> = [Box<dyn Half + 'a>];

/// Parameters of all nodes, one after the other.
pub(super) fn params(nodes: &Nodes<'_>) -> Vec<f64> {
    nodes.iter().flat_map(|n| n.params().iter().copied()).collect()
}

/// Answers of all nodes, one after the other.
pub(super) fn answers(nodes: &Nodes<'_>) -> Vec<f64> {
    nodes.iter().flat_map(|n| n.answer().iter().copied()).collect()
}

/// Duals of all slots of all nodes, one after the other.
pub(super) fn duals(nodes: &Nodes<'_>) -> Vec<f64> {
    nodes.iter().flat_map(|n| n.duals().iter().copied()).collect()
}

/// What all nodes remember: for each a length and as many numbers.
pub(super) fn memory(nodes: &Nodes<'_>) -> Vec<f64> {
    let framed = |own: Vec<f64>| std::iter::once(own.len() as f64).chain(own);
    nodes.iter().flat_map(|n| framed(n.memory())).collect()
}

/// Gives all nodes back what they remembered; false where it does not fit.
pub(super) fn remember(nodes: &mut Nodes<'_>, mut memory: &[f64]) -> bool {
    for node in nodes {
        let Some((length, rest)) = memory.split_first() else {
            return false;
        };
        let Some((own, rest)) = rest.split_at_checked(*length as usize) else {
            return false;
        };
        if !node.remember(own) {
            return false;
        }
        memory = rest;
    }
    memory.is_empty()
}

/// Moves all nodes to a point.
pub(super) fn set_nodes(nodes: &mut Nodes<'_>, dim: usize, params: &[f64], duals: &[f64]) {
    let mut at = 0;
    for (k, node) in nodes.iter_mut().enumerate() {
        let count = node.duals().len();
        node.set(&params[k * dim..][..dim], &duals[at..at + count]);
        at += count;
    }
}
