//! A node of FedRelax for drivers that know halves alone, such as a network peer. All messages have
//! the same length; one is
//!
//!   1, then the predictions on the node's public points, then zeros;  or zeros alone, as long as the node has nothing to say
//!
//! There are no duals and no bound. A neighbor may send anything: what are no probabilities is not
//! taken for such.

use super::damping::Damped;
use super::node::RelaxNode;
use crate::methods::Half;
use crate::model::Part;

/// The half of a node of FedRelax.
pub struct RelaxHalf {
    node: RelaxNode,
    /// What the node says.
    params: Vec<f64>,
}

impl RelaxHalf {
    /// The half of a node, with messages of the length that [`RelaxHalf::length`] gives for the
    /// whole network.
    pub fn new(node: RelaxNode, length: usize) -> RelaxHalf {
        let params = vec![0.0; length.max(1 + node.message_len())];
        RelaxHalf { node, params }
    }

    /// The length of all messages, where no node has more public points than `most`, with
    /// predictions of so many numbers.
    pub fn length(most: usize, outputs: usize) -> usize {
        1 + most * outputs
    }

    /// The pieces of the model of a node from what its half remembers.
    pub fn parts(memory: &[f64]) -> Option<Vec<Part>> {
        let mut numbers = Numbers(memory);
        for _ in 0..numbers.count()? {
            numbers.list()?;
        }
        numbers.parts()
    }

    fn said(&self) -> &[f64] {
        if self.params[0] == 1.0 { &self.params[1..=self.node.message_len()] } else { &[] }
    }
}

impl Half for RelaxHalf {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn duals(&self) -> &[f64] {
        &[]
    }

    fn dual(&self, _slot: usize) -> &[f64] {
        &[]
    }

    fn set(&mut self, params: &[f64], _duals: &[f64]) {
        self.params.copy_from_slice(params);
        let said = self.said().to_vec();
        self.node.say_again(said);
    }

    /// What the neighbors said, then the model.
    fn memory(&self) -> Vec<f64> {
        let mut numbers = vec![self.node.slots() as f64];
        for slot in 0..self.node.slots() {
            let damped = self.node.damped(slot).memory();
            numbers.push(damped.len() as f64);
            numbers.extend(damped);
        }
        let parts = self.node.model().parts();
        numbers.push(parts.len() as f64);
        for part in parts {
            numbers.push(part.name.len() as f64);
            numbers.extend(part.name.bytes().map(f64::from));
            numbers.push(part.shape.len() as f64);
            numbers.extend(part.shape.iter().map(|n| *n as f64));
            numbers.push(part.values.len() as f64);
            numbers.extend(part.values);
        }
        numbers
    }

    fn remember(&mut self, memory: &[f64]) -> bool {
        let mut numbers = Numbers(memory);
        let mut restore = || {
            let slots = numbers.count().filter(|n| *n == self.node.slots())?;
            let damped = (0..slots)
                .map(|slot| Damped::remembered(numbers.list()?, self.node.expected_len(slot)));
            let damped = damped.collect::<Option<Vec<_>>>()?;
            let parts = numbers.parts()?;
            self.node.restore_damped(damped);
            let fresh = parts.iter().all(|p| p.values.is_empty()) && self.said().is_empty();
            (fresh || self.node.model_mut().restore(&parts).is_ok()).then_some(())
        };
        restore().is_some()
    }

    fn compute_from(&mut self, _start: Option<&[f64]>, message: &mut [f64]) {
        // A fit that fails leaves the model, and so the message, as they were.
        let _ = self.node.compute();
        self.params.fill(0.0);
        if !self.node.message().is_empty() {
            self.params[0] = 1.0;
            self.params[1..=self.node.message_len()].copy_from_slice(self.node.message());
        }
        message.copy_from_slice(&self.params);
    }

    fn absorb(&mut self, slot: usize, _sent: &[f64], received: &[f64]) {
        let outputs = self.node.outputs();
        let probable = |p: &[f64]| {
            p.iter().all(|v| (-1e-9..=1.0 + 1e-9).contains(v))
                && (p.iter().sum::<f64>() - 1.0).abs() <= 1e-6
        };
        let good = match received.get(..=self.node.expected_len(slot)) {
            Some([1.0, said @ ..]) if outputs == 1 || said.chunks_exact(outputs).all(probable) => {
                said
            }
            _ => &[],
        };
        // What has the wrong form is as if nothing had been said.
        let _ = self.node.absorb(slot, good);
    }

    fn message(&self, _before: &[f64], now: &[f64], out: &mut [f64]) {
        out.copy_from_slice(now);
    }
}

/// Numbers that are read one after the other; none where they end, or are no lengths.
struct Numbers<'a>(&'a [f64]);

impl<'a> Numbers<'a> {
    fn count(&mut self) -> Option<usize> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first >= 0.0 && *first <= 1e9 && first.fract() == 0.0).then_some(*first as usize)
    }

    /// A length and as many numbers.
    fn list(&mut self) -> Option<&'a [f64]> {
        let length = self.count()?;
        let (list, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(list)
    }

    fn parts(&mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        for _ in 0..self.count()? {
            let name: String = self.list()?.iter().map(|b| char::from(*b as u8)).collect();
            let shape: Vec<usize> = self.list()?.iter().map(|n| *n as usize).collect();
            parts.push(Part::new(&name, &shape, self.list()?.to_vec()));
        }
        self.0.is_empty().then_some(parts)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::model::{ModelKind, Task};
    use crate::relax::settings::{Examples, Neighbor, RelaxSettings, RelaxWeights};
    use std::sync::Arc;

    fn half(kind: &str, task: Task, slots: usize) -> RelaxHalf {
        let points: Vec<f64> = (0..24).map(|k| (k as f64 * 0.7).sin()).collect();
        let points = Matrix::from_rows(2, points).unwrap();
        let target = |r: usize| match task {
            Task::Regression => vec![points.row(r)[0] - points.row(r)[1]],
            Task::Classification(n) => (0..n).map(|c| f64::from(u8::from(c == r % n))).collect(),
        };
        let targets = (0..12).flat_map(target).collect();
        let targets = Matrix::from_rows(task.outputs(), targets).unwrap();
        let public = Matrix::from_rows(2, (0..16).map(|k| (k as f64).cos()).collect()).unwrap();
        let public = Arc::new(public);
        let neighbor = Neighbor { weight: 1.0, public: Arc::clone(&public) };
        let kind: ModelKind = kind.parse().unwrap();
        let settings = RelaxSettings {
            alpha: 0.5,
            weights: RelaxWeights::Objective,
            held: Some(Arc::clone(&public)),
        };
        let own = Examples { points, targets };
        let neighbors = vec![neighbor; slots];
        let node = RelaxNode::new(kind.build(task, 2, 3), own, public, &neighbors, settings);
        // Longer messages than this node's own.
        RelaxHalf::new(node.unwrap(), RelaxHalf::length(9, task.outputs()))
    }

    #[test]
    fn a_restart_changes_nothing() {
        for kind in ["tree depth=2", "forest trees=5", "perceptron hidden=4 epochs=3", "ridge"] {
            let mut half = half(kind, Task::Regression, 1);
            let size = half.params().len();
            let (mut first, mut again) = (vec![0.0; size], vec![0.0; size]);
            for round in 0..6 {
                let mut other = super::tests::half(kind, Task::Regression, 1);
                other.set(half.params(), &[]);
                assert!(other.remember(&half.memory()), "{kind}");
                half.compute(&mut first);
                other.compute(&mut again);
                assert_eq!(first, again, "{kind}");
                // A neighbor that swings.
                let sign = if round % 2 == 0 { 1.0 } else { -1.0 };
                let said: Vec<f64> =
                    (0..size).map(|k| if k == 0 { 1.0 } else { sign * k as f64 }).collect();
                half.absorb(0, &first, &said);
            }
            assert_eq!(half.node.damping() < 1.0, half.node.model().warm(), "{kind}");
            assert_eq!(RelaxHalf::parts(&half.memory()).unwrap(), half.node.model().parts());
        }
    }

    #[test]
    fn garbage_is_not_heard_and_not_remembered() {
        let mut half = half("tree", Task::Classification(3), 1);
        let mut message = vec![0.0; half.params().len()];
        half.compute(&mut message);
        let mut bad = message.clone();
        bad[2] = -7.0;
        half.absorb(0, &message, &bad);
        assert!(half.node.damped(0).labels().is_empty());
        half.absorb(0, &message, &message.clone());
        assert!(!half.node.damped(0).labels().is_empty());
        let memory = half.memory();
        for cut in 0..memory.len() {
            assert!(!half.remember(&memory[..cut]), "{cut}");
        }
        for k in 0..memory.len() {
            let mut odd = memory.clone();
            odd[k] = -1e300;
            let _ = half.remember(&odd);
            half.compute(&mut message);
            assert!(message.iter().all(|v| v.is_finite()));
        }
    }
}
