//! The steps of many edges in a row: u⁺ = prox_{σ(cφ)*}(u + σ(message_tail − message_head)), u ← u
//! + ρ(u⁺ − u).
//!
//! Every penalty runs through them in a loop of its own, with the number of parameters known to the
//! compiler where it is small.

use super::layout::EdgeRecord;
use crate::numeric::dimension::with_dimension;
use crate::numeric::linalg::{axpy, square_distance};
use crate::numeric::simd::{Loop, vectorize};
use crate::penalty::{EdgeLoop, Penalty, specialized};

/// A run of edges to be stepped.
pub(crate) struct EdgeSteps<'a> {
    pub(crate) dim: usize,
    pub(crate) lambda: f64,
    /// 1/(2γ)
    pub(crate) half_inverse: f64,
    pub(crate) relaxation: f64,
    /// Whether the length of the step is asked for.
    pub(crate) measured: bool,
    pub(crate) records: &'a [EdgeRecord],
    pub(crate) duals: &'a mut [f64],
    pub(crate) messages: &'a [f64],
    /// Σ sign·u of the nodes, which the new duals are added to; empty where sums are gathered.
    pub(crate) sums: &'a mut [f64],
    /// The place of the first message.
    pub(crate) begin: usize,
    pub(crate) scratch: &'a mut [f64],
}

impl EdgeSteps<'_> {
    /// Steps all edges. Gives Σ (2/κ)‖u⁺ − u‖², if measured.
    pub(crate) fn step(&mut self, penalty: &dyn Penalty) -> f64 {
        specialized(penalty, self)
    }

    #[inline(always)]
    fn run_here(&mut self, prox: impl Fn(&mut [f64], f64, f64)) -> f64 {
        with_dimension!(self.dim, DIM => self.run_dim::<DIM>(prox), else self.run_any(prox))
    }

    #[inline(always)]
    fn run_dim<const DIM: usize>(&mut self, prox: impl Fn(&mut [f64], f64, f64)) -> f64 {
        // Copies, since a processor cannot know that the duals do not change them.
        let EdgeSteps {
            lambda, half_inverse, relaxation, measured, records, messages, begin, ..
        } = *self;
        let messages = messages.as_chunks::<DIM>().0;
        let sums = self.sums.as_chunks_mut::<DIM>().0;
        let mut moved = 0.0;
        for (u, r) in self.duals.as_chunks_mut::<DIM>().0.iter_mut().zip(records) {
            let places = [r.tail as usize - begin, r.head as usize - begin];
            let [tail, head] = places.map(|p| messages[p]);
            let step = half_inverse * f64::from(r.kappa);
            let old = *u;
            let mut new = old;
            for j in 0..DIM {
                new[j] += step * (tail[j] - head[j]);
            }
            prox(&mut new, lambda * r.weight, step);
            if measured {
                let squares = (0..DIM).fold(0.0, |s, j| s + (new[j] - old[j]) * (new[j] - old[j]));
                moved += f64::from(r.metric) * squares;
            }
            *u = if relaxation == 1.0 {
                new
            } else {
                std::array::from_fn(|j| old[j] + relaxation * (new[j] - old[j]))
            };
            if !sums.is_empty() {
                (0..DIM).for_each(|j| sums[places[0]][j] += u[j]);
                (0..DIM).for_each(|j| sums[places[1]][j] -= u[j]);
            }
        }
        moved
    }

    #[inline(always)]
    fn run_any(&mut self, prox: impl Fn(&mut [f64], f64, f64)) -> f64 {
        let dim = self.dim;
        let mut moved = 0.0;
        for (u, r) in self.duals.chunks_exact_mut(dim).zip(self.records) {
            let rows = [r.tail, r.head].map(|p| (p as usize - self.begin) * dim);
            let [tail, head] = rows.map(|at| &self.messages[at..at + dim]);
            let step = self.half_inverse * f64::from(r.kappa);
            let new = &mut self.scratch[..dim];
            new.copy_from_slice(u);
            for ((n, t), h) in new.iter_mut().zip(tail).zip(head) {
                *n += step * (t - h);
            }
            prox(new, self.lambda * r.weight, step);
            if self.measured {
                moved += f64::from(r.metric) * square_distance(new, u);
            }
            if self.relaxation == 1.0 {
                u.copy_from_slice(new);
            } else {
                u.iter_mut().zip(new).for_each(|(u, n)| *u += self.relaxation * (*n - *u));
            }
            if !self.sums.is_empty() {
                axpy(1.0, u, &mut self.sums[rows[0]..rows[0] + dim]);
                axpy(-1.0, u, &mut self.sums[rows[1]..rows[1] + dim]);
            }
        }
        moved
    }
}

impl EdgeLoop for &mut EdgeSteps<'_> {
    type Output = f64;

    fn call<P: Penalty + ?Sized>(self, penalty: &P) -> f64 {
        let prox = |u: &mut [f64], coupling, step| penalty.prox_conjugate(u, coupling, step);
        vectorize(Run { edges: self, prox })
    }
}

/// The loop over a run of edges.
struct Run<'r, 'a, P> {
    edges: &'r mut EdgeSteps<'a>,
    prox: P,
}

impl<P: Fn(&mut [f64], f64, f64)> Loop for Run<'_, '_, P> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        self.edges.run_here(self.prox)
    }
}
