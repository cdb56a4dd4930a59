//! Newton's method for a smoothed problem, in units of the features, with smoothing that goes to
//! zero: every kink |v| is √(v² + μ²).
//!
//! A dense system of all parameters for each step: for small problems on which sweeps are slow, as
//! those with kinks in the losses or features of unlike scale are. The slopes of the smoothed
//! penalty are duals in the domain of the conjugate; which models are equal is read off them.

use crate::loss::Growth;
use crate::numeric::linalg::{axpy, dense, difference, dot};
use crate::outcome::Certificate;
use crate::run::Run;
use crate::solve::cost::sweep_cost;
use crate::solve::fusion::Fusion;
use crate::{Matrix, Problem, Start};

/// Parameters of all nodes up to which the systems are cheap.
const MOST_UNKNOWNS: usize = 240;
/// How much smaller the smoothing of a stage is than that of the one before, and the last one,
/// relative to the size of the labels.
const NEXT: f64 = 0.3;
const LAST: f64 = 1e-13;
/// The smoothing from which on a certificate may be worth its cost, and stages between two.
const WORTH_A_LOOK: f64 = 1e-5;
const STAGES: usize = 3;
/// The most steps of a stage, and where it ends: what a step promises, relative to the objective.
const STEPS: usize = 60;
const PROMISE: f64 = 1e-3;
/// The part of the objective at zero that is as good as zero: below it models without a minimum
/// would only grow.
const NOTHING: f64 = 1e-17;
/// The least damping of a system, relative to its diagonal, and the most.
const DAMPING: f64 = 1e-14;
const MOST_DAMPING: f64 = 1e8;
/// The shortest part of a step that is tried.
const SHORTEST: f64 = 1e-8;

/// Whether the method is for a problem.
pub(crate) fn is_small(problem: &Problem) -> bool {
    problem.nodes() * problem.dim() <= MOST_UNKNOWNS
}

/// The best point on the way.
pub(crate) struct End {
    pub(crate) point: Start,
    pub(crate) proof: Certificate,
    /// Whether the smoothing has gone down to its end, and the last steps promised less than the
    /// tolerance: there is no more to be had.
    pub(crate) is_final: bool,
}

/// The best point on the way; none where the problem is large, or its losses have no smooth form.
pub(crate) fn solve(run: &mut Run<'_>) -> Option<End> {
    run.smoothed = true;
    let problem = run.problem;
    if !is_small(problem) || !run.goes_on() {
        return None;
    }
    let smooth = Smooth::new(problem)?;
    let unknowns = problem.nodes() * problem.dim();
    let work = (unknowns as f64).powi(3) / 3.0 / sweep_cost(problem);
    let mut best: Option<End> = None;
    let (mut part, mut stage, mut left) = (1.0, 0, f64::INFINITY);
    let mut here = smooth.at(vec![0.0; unknowns], part)?;
    let at_zero = here.value;
    while part > LAST {
        (part, stage) = (part * NEXT, stage + 1);
        here = smooth.at(here.unknowns, part)?;
        for _ in 0..STEPS {
            if !run.spend(work) {
                break;
            }
            let (next, promised) = smooth.step(&here, part);
            left = promised;
            let Some(next) = next else { break };
            here = next;
            if promised <= PROMISE * part * here.value || here.value <= NOTHING * at_zero {
                break;
            }
        }
        let last = part <= LAST || !run.goes_on();
        if last || part <= WORTH_A_LOOK && stage % STAGES == 0 {
            let mut point = smooth.point(&here, part);
            Fusion::read(problem, &point.duals).equalize(problem, &mut point.params);
            let proof = run.certify(&point);
            let met = run.meets(&proof) && proof.gap.is_finite();
            if best.as_ref().is_none_or(|b| met || proof.objective < b.proof.objective) {
                best = Some(End { point, proof, is_final: false });
            }
            if met || last {
                let settled = run.goes_on() && left <= run.options.tolerance * here.value;
                best.iter_mut().for_each(|end| end.is_final = settled);
                break;
            }
        }
    }
    best
}

/// The smoothed problem.
struct Smooth<'a> {
    problem: &'a Problem,
    /// Units of the features: parameters are these times the unknowns.
    units: Vec<f64>,
    /// Size of the labels.
    size: f64,
}

/// The smoothed problem at a point, in the unknowns.
struct Terms {
    unknowns: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl<'a> Smooth<'a> {
    fn new(problem: &'a Problem) -> Option<Smooth<'a>> {
        let d = problem.dim();
        let mut gram = vec![0.0; d * d];
        (0..problem.nodes()).for_each(|i| problem.loss(i).add_gram(&mut gram));
        let holders = (0..problem.nodes()).filter(|&i| problem.loss(i).points() > 0).count();
        let mean = |j: usize| gram[j * d + j] / holders as f64;
        let unit = |square: f64| if square > 0.0 { 1.0 / square.sqrt() } else { 1.0 };
        let units: Vec<f64> = (0..d).map(|j| unit(mean(j))).collect();
        let at_zero = problem.objective(&Matrix::zeros(problem.nodes(), d)) / holders as f64;
        let quadratic = (0..problem.nodes()).any(|i| problem.loss(i).growth() == Growth::Quadratic);
        let size = if quadratic { at_zero.sqrt() } else { at_zero };
        let sound = size > 0.0 && size.is_finite() && units.iter().all(|u| u.is_normal());
        sound.then_some(Smooth { problem, units, size })
    }

    fn params(&self, unknowns: &[f64]) -> Vec<f64> {
        let d = self.units.len();
        unknowns.iter().enumerate().map(|(k, v)| v * self.units[k % d]).collect()
    }

    /// The smoothing of predictions, and that of the parameters.
    fn smoothing(&self, part: f64) -> (f64, Vec<f64>) {
        let mu = part * self.size;
        (mu, self.units.iter().map(|u| mu * u).collect())
    }

    /// Value, gradient and Hessian; none where they are not finite.
    fn at(&self, unknowns: Vec<f64>, part: f64) -> Option<Terms> {
        let (problem, d) = (self.problem, self.units.len());
        let (all, params) = (unknowns.len(), self.params(&unknowns));
        let (mu, mus) = self.smoothing(part);
        let (mut value, mut gradient, mut hessian) = (0.0, vec![0.0; all], vec![0.0; all * all]);
        let mut block = vec![0.0; d * d];
        let mut add = |(row, column): (usize, usize), scale: f64, block: &[f64]| {
            for j in 0..d {
                axpy(
                    scale,
                    &block[j * d..][..d],
                    &mut hessian[(row * d + j) * all + column * d..][..d],
                );
            }
        };
        for i in 0..problem.nodes() {
            block.fill(0.0);
            let own = i * d..(i + 1) * d;
            let slope = &mut gradient[own.clone()];
            value += problem.loss(i).smoothed(&params[own], mu, &mus, slope, &mut block)?;
            add((i, i), 1.0, &block);
        }
        let (mut diff, mut slope) = (vec![0.0; d], vec![0.0; d]);
        for (k, e) in problem.graph().edges().iter().enumerate() {
            let (coupling, [tail, head]) = (problem.coupling(k), [e.tail, e.head]);
            difference(&params[tail * d..][..d], &params[head * d..][..d], &mut diff);
            block.fill(0.0);
            value += coupling * problem.penalty().smoothed(&diff, &mus, &mut slope, &mut block);
            for (node, sign) in [(tail, 1.0), (head, -1.0)] {
                axpy(sign * coupling, &slope, &mut gradient[node * d..][..d]);
                add((node, node), coupling, &block);
            }
            add((tail, head), -coupling, &block);
            add((head, tail), -coupling, &block);
        }
        for (k, row) in hessian.chunks_exact_mut(all).enumerate() {
            gradient[k] *= self.units[k % d];
            let scales = self.units.iter().cycle();
            row.iter_mut().zip(scales).for_each(|(h, u)| *h *= u * self.units[k % d]);
        }
        let sound = f64::is_finite(value) && gradient.iter().chain(&hessian).all(|v| v.is_finite());
        sound.then_some(Terms { unknowns, value, gradient, hessian })
    }

    /// A Newton step that leads downhill, if there is one, and what the first that was tried
    /// promised.
    fn step(&self, here: &Terms, part: f64) -> (Option<Terms>, f64) {
        let all = here.unknowns.len();
        let largest = (0..all).fold(0.0, |m: f64, k| m.max(here.hessian[k * all + k]));
        let (mut damping, mut first) = (DAMPING, None);
        while damping <= MOST_DAMPING {
            let mut factor = here.hessian.clone();
            for k in 0..all {
                factor[k * all + k] += damping * (factor[k * all + k] + 1e-3 * largest);
            }
            let mut step: Vec<f64> = here.gradient.iter().map(|g| -g).collect();
            let sound = dense::factor(&mut factor, all);
            if sound {
                dense::solve(&factor, all, &mut step);
                let promised = -dot(&step, &here.gradient);
                let most = *first.get_or_insert(promised);
                if promised <= 1e-16 * here.value {
                    return (None, most);
                }
                let mut length = 1.0;
                while promised.is_finite() && length > SHORTEST {
                    let moved = here.unknowns.iter().zip(&step).map(|(v, s)| v + length * s);
                    let next = self.at(moved.collect(), part);
                    if let Some(next) = next
                        && next.value <= here.value - 1e-4 * length * promised
                    {
                        return (Some(next), most);
                    }
                    length *= 0.5;
                }
            }
            damping *= 1e2;
        }
        (None, first.unwrap_or(f64::INFINITY))
    }

    /// The models, and duals c∇φ of the smoothed penalty.
    fn point(&self, here: &Terms, part: f64) -> Start {
        let (problem, d) = (self.problem, self.units.len());
        let params = self.params(&here.unknowns);
        let mus = self.smoothing(part).1;
        let mut duals = Matrix::zeros(problem.graph().edges().len(), d);
        let (mut diff, mut unused) = (vec![0.0; d], vec![0.0; d * d]);
        for (k, e) in problem.graph().edges().iter().enumerate() {
            difference(&params[e.tail * d..][..d], &params[e.head * d..][..d], &mut diff);
            problem.penalty().smoothed(&diff, &mus, duals.row_mut(k), &mut unused);
            duals.row_mut(k).iter_mut().for_each(|u| *u *= problem.coupling(k));
        }
        let mut models = Matrix::zeros(problem.nodes(), d);
        models.as_mut_slice().copy_from_slice(&params);
        Start { params: models, duals }
    }
}
