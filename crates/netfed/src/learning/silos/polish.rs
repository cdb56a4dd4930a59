//! Newton's method for (8) when it is known which silos have the graph of the consensus:
//!
//!   minimize over c, w ≥ 0   Σ over tied i gᵢ(c) + λ Σ c + Σ over the others [gᵢ(wᵢ) + ρ‖wᵢ − c‖]
//!
//! is smooth where no wᵢ is c. Weights at zero that want to stay there are left out of a step
//! (projected Newton); its system is solved by conjugate gradients. A guess about who is tied may
//! be wrong: only the gap (`mod.rs`) decides.

use super::Silos;
use crate::Matrix;
use crate::learning::{LogDegree, Model};
use crate::numeric::linalg::{axpy, dot, norm};

/// A silo this near to the consensus, relative to its size, is taken to be tied to it.
pub(super) const NEAR: f64 = 1e-6;
const NEWTON_STEPS: usize = 30;
const CG_STEPS: usize = 400;

/// One graph among the unknowns: the consensus with the losses of the tied silos, or a silo of its
/// own.
struct Block<'a> {
    losses: Vec<&'a LogDegree>,
    weights: Vec<f64>,
    gradient: Vec<f64>,
    /// Σ α/(Sw + ζ)², per vertex.
    bend: Vec<f64>,
    /// Σ 4β
    square: f64,
    /// (w − c)/‖w − c‖ and ρ/‖w − c‖; of the consensus empty and zero.
    unit: Vec<f64>,
    pull: f64,
    diagonal: Vec<f64>,
    free: Vec<bool>,
}

/// Improves graphs of which those of tied silos are the consensus, until a step would move no
/// weight by more than the tolerance, relative to the largest. It ends early where another silo
/// comes to the consensus, or rounding ends it.
pub(super) fn polish(
    silos: &Silos,
    tied: &[bool],
    tolerance: f64,
    locals: &mut Matrix,
    consensus: &mut [f64],
) {
    let all = || silos.silos().iter().zip(tied);
    let losses = all().filter(|(_, tied)| **tied).map(|(s, _)| s).collect();
    let mut blocks = vec![Block::new(losses, consensus)];
    for (i, (silo, tied)) in all().enumerate() {
        if !tied {
            blocks.push(Block::new(vec![silo], locals.row(i)));
        }
    }
    Polish { silos, blocks: &mut blocks }.run(tolerance);
    let mut found = blocks.iter();
    if let Some(center) = found.next() {
        consensus.copy_from_slice(&center.weights);
    }
    for (i, tied) in tied.iter().enumerate() {
        let own = if *tied { None } else { found.next() };
        locals.row_mut(i).copy_from_slice(own.map_or(&*consensus, |b| &b.weights));
    }
}

struct Polish<'a, 'b> {
    silos: &'a Silos,
    blocks: &'b mut [Block<'a>],
}

impl Polish<'_, '_> {
    fn run(&mut self, tolerance: f64) {
        for _ in 0..NEWTON_STEPS {
            let left = self.linearize();
            let center = norm(&self.blocks[0].weights);
            let rho = self.silos.rho();
            let near = |b: &Block<'_>| b.pull * NEAR * center >= rho;
            if left.is_nan() || left <= tolerance || self.blocks.iter().any(near) {
                return;
            }
            // Far from the end a rough direction will do.
            let direction = self.direction(left.clamp(1e-8, 1e-2));
            if !self.advance(&direction) {
                return;
            }
        }
    }

    fn value(&self, points: &[&[f64]]) -> f64 {
        let (rho, lambda) = (self.silos.rho(), self.silos.lambda());
        let mut value = lambda * points[0].iter().sum::<f64>();
        for (block, w) in self.blocks.iter().zip(points) {
            value += block.losses.iter().map(|g| g.objective(w)).sum::<f64>();
            if !block.unit.is_empty() {
                value += rho * crate::numeric::linalg::distance(w, points[0]);
            }
        }
        value
    }

    /// Gradient, curvature and free weights of all blocks; gives how far the weights are from
    /// standing still, relative to the largest one.
    fn linearize(&mut self) -> f64 {
        let (rho, lambda) = (self.silos.rho(), self.silos.lambda());
        let Some((center, others)) = self.blocks.split_first_mut() else { return 0.0 };
        center.own_terms();
        center.gradient.iter_mut().for_each(|g| *g += lambda);
        for block in others.iter_mut() {
            block.own_terms();
            block.unit.clear();
            block.unit.extend(block.weights.iter().zip(&center.weights).map(|(w, c)| w - c));
            let apart = norm(&block.unit);
            block.unit.iter_mut().for_each(|u| *u /= apart);
            block.pull = rho / apart;
            axpy(rho, &block.unit, &mut block.gradient);
            axpy(-rho, &block.unit, &mut center.gradient);
            for e in 0..block.unit.len() {
                let curve = block.pull * (1.0 - block.unit[e] * block.unit[e]);
                block.diagonal[e] += curve;
                center.diagonal[e] += curve;
            }
        }
        let (mut left, mut largest) = (0.0f64, f64::MIN_POSITIVE);
        for block in self.blocks.iter_mut() {
            for e in 0..block.weights.len() {
                let (w, g) = (block.weights[e], block.gradient[e]);
                block.free[e] = w > 0.0 || g < 0.0;
                let moved = (w - g / block.diagonal[e].max(1e-300)).max(0.0) - w;
                // NaN must not get lost.
                left = if moved.is_nan() { f64::NAN } else { left.max(moved.abs()) };
                largest = largest.max(w);
            }
            if left.is_nan() {
                return left;
            }
        }
        left / largest
    }

    /// out ← Hessian·p over the free weights, block after block.
    fn times(&self, p: &[f64], out: &mut [f64], sums: &mut [f64]) {
        let pairs = self.silos.candidates().len();
        for ((block, p), out) in self.blocks.iter().zip(p.chunks(pairs)).zip(out.chunks_mut(pairs))
        {
            block.own_times(self.silos, p, out, sums);
        }
        let (center, others) = out.split_at_mut(pairs);
        let (p_center, p) = p.split_at(pairs);
        let all = self.blocks[1..].iter().zip(p.chunks(pairs)).zip(others.chunks_mut(pairs));
        for ((block, p), out) in all {
            let along = dot(&block.unit, p) - dot(&block.unit, p_center);
            let terms = block.unit.iter().zip(p).zip(p_center);
            for (((u, p), c), (o, o_center)) in terms.zip(out.iter_mut().zip(center.iter_mut())) {
                let flow = block.pull * (p - c - along * u);
                *o += flow;
                *o_center -= flow;
            }
        }
        for (block, out) in self.blocks.iter().zip(out.chunks_mut(pairs)) {
            out.iter_mut().zip(&block.free).filter(|(_, free)| !**free).for_each(|(o, _)| *o = 0.0);
        }
    }

    /// −Hessian⁻¹·gradient over the free weights, block after block, to a relative residual.
    fn direction(&self, relative: f64) -> Vec<f64> {
        let masked = |b: &Block<'_>| -> Vec<f64> {
            b.gradient.iter().zip(&b.free).map(|(g, f)| if *f { -g } else { 0.0 }).collect()
        };
        let inverse: Vec<f64> = self
            .blocks
            .iter()
            .flat_map(|b| b.diagonal.iter().map(|d| 1.0 / d.max(1e-300)))
            .collect();
        let weighted = |residual: &[f64]| -> f64 {
            residual.iter().zip(&inverse).fold(0.0, |sum, (r, i)| sum + r * r * i)
        };
        let mut residual: Vec<f64> = self.blocks.iter().flat_map(masked).collect();
        let mut solved = vec![0.0; residual.len()];
        let mut product = solved.clone();
        let mut p: Vec<f64> = residual.iter().zip(&inverse).map(|(r, i)| r * i).collect();
        let mut rz = weighted(&residual);
        let target = relative * relative * rz;
        let mut sums = vec![0.0; self.silos.candidates().vertices()];
        for _ in 0..CG_STEPS {
            self.times(&p, &mut product, &mut sums);
            let curvature = dot(&p, &product);
            if curvature.is_nan() || curvature <= 0.0 {
                break;
            }
            let length = rz / curvature;
            axpy(length, &p, &mut solved);
            axpy(-length, &product, &mut residual);
            let next = weighted(&residual);
            if next <= target {
                break;
            }
            let keep = next / rz;
            rz = next;
            for ((p, r), i) in p.iter_mut().zip(&residual).zip(&inverse) {
                *p = r * i + keep * *p;
            }
        }
        solved
    }

    /// Goes along the direction as far as the value falls. False when it does not.
    fn advance(&mut self, direction: &[f64]) -> bool {
        let now: Vec<&[f64]> = self.blocks.iter().map(|b| &b.weights[..]).collect();
        let value = self.value(&now);
        let size: f64 = value.abs() + self.silos.candidates().vertices() as f64;
        let mut length = 1.0;
        while length > 1e-8 {
            let trial: Vec<Vec<f64>> = (now.iter().zip(direction.chunks(now[0].len())))
                .map(|(w, p)| w.iter().zip(p).map(|(w, p)| (w + length * p).max(0.0)).collect())
                .collect();
            let points: Vec<&[f64]> = trial.iter().map(Vec::as_slice).collect();
            if self.value(&points) <= value + 1e-13 * size {
                for (block, trial) in self.blocks.iter_mut().zip(trial) {
                    block.weights = trial;
                }
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

impl<'a> Block<'a> {
    fn new(losses: Vec<&'a LogDegree>, weights: &[f64]) -> Block<'a> {
        let pairs = weights.len();
        Block {
            losses,
            weights: weights.to_vec(),
            gradient: vec![0.0; pairs],
            bend: Vec::new(),
            square: 0.0,
            unit: Vec::new(),
            pull: 0.0,
            diagonal: vec![0.0; pairs],
            free: vec![true; pairs],
        }
    }

    /// Gradient and curvature of the own losses.
    fn own_terms(&mut self) {
        self.gradient.fill(0.0);
        self.diagonal.fill(0.0);
        let Some(first) = self.losses.first() else { return };
        let candidates = first.candidates();
        let mut degrees = vec![0.0; candidates.vertices()];
        candidates.degrees(&self.weights, &mut degrees);
        self.bend.clear();
        self.bend.resize(degrees.len(), 0.0);
        self.square = 0.0;
        let mut own = vec![0.0; self.weights.len()];
        for loss in &self.losses {
            let Model { alpha, beta, zeta } = loss.model();
            loss.gradient(&self.weights, &mut own);
            axpy(1.0, &own, &mut self.gradient);
            self.square += 4.0 * beta;
            for (b, t) in self.bend.iter_mut().zip(&degrees) {
                *b += alpha / ((t + zeta) * (t + zeta));
            }
        }
        for ((a, b), d) in candidates.pairs().zip(&mut self.diagonal) {
            *d = self.square + self.bend[a] + self.bend[b];
        }
    }

    /// out ← Hessian of the own losses times p.
    fn own_times(&self, silos: &Silos, p: &[f64], out: &mut [f64], sums: &mut [f64]) {
        if self.losses.is_empty() {
            out.fill(0.0);
            return;
        }
        silos.candidates().degrees(p, sums);
        sums.iter_mut().zip(&self.bend).for_each(|(s, b)| *s *= b);
        for (((a, b), p), o) in silos.candidates().pairs().zip(p).zip(out) {
            *o = self.square * p + sums[a] + sums[b];
        }
    }
}
