//! (4) for squared losses and ℓ1, many times over: ADMM with exact local steps in single precision,
//! for cross-validation.
//!
//!   (2Hᵢ + ρdᵢ)θᵢ⁺ = 2bᵢ + ρdᵢθᵢ − Σ ±u,    u⁺ = clamp(u + (ρ/2)(m_tail − m_head), ±λ),
//!   H = XᵀX/n, b = Xᵀy/n
//!
//! with m = 2θ⁺ − θ, then θ ← θ + r(θ⁺ − θ) and u ← u + r(u⁺ − u). For r = 1 these are (17) to (19)
//! of the paper with the exact minimizer in place of the gradient step; r = 1.7 takes fewer rounds.
//! ρ = 8/(mean degree), so that the inverses of a graph serve all λ.

use std::array::from_fn;
use std::collections::BTreeMap;

use netfed::{Dataset, Graph, Matrix};
use netfed_cli::Failure;
use netfed_cli::progress::interrupted;

use super::instance::DIM;
use super::moments::{Moments, Row};
use super::tuning::{grid, search};

/// A run ends when a round changes the models by less than this part of them: for a fold, for the
/// final fit. The errors of folds are then known to about 0.1%, which is enough to choose λ
/// (tested).
const ROUGH: f32 = 3e-3;
const FINE: f32 = 1e-5;
const ROUNDS: usize = 2000;
/// r
const RELAXATION: f32 = 1.7;

/// Models and duals.
#[derive(Clone)]
struct State {
    params: Vec<Row>,
    duals: Vec<Row>,
    /// Σ ±u of every node.
    pull: Vec<Row>,
    /// m
    messages: Vec<Row>,
}

/// ADMM for one dataset and graph.
struct Admm<'a> {
    graph: &'a Graph,
    rho: f32,
    inverses: Vec<[Row; DIM]>,
    /// 2b
    cross: Vec<Row>,
}

impl<'a> Admm<'a> {
    fn new(graph: &'a Graph, moments: &[Moments]) -> Admm<'a> {
        let degree = 2.0 * graph.edges().len() as f64 / graph.nodes() as f64;
        let rho = 8.0 / degree.max(1.0);
        let inverse = |(i, m): (usize, &Moments)| m.inverse(rho * graph.degree(i) as f64);
        Admm {
            graph,
            rho: rho as f32,
            inverses: moments.iter().enumerate().map(inverse).collect(),
            cross: moments.iter().map(|m| m.cross.map(|c| (2.0 * c / m.points) as f32)).collect(),
        }
    }

    fn start(&self) -> State {
        let zeros = |count| vec![[0.0; DIM]; count];
        let n = self.graph.nodes();
        State {
            params: zeros(n),
            duals: zeros(self.graph.edges().len()),
            pull: zeros(n),
            messages: zeros(n),
        }
    }

    /// Rounds until the models hardly change.
    fn run(&self, state: &mut State, lambda: f64, tolerance: f32) -> Result<(), Failure> {
        for _ in 0..ROUNDS {
            let (moved, size) = self.models(state);
            if moved <= tolerance * tolerance * size {
                return Ok(());
            }
            self.edges(state, lambda as f32);
            if interrupted() {
                return Err(Failure::other("interrupted; nothing was written.".into()));
            }
        }
        Ok(())
    }

    /// θ⁺ and m; gives Σ ‖θ⁺ − θ‖² and Σ ‖θ⁺‖².
    fn models(&self, state: &mut State) -> (f32, f32) {
        let (mut moved, mut size) = ([0.0f32; DIM], [0.0f32; DIM]);
        let State { params, pull, messages, .. } = state;
        for (i, (params, message)) in params.iter_mut().zip(messages).enumerate() {
            let coupling = self.rho * self.graph.degree(i) as f32;
            let right: Row = from_fn(|k| self.cross[i][k] + coupling * params[k] - pull[i][k]);
            // Two sums, so that one need not wait for the other.
            let (mut even, mut odd) = ([0.0f32; DIM], [0.0f32; DIM]);
            for (rows, right) in self.inverses[i].chunks_exact(2).zip(right.chunks_exact(2)) {
                even.iter_mut().zip(&rows[0]).for_each(|(n, r)| *n += right[0] * r);
                odd.iter_mut().zip(&rows[1]).for_each(|(n, r)| *n += right[1] * r);
            }
            for k in 0..DIM {
                let next = even[k] + odd[k];
                let step = next - params[k];
                moved[k] += step * step;
                size[k] += next * next;
                message[k] = next + step;
                params[k] += RELAXATION * step;
            }
        }
        (moved.iter().sum(), size.iter().sum())
    }

    /// u⁺ and what it pulls.
    fn edges(&self, state: &mut State, lambda: f32) {
        let State { duals, pull, messages, .. } = state;
        let half = 0.5 * self.rho;
        pull.iter_mut().for_each(|p| *p = [0.0; DIM]);
        let mut duals = duals.iter_mut();
        // What belongs to the tail stays in registers.
        for edges in self.graph.edges().chunk_by(|a, b| a.tail == b.tail) {
            let tail = edges[0].tail;
            let (message, mut sum) = (messages[tail], pull[tail]);
            for (edge, dual) in edges.iter().zip(&mut duals) {
                let (theirs, back) = (&messages[edge.head], &mut pull[edge.head]);
                for k in 0..DIM {
                    let next = clamp(dual[k] + half * (message[k] - theirs[k]), lambda);
                    dual[k] += RELAXATION * (next - dual[k]);
                    sum[k] += dual[k];
                    back[k] -= dual[k];
                }
            }
            pull[tail] = sum;
        }
    }
}

/// The nearest number in [−λ, λ], without the checks of `f32::clamp`.
fn clamp(value: f32, lambda: f32) -> f32 {
    let below = if value > lambda { lambda } else { value };
    if below < -lambda { -lambda } else { below }
}

/// The data of all nodes, whole and by folds.
pub(crate) struct SquareFolds {
    whole: Vec<Moments>,
    training: Vec<Vec<Moments>>,
    held_out: Vec<Vec<Moments>>,
    /// The error on held-out points without coupling.
    without: f64,
}

impl SquareFolds {
    /// Point r of a node is in fold r mod `folds`.
    pub(crate) fn new(data: &[Dataset], folds: usize) -> SquareFolds {
        let part = |fold| data.iter().map(|d| Moments::of(d, |r| r % folds == fold)).collect();
        let held_out: Vec<Vec<Moments>> = (0..folds).map(part).collect();
        let all = |a: &Vec<Moments>, b: &Vec<Moments>, sign: f64| -> Vec<Moments> {
            a.iter().zip(b).map(|(a, b)| a.plus(sign, b)).collect()
        };
        let (first, others) = (held_out[0].clone(), &held_out[1..]);
        let whole = others.iter().fold(first, |sum, part| all(&sum, part, 1.0));
        let training: Vec<Vec<Moments>> = held_out.iter().map(|p| all(&whole, p, -1.0)).collect();
        let alone = |(m, part): (&Moments, &Moments)| part.error(&m.minimizer());
        let pairs = training.iter().flatten().zip(held_out.iter().flatten());
        SquareFolds { without: pairs.map(alone).sum(), training, held_out, whole }
    }

    /// The best λ of the grid for a graph, and the fit of all data with it.
    pub(crate) fn tune(&self, graph: &Graph) -> Result<(f64, Matrix), Failure> {
        let (lambda, start) = self.best(graph, ROUGH)?;
        Ok((lambda, self.finish(graph, lambda, start)?))
    }

    /// The best λ of the grid, and what the first fold found for it.
    fn best(&self, graph: &Graph, tolerance: f32) -> Result<(f64, Option<State>), Failure> {
        let methods: Vec<Admm<'_>> = self.training.iter().map(|m| Admm::new(graph, m)).collect();
        let mut states: Vec<State> = methods.iter().map(Admm::start).collect();
        let points = self.whole[0].points as usize;
        let mut last = 0.0f64;
        search(&grid(graph, DIM, points), self.without, |lambda| {
            let mut total = 0.0;
            for ((method, state), held_out) in methods.iter().zip(&mut states).zip(&self.held_out) {
                // Duals fill the same part of their ball.
                let ratio = if last > 0.0 { (lambda / last) as f32 } else { 1.0 };
                let scaled = state.duals.iter_mut().chain(&mut state.pull).flatten();
                scaled.for_each(|u| *u *= ratio);
                method.run(state, lambda, tolerance)?;
                let errors =
                    state.params.iter().zip(held_out).map(|(w, m)| m.error(&w.map(f64::from)));
                total += errors.sum::<f64>();
            }
            last = lambda;
            Ok((total, states[0].clone()))
        })
    }

    /// One model for all nodes of a group, from all their points: Local, Oracle and Global.
    pub(crate) fn pooled(&self, group: impl Fn(usize) -> usize) -> Result<Matrix, Failure> {
        let mut sums: BTreeMap<usize, Moments> = BTreeMap::new();
        for (i, own) in self.whole.iter().enumerate() {
            let sum = sums.get(&group(i)).map_or_else(|| own.clone(), |s| s.plus(1.0, own));
            sums.insert(group(i), sum);
        }
        let models: BTreeMap<_, _> = sums.iter().map(|(k, m)| (*k, m.minimizer())).collect();
        let rows = (0..self.whole.len()).flat_map(|i| models[&group(i)]);
        Ok(Matrix::from_rows(DIM, rows.collect())?)
    }

    /// The fit of all data with a given λ.
    pub(crate) fn fit(&self, graph: &Graph, lambda: f64) -> Result<Matrix, Failure> {
        self.finish(graph, lambda, None)
    }

    fn finish(&self, graph: &Graph, lambda: f64, start: Option<State>) -> Result<Matrix, Failure> {
        if lambda == 0.0 {
            return self.pooled(|i| i);
        }
        let method = Admm::new(graph, &self.whole);
        let mut state = start.unwrap_or_else(|| method.start());
        method.run(&mut state, lambda, FINE)?;
        let values = state.params.iter().flatten().map(|v| f64::from(*v)).collect();
        Ok(Matrix::from_rows(DIM, values)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::instance::{Covariance, Instance};
    use super::super::methods::alone;
    use super::*;
    use crate::runs::{dot, parameter_error, run};
    use netfed::Options;
    use netfed::baselines::{Weighting, local, oracle, pooled};
    use netfed::generate::corrupted;

    #[test]
    fn it_finds_the_minimizer_of_the_auto_solver() {
        let instance = Instance::draw(Covariance::OverP, 20, 50, 1).unwrap();
        let graph = corrupted(&instance.clean, 0.1, 2).unwrap();
        let folds = SquareFolds::new(&instance.data, 5);
        let problem = alone(&instance.data).unwrap().on_graph(graph.clone()).unwrap();
        for lambda in [0.0, 0.01, 0.1, 1.0] {
            let found = folds.fit(&graph, lambda).unwrap();
            let at = problem.at_lambda(lambda).unwrap();
            let best = run(&at, &Options::default()).unwrap().params;
            let apart = parameter_error(&found, &best);
            assert!(apart < 1e-6, "{lambda}: {apart:e}");
        }
        let (lambda, params) = folds.tune(&graph).unwrap();
        assert!(lambda > 0.0);
        assert!(parameter_error(&params, &folds.fit(&graph, lambda).unwrap()) < 1e-6);
    }

    #[test]
    fn rough_solves_choose_the_best_of_all_lambdas() {
        for (k, level) in [(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.1)] {
            let (nodes, points) = (if k == 3 { 40 } else { 20 }, 50 << (k % 2));
            let instance = Instance::draw(Covariance::OverP, nodes, points, k).unwrap();
            let graph = corrupted(&instance.clean, level, k).unwrap();
            let folds = SquareFolds::new(&instance.data, 5);
            let (chosen, _) = folds.best(&graph, ROUGH).unwrap();
            assert_eq!(chosen, folds.best(&graph, 1e-6).unwrap().0);
            let methods: Vec<_> = folds.training.iter().map(|m| Admm::new(&graph, m)).collect();
            let error = |lambda: f64| -> f64 {
                let one = |(method, held_out): (&Admm<'_>, &Vec<Moments>)| -> f64 {
                    let mut state = method.start();
                    method.run(&mut state, lambda, 1e-6).unwrap();
                    let errors = state.params.iter().zip(held_out);
                    errors.map(|(w, m)| m.error(&w.map(f64::from))).sum()
                };
                methods.iter().zip(&folds.held_out).map(one).sum()
            };
            let least = grid(&graph, DIM, points).into_iter().map(error).fold(f64::MAX, f64::min);
            assert_eq!(error(chosen), least, "instance {k}");
            assert!(folds.without > least);
        }
    }

    #[test]
    fn moments_are_those_of_the_points() {
        let data = Instance::draw(Covariance::OverP, 5, 50, 3).unwrap().data;
        let problem = alone(&data).unwrap();
        let folds = SquareFolds::new(&data, 5);
        let exact = local(&problem);
        let model = folds.whole[2].minimizer();
        let held_out = (0..50).filter(|r| r % 5 == 1);
        let squares =
            held_out.map(|r| (dot(data[2].point(r), &model) - data[2].labels()[r]).powi(2));
        let (error, sum) = (folds.held_out[1][2].error(&model), squares.sum::<f64>());
        assert!((error / sum - 1.0).abs() < 1e-9, "{error} {sum}");
        let groups = [0, 1, 0, 2, 1];
        let known = oracle(&problem, &groups, Weighting::Nodes).unwrap().params;
        let one = pooled(&problem, Weighting::Nodes).unwrap().params;
        let found = [folds.pooled(|i| i), folds.pooled(|i| groups[i]), folds.pooled(|_| 0)];
        for (found, exact) in found.into_iter().zip([exact, known, one]) {
            assert!(parameter_error(&found.unwrap(), &exact) < 1e-20);
        }
        assert_eq!(folds.training[1][2].points, 40.0);
    }
}
