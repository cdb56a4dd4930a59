//! An interior-point method for graphs without cycles: chains, stars, trees.
//!
//!   ∇L(w) + Dᵀu = 0,    D_k w = t_k u_k,    t_k (c² − ‖u_k‖²) = τ,    t_k > 0,  ‖u_k‖ < c,    τ → 0
//!
//! One cone k per edge for `l2`, one per edge and parameter for `l1`. Newton's method with
//! Mehrotra's predictor and corrector; what is left when u and t are eliminated has one block per
//! node and one per edge (`newton/elimination.rs`):
//!
//!   (∇²L + Dᵀ M⁻¹ D) δw = …,    M_k⁻¹ = (I − 2 u uᵀ/(s + 2‖u‖²))/t,    s = c² − ‖u_k‖²
//!
//! A step costs O(n d³), and a dozen do, whatever the length of the chain.

use super::newton::elimination::Elimination;
use crate::numeric::linalg::{difference, dot};
use crate::penalty::Norm;
use crate::solve::cost::sweep_cost;
use crate::{Matrix, Problem, Start};

/// Part of the way to the boundary.
const WAY: f64 = 0.99;
/// The least product t·s, as a part of their mean.
const CENTRAL: f64 = 1e-3;
/// A step that is shorter is replaced by one toward the center, which makes all products more
/// equal.
const SHORT: f64 = 0.1;
const CENTERING: f64 = 0.8;
/// No step is shorter.
const TINY: f64 = 1e-3;
/// Short steps in a row, and steps in all, after which the method is given up.
const MOST_STALLED: u32 = 10;
const MOST_STEPS: u32 = 100;
/// Sweeps that a whole run may cost, and its steps, about.
const MOST_SWEEPS: f64 = 150.0;
const STEPS: f64 = 15.0;
/// Edges from a leaf to the middle of a tree from which on sweeps are slow.
const DEEP: usize = 5;

/// The state of the method.
pub(crate) struct Interior<'a> {
    problem: &'a Problem,
    /// Entries of a cone.
    width: usize,
    /// w
    pub(crate) params: Matrix,
    /// u
    duals: Matrix,
    /// c of every cone.
    couplings: Vec<f64>,
    /// t of every cone.
    times: Vec<f64>,
    /// s of every cone.
    slacks: Vec<f64>,
    /// ∇²L of losses that are quadratic.
    curvatures: Option<Vec<f64>>,
    system: Elimination,
    /// Cost of a step, in sweeps.
    pub(crate) sweeps: f64,
    steps: u32,
    /// Short steps in a row.
    stalled: u32,
}

/// A direction: δu and δt.
struct Direction {
    duals: Vec<f64>,
    times: Vec<f64>,
}

impl<'a> Interior<'a> {
    /// None where the method does not suit the problem: cycles, other penalties, many parameters,
    /// or a graph that a few sweeps cross.
    pub(crate) fn new(problem: &'a Problem) -> Option<Interior<'a>> {
        let (nodes, dim) = (problem.nodes(), problem.dim());
        let edges = problem.graph().edges().len();
        let width = match problem.penalty().norm() {
            Some(Norm::Two) => dim,
            Some(Norm::One) => 1,
            _ => return None,
        };
        if edges == 0 || edges >= nodes {
            return None;
        }
        let points: f64 = (0..nodes).map(|i| problem.loss(i).points() as f64).sum();
        let square = (dim * dim) as f64;
        let work = nodes as f64 * square * (3.0 * dim as f64 + 8.0) + points * square;
        let sweeps = work / sweep_cost(problem);
        if STEPS * sweeps > MOST_SWEEPS {
            return None;
        }
        let system = Elimination::new(problem.graph(), dim).filter(|s| s.depth() >= DEEP)?;
        let params = Matrix::zeros(nodes, dim);
        let duals = Matrix::zeros(edges, dim);
        // All cones begin with equal parts of what the models 0 are from the optimum at most.
        let cones = edges * dim / width;
        let share = 2.0 * problem.objective(&params) / cones as f64;
        let share = if share > 0.0 { share } else { 1.0 };
        let couplings: Vec<f64> = (0..cones).map(|k| problem.coupling(k * width / dim)).collect();
        let slacks: Vec<f64> = couplings.iter().map(|c| c * c).collect();
        let times = slacks.iter().map(|s| share / s).collect();
        let quadratic = |i| matches!(problem.loss(i).curvature(), Some(c) if c.low == c.high);
        let curvatures = (0..nodes).all(quadratic).then(|| hessians(problem, &params));
        Some(Interior {
            problem,
            width,
            params,
            duals,
            couplings,
            times,
            slacks,
            curvatures,
            system,
            sweeps,
            steps: 0,
            stalled: 0,
        })
    }

    /// What the cones contribute to the duality gap, at most.
    pub(crate) fn gap(&self) -> f64 {
        0.5 * dot(&self.times, &self.slacks)
    }

    /// The point, with the duals of cones that seem full put on the boundary: there the models
    /// differ.
    pub(crate) fn point(&self, full: f64) -> Start {
        let mut duals = self.duals.clone();
        for (k, u) in duals.as_mut_slice().chunks_exact_mut(self.width).enumerate() {
            let c = self.couplings[k];
            if self.slacks[k] <= full * c * c {
                let scale = c / dot(u, u).sqrt();
                u.iter_mut().for_each(|u| *u *= scale);
            }
        }
        Start { params: self.params.clone(), duals }
    }

    /// One step; false where the method has come to its end: the system has no solution, or the
    /// steps get no further.
    pub(crate) fn step(&mut self) -> bool {
        // The same code, with short loops unrolled.
        match (self.problem.dim(), self.width) {
            (1, _) => self.step_of(1, 1),
            (2, 1) => self.step_of(2, 1),
            (2, _) => self.step_of(2, 2),
            (3, 3) => self.step_of(3, 3),
            (dim, 1) => self.step_of(dim, 1),
            (dim, width) => self.step_of(dim, width),
        }
    }

    #[inline(always)]
    fn step_of(&mut self, dim: usize, width: usize) -> bool {
        let Some(mut residual) = self.factor(dim, width) else {
            return false;
        };
        let (mut apart, mut products) = self.gaps(dim, width);
        let mean = products.iter().sum::<f64>() / products.len() as f64;
        let (_, affine) = self.direction(dim, width, &residual, &apart, &products);
        let length = self.longest(width, &affine).min(1.0);
        let there: f64 = self.products(width, &affine, length).sum();
        let target = mean * (there / (products.len() as f64 * mean)).clamp(0.0, 1.0).powi(3);
        let cones = self.duals.as_slice().chunks_exact(width).zip(affine.duals.chunks_exact(width));
        let times = self.times.iter().zip(&affine.times);
        for ((product, (u, du)), (t, dt)) in products.iter_mut().zip(cones).zip(times) {
            *product -= target + 2.0 * dt * inner(u, du) + t * inner(du, du);
        }
        let steps = affine.duals.chunks_exact(width).zip(&affine.times);
        for (out, (du, dt)) in apart.chunks_exact_mut(width).zip(steps) {
            out.iter_mut().zip(du).for_each(|(o, du)| *o -= dt * du);
        }
        let (mut params, mut step) = self.direction(dim, width, &residual, &apart, &products);
        let mut length = self.length(width, &step);
        if length < SHORT {
            // Near the boundary the correction misleads: back toward the center.
            (apart, products) = self.gaps(dim, width);
            products.iter_mut().for_each(|product| *product -= CENTERING * mean);
            residual.iter_mut().chain(&mut apart).for_each(|r| *r *= 1.0 - CENTERING);
            (params, step) = self.direction(dim, width, &residual, &apart, &products);
            length = self.length(width, &step);
        }
        self.stalled = if length < SHORT { self.stalled + 1 } else { 0 };
        self.steps += 1;
        let go = |x: &mut [f64], along: &[f64]| {
            x.iter_mut().zip(along).for_each(|(x, p)| *x += length * p);
        };
        go(self.params.as_mut_slice(), &params);
        go(self.duals.as_mut_slice(), &step.duals);
        go(&mut self.times, &step.times);
        let cones = self.slacks.iter_mut().zip(self.duals.as_slice().chunks_exact(width));
        for ((slack, u), c) in cones.zip(&self.couplings) {
            let length = inner(u, u).sqrt();
            *slack = (c - length) * (c + length);
        }
        let moves = length.is_finite() && self.params.as_slice().iter().all(|w| w.is_finite());
        moves && self.stalled < MOST_STALLED && self.steps < MOST_STEPS
    }

    /// What the last two equations are off by: D w − t u and t·s.
    #[inline(always)]
    fn gaps(&self, dim: usize, width: usize) -> (Vec<f64>, Vec<f64>) {
        let edges = self.problem.graph().edges();
        let mut apart = vec![0.0; edges.len() * dim];
        for (e, out) in edges.iter().zip(apart.chunks_exact_mut(dim)) {
            difference(self.params.row(e.tail), self.params.row(e.head), out);
        }
        let cones = self.duals.as_slice().chunks_exact(width).zip(&self.times);
        for (out, (u, t)) in apart.chunks_exact_mut(width).zip(cones) {
            out.iter_mut().zip(u).for_each(|(o, u)| *o -= t * u);
        }
        (apart, self.times.iter().zip(&self.slacks).map(|(t, s)| t * s).collect())
    }

    /// Factors the system; gives ∇L(w) + Dᵀu, or none where there is no factor.
    #[inline(always)]
    fn factor(&mut self, dim: usize, width: usize) -> Option<Vec<f64>> {
        let problem = self.problem;
        let edges = problem.graph().edges();
        let square = dim * dim;
        let mut residual = vec![0.0; problem.nodes() * dim];
        for (i, out) in residual.chunks_exact_mut(dim).enumerate() {
            problem.loss(i).gradient(self.params.row(i), out);
        }
        for (k, e) in edges.iter().enumerate() {
            for (j, u) in self.duals.row(k).iter().enumerate() {
                residual[e.tail * dim + j] += u;
                residual[e.head * dim + j] -= u;
            }
        }
        let mut damping = 1e-13;
        for _ in 0..4 {
            let mut couplings = std::mem::take(&mut self.system.edges);
            couplings.fill(0.0);
            for (e, block) in couplings.chunks_exact_mut(square).enumerate() {
                for part in 0..dim / width {
                    let (cone, first) = (e * (dim / width) + part, part * width);
                    let u = &self.duals.as_slice()[cone * width..(cone + 1) * width];
                    // M⁻¹ = scale·(I − along·u uᵀ)
                    let scale = 1.0 / self.times[cone];
                    let along = 2.0 / (self.slacks[cone] + 2.0 * inner(u, u));
                    for r in 0..width {
                        let row = &mut block[(first + r) * dim + first..][..width];
                        row.iter_mut().zip(u).for_each(|(b, v)| *b = -scale * along * u[r] * v);
                        row[r] += scale;
                    }
                }
            }
            match &self.curvatures {
                Some(curvatures) => self.system.nodes.copy_from_slice(curvatures),
                None => self.system.nodes = hessians(problem, &self.params),
            }
            let blocks = &mut self.system.nodes;
            for (e, block) in edges.iter().zip(couplings.chunks_exact(square)) {
                for i in [e.tail, e.head] {
                    let own = &mut blocks[i * square..(i + 1) * square];
                    own.iter_mut().zip(block).for_each(|(o, b)| *o += b);
                }
            }
            // Models that no data hold must not be free.
            let trace: f64 = (0..problem.nodes() * dim).map(|k| blocks[k * dim + k % dim]).sum();
            let shift = damping * trace / (problem.nodes() * dim) as f64;
            (0..problem.nodes() * dim).for_each(|k| blocks[k * dim + k % dim] += shift);
            self.system.edges = couplings;
            if self.system.factor() {
                return Some(residual);
            }
            damping *= 1e3;
        }
        None
    }

    /// The Newton direction δw and δu, δt for the residuals of the three equations.
    #[inline(always)]
    fn direction(
        &self,
        dim: usize,
        width: usize,
        residual: &[f64],
        apart: &[f64],
        products: &[f64],
    ) -> (Vec<f64>, Direction) {
        let edges = self.problem.graph().edges();
        let all_duals = self.duals.as_slice();
        // M⁻¹(v + u·product/s), cone by cone.
        let apply = |v: &mut [f64]| {
            let cones = v.chunks_exact_mut(width).zip(all_duals.chunks_exact(width));
            let numbers = self.times.iter().zip(&self.slacks).zip(products);
            for ((v, u), ((t, s), product)) in cones.zip(numbers) {
                let (square, along) = (inner(u, u), inner(u, v));
                // ⟨u, v + u·product/s⟩·2/(s + 2‖u‖²), less product/s
                let push = product / s;
                let part = 2.0 * (along + push * square) / (s + 2.0 * square) - push;
                let scale = 1.0 / t;
                v.iter_mut().zip(u).for_each(|(v, u)| *v = scale * (*v - part * u));
            }
        };
        let mut pull = apart.to_vec();
        apply(&mut pull);
        let mut params: Vec<f64> = residual.iter().map(|r| -r).collect();
        for (e, pull) in edges.iter().zip(pull.chunks_exact(dim)) {
            for (j, p) in pull.iter().enumerate() {
                params[e.tail * dim + j] -= p;
                params[e.head * dim + j] += p;
            }
        }
        self.system.solve(&mut params);
        let mut duals = pull;
        for (k, (e, du)) in edges.iter().zip(duals.chunks_exact_mut(dim)).enumerate() {
            for j in 0..dim {
                du[j] = apart[k * dim + j] + params[e.tail * dim + j] - params[e.head * dim + j];
            }
        }
        apply(&mut duals);
        let along = all_duals.chunks_exact(width).zip(duals.chunks_exact(width));
        let numbers = self.times.iter().zip(&self.slacks).zip(products);
        let times = along
            .map(|(u, du)| inner(u, du))
            .zip(numbers)
            .map(|(along, ((t, s), product))| (2.0 * t * along - product) / s)
            .collect();
        (params, Direction { duals, times })
    }

    /// The way to the boundary along a direction.
    #[inline(always)]
    fn longest(&self, width: usize, direction: &Direction) -> f64 {
        let mut longest = f64::INFINITY;
        let cones =
            self.duals.as_slice().chunks_exact(width).zip(direction.duals.chunks_exact(width));
        let numbers = self.times.iter().zip(&direction.times).zip(&self.slacks);
        for ((u, du), ((t, dt), s)) in cones.zip(numbers) {
            if *dt < 0.0 {
                longest = longest.min(-t / dt);
            }
            // ‖u + αδu‖ = c
            let (square, half) = (inner(du, du), inner(u, du));
            if square > 0.0 {
                let root = (half * half + square * s).sqrt();
                let way = if half > 0.0 { s / (half + root) } else { (root - half) / square };
                longest = longest.min(way);
            }
        }
        longest
    }

    /// How far to go along a direction: inside the cones, and no product t·s much smaller than the
    /// others.
    #[inline(always)]
    fn length(&self, width: usize, direction: &Direction) -> f64 {
        let mut length = (WAY * self.longest(width, direction)).min(1.0);
        while length > TINY {
            let products = self.products(width, direction, length);
            let (least, sum) = products.fold((f64::INFINITY, 0.0), |(m, s), p| (p.min(m), s + p));
            if least >= CENTRAL * sum / self.times.len() as f64 {
                break;
            }
            length *= 0.7;
        }
        length
    }

    /// t·s of all cones after a step.
    #[inline(always)]
    fn products(
        &self,
        width: usize,
        direction: &Direction,
        length: f64,
    ) -> impl Iterator<Item = f64> {
        let cones =
            self.duals.as_slice().chunks_exact(width).zip(direction.duals.chunks_exact(width));
        let numbers = self.times.iter().zip(&direction.times).zip(&self.slacks);
        cones.zip(numbers).map(move |((u, du), ((t, dt), s))| {
            let slack = s - length * (2.0 * inner(u, du) + length * inner(du, du));
            (t + length * dt) * slack
        })
    }
}

/// ∇²L at all nodes, one block after the other.
fn hessians(problem: &Problem, params: &Matrix) -> Vec<f64> {
    let square = problem.dim() * problem.dim();
    let mut blocks = vec![0.0; problem.nodes() * square];
    for (i, block) in blocks.chunks_exact_mut(square).enumerate() {
        problem.loss(i).add_hessian(params.row(i), block);
    }
    blocks
}

/// ⟨a, b⟩ of short vectors.
#[inline(always)]
fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}
