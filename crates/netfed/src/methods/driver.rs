//! The halves of all nodes in one process, round by round, also with nodes that come and go.
//!
//! In a round every node that is there computes; every edge with both its ends there is stepped.
//! Where some are away, an edge has its own memory of the models at its last exchange
//! (docs/methods.md, exchanges at different times).

use super::half::Half;
use crate::numeric::parallel::for_items;
use crate::numeric::threads::*;
use crate::{Graph, Matrix, Start};

/// All nodes of a graph.
pub(crate) struct Driver<'g, H> {
    graph: &'g Graph,
    halves: Vec<H>,
    /// What the nodes said last.
    messages: Matrix,
    /// Per edge the models of tail and head at its last exchange, if there may be nodes that are
    /// away.
    met: Option<[Matrix; 2]>,
    /// The work of a node in entries.
    cost: usize,
}

impl<'g, H: Half> Driver<'g, H> {
    /// The halves of nodes that are there in every round.
    pub(crate) fn new(graph: &'g Graph, halves: Vec<H>, dim: usize) -> Self {
        let messages = Matrix::zeros(halves.len(), dim);
        Driver { graph, messages, halves, met: None, cost: usize::MAX }
    }

    /// The same, where nodes may be away.
    pub(crate) fn with_absences(self) -> Self {
        let (edges, dim) = (self.graph.edges().len(), self.messages.cols());
        let met = Some([Matrix::zeros(edges, dim), Matrix::zeros(edges, dim)]);
        let mut driver = Driver { met, ..self };
        driver.meet(|_| true);
        driver
    }

    /// The same, where a round of a node costs so many entries: one thread does little work.
    pub(crate) fn costing(self, cost: usize) -> Self {
        Driver { cost, ..self }
    }

    pub(crate) fn halves_mut(&mut self) -> &mut [H] {
        &mut self.halves
    }

    /// Remembers the models of the edges in question.
    fn meet(&mut self, edge: impl Fn(usize) -> bool) {
        let Some([tails, heads]) = &mut self.met else { return };
        for (k, e) in self.graph.edges().iter().enumerate().filter(|(k, _)| edge(*k)) {
            tails.row_mut(k).copy_from_slice(self.halves[e.tail].params());
            heads.row_mut(k).copy_from_slice(self.halves[e.head].params());
        }
    }

    /// A round in which everyone takes part.
    pub(crate) fn round(&mut self) {
        let dim = self.messages.cols();
        let (graph, messages) = (self.graph, &mut self.messages);
        let mut both: Vec<_> =
            self.halves.iter_mut().zip(messages.as_mut_slice().chunks_mut(dim)).collect();
        for_items(&mut both, self.cost, |_, (half, message)| half.compute(message));
        let messages = &self.messages;
        for_items(&mut self.halves, self.cost, |i, half| {
            for (slot, inc) in graph.incident(i).iter().enumerate() {
                half.absorb(slot, messages.row(i), messages.row(inc.neighbor()));
            }
        });
        self.meet(|_| true);
    }

    /// The models.
    pub(crate) fn params(&self) -> Matrix {
        let mut params = Matrix::zeros(self.halves.len(), self.messages.cols());
        let rows = self.halves.iter().enumerate();
        rows.for_each(|(i, half)| params.row_mut(i).copy_from_slice(half.params()));
        params
    }

    /// A round of the nodes that are there.
    pub(crate) fn round_of(&mut self, there: &[bool]) {
        let Some(met) = self.met.take() else { return self.round() };
        let (graph, dim) = (self.graph, self.messages.cols());
        let own = |inc: &crate::Incidence| &met[usize::from(inc.sign() < 0.0)];
        let theirs = |inc: &crate::Incidence| &met[usize::from(inc.sign() > 0.0)];
        let said = self.messages.as_mut_slice().par_chunks_mut(dim);
        let nodes = self.halves.par_iter_mut().zip(said).enumerate();
        nodes.filter(|(i, _)| there[*i]).for_each(|(i, (half, message))| {
            let (mut start, slots) = (half.params().to_vec(), graph.incident(i));
            for inc in slots {
                let last = own(inc).row(inc.edge()).iter().zip(half.params());
                for (s, (a, w)) in start.iter_mut().zip(last) {
                    *s += (a - w) / slots.len() as f64;
                }
            }
            half.compute_from(Some(&start), message);
            message.copy_from_slice(half.params());
        });
        let models = &self.messages;
        let nodes = self.halves.par_iter_mut().enumerate();
        nodes.filter(|(i, _)| there[*i]).for_each(|(i, half)| {
            let (mut of_us, mut of_them) = (vec![0.0; dim], vec![0.0; dim]);
            for (slot, inc) in graph.incident(i).iter().enumerate() {
                let (edge, other) = (inc.edge(), inc.neighbor());
                if there[other] {
                    half.message(own(inc).row(edge), models.row(i), &mut of_us);
                    half.message(theirs(inc).row(edge), models.row(other), &mut of_them);
                    half.absorb(slot, &of_us, &of_them);
                }
            }
        });
        self.met = Some(met);
        let edges = self.graph.edges();
        self.meet(|k| there[edges[k].tail] && there[edges[k].head]);
    }

    /// The answers, and the duals of the edges.
    pub(crate) fn point(&self) -> Start {
        let dim = self.messages.cols();
        let mut params = Matrix::zeros(self.halves.len(), dim);
        let mut duals = Matrix::zeros(self.graph.edges().len(), dim);
        for (i, half) in self.halves.iter().enumerate() {
            params.row_mut(i).copy_from_slice(half.answer());
            for (slot, inc) in self.graph.incident(i).iter().enumerate() {
                if inc.sign() > 0.0 {
                    duals.row_mut(inc.edge()).copy_from_slice(half.dual(slot));
                }
            }
        }
        Start { params, duals }
    }

    /// Goes to a point.
    pub(crate) fn set(&mut self, point: &Start) {
        for (i, half) in self.halves.iter_mut().enumerate() {
            let slots = self.graph.incident(i).iter();
            let duals: Vec<f64> =
                slots.flat_map(|inc| point.duals.row(inc.edge()).iter().copied()).collect();
            half.begin(point.params.row(i), &duals);
        }
        self.meet(|_| true);
    }
}
