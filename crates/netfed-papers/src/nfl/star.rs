//! Figures 6 and 7: a star of 50 nodes, and the edge weight at which all models become one.
//!
//! As the text states it: d = 2, m = 5, w̄_i ~ N(0, I), mean loss; σ, which the text leaves open,
//! is .01 as in the notebook. Only λ·A counts, so λ = 1 stays and the weight A of all edges varies,
//! as in the notebook. As the notebook ran it: one true w̄ = (2, −2) + .5·N(0, I) for all nodes, m
//! = 10, one noise draw per node.
//!
//! On a star the common model w* (least squares of all data) is optimal exactly if ‖∇L_i(w*)‖_* ≤
//! λA for every leaf i, with the dual norm: ‖·‖_∞ for ℓ1, ‖·‖₂ for ℓ2. So the critical weight is
//! max_i ‖∇L_i(w*)‖_*/λ. The bisection does not use this: a weight merges if the common model is
//! within a certified gap of 1e-8 (relative) of the optimum.

use netfed::generate::{Noise, clustered, linear_data, random, star};
use netfed::{Dataset, Matrix, Options};
use netfed_cli::Failure;
use netfed_cli::progress::Steps;
use netfed_io::{Cell, Csv};
use netfed_report::chart::Scale;
use netfed_report::text::{number, plural};
use rand_distr::{Distribution, StandardNormal};

use crate::Request;
use crate::outcome::{Chart, Line, Outcome, Value};
use crate::runs::{Phi, least_squares, pooled, run, seed};

const NODES: usize = 50;
const WEIGHTS: [f64; 13] = [0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 5.0, 10.0, 20.0];
const SHOWN: [f64; 4] = [0.01, 0.5, 5.0, 20.0];
/// A leaf belongs to the center if it is nearer than this part of the spread of models that are
/// trained alone.
const SAME: f64 = 1e-3;

/// Figure 6.
pub(crate) fn figure6(_: &Request) -> Result<Outcome, Failure> {
    let graph = star(NODES, 1.0)?;
    let row = |what: &str, paper: f64, netfed: usize| {
        vec![
            Value::text(what),
            Value::Number(paper, None),
            Value::None,
            Value::Number(netfed as f64, None),
        ]
    };
    Ok(Outcome {
        title: "Figure 6: the star graph".into(),
        columns: vec!["quantity", "paper", "re-run", "netfed"],
        rows: vec![
            row("nodes", 50.0, graph.nodes()),
            row("edges", 49.0, graph.edges().len()),
            row("degree of the center", 49.0, graph.degree(0)),
            row("degree of every other node", 1.0, graph.degree(1)),
        ],
        notes: vec![
            "Figure 6 of the paper is a drawing of the star and has no measured values; this is the instance it shows.".into(),
            "What happens on it is Figure 7: netfed-papers nfl-fig7".into(),
        ],
        charts: Vec::new(),
        files: Vec::new(),
    })
}

struct Instance {
    data: Vec<Dataset>,
    /// Largest distance of a model from the mean of the models, if every node is trained alone.
    alone: f64,
}

impl Instance {
    fn new(data: Vec<Dataset>) -> Result<Instance, Failure> {
        let mut instance = Instance { data, alone: 0.0 };
        let zero = least_squares(&star(NODES, 1.0)?, &instance.data, |_| true, Phi::L2, 0.0)?;
        instance.alone = spread(&run(&zero, &Options::default())?.params);
        Ok(instance)
    }

    fn as_stated(base: u64) -> Result<Instance, Failure> {
        let mut random = random(seed(base, 10, 0));
        let entries = (0..2 * NODES).map(|_| StandardNormal.sample(&mut random)).collect();
        let truth = Matrix::from_rows(2, entries)?;
        Instance::new(linear_data(&truth, 5, Noise::PerPoint(0.01), seed(base, 11, 0))?)
    }

    fn as_run(base: u64) -> Result<Instance, Failure> {
        let mut random = random(seed(base, 12, 0));
        let mut shift = || -> f64 { StandardNormal.sample(&mut random) };
        let one = Matrix::from_rows(2, vec![2.0 + 0.5 * shift(), -2.0 + 0.5 * shift()])?;
        let truth = clustered(&[NODES], &one)?;
        Instance::new(linear_data(&truth, 10, Noise::PerNode(0.01), seed(base, 13, 0))?)
    }

    /// Models and relative gap at λ = 1 and this edge weight; then how far the common model is from
    /// the optimum at most, relative to the optimum.
    fn solve(&self, phi: Phi, weight: f64) -> Result<(Matrix, f64, f64), Failure> {
        let problem = least_squares(&star(NODES, weight)?, &self.data, |_| true, phi, 1.0)?;
        let options = Options { tolerance: 1e-9, ..Options::default() };
        let found = run(&problem, &options)?;
        let one = Matrix::from_rows(2, pooled(&self.data)?)?;
        let common = problem.objective(&clustered(&[NODES], &one)?);
        let excess = (common - found.certificate.dual_bound()) / common;
        Ok((found.params, found.certificate.relative_gap, excess))
    }

    /// Two weights that differ by less than 1%: at the first the models differ, at the second they
    /// are one.
    fn bisect(&self, phi: Phi, steps: &Steps) -> Result<(f64, f64), Failure> {
        let (mut low, mut high) = (1e-6, 1e3);
        while high / low > 1.01 {
            let middle = f64::sqrt(low * high);
            let merged = self.solve(phi, middle)?.2 <= 1e-8;
            *(if merged { &mut high } else { &mut low }) = middle;
        }
        steps.step("bisection");
        Ok((low, high))
    }

    /// max over the leaves of ‖∇L_i(w*)‖_*.
    fn critical(&self, phi: Phi) -> Result<f64, Failure> {
        let one = pooled(&self.data)?;
        let problem = least_squares(&star(NODES, 1.0)?, &self.data, |_| true, phi, 1.0)?;
        let mut slope = vec![0.0; 2];
        let mut largest: f64 = 0.0;
        for leaf in 1..NODES {
            problem.loss(leaf).gradient(&one, &mut slope);
            largest = largest.max(match phi {
                Phi::L1 => slope[0].abs().max(slope[1].abs()),
                _ => slope[0].hypot(slope[1]),
            });
        }
        Ok(largest)
    }

    /// The center with its leaves is one cluster; every other leaf is one of its own.
    fn clusters(&self, params: &Matrix) -> usize {
        let away = |i: &usize| distance(params.row(*i), params.row(0)) > SAME * self.alone;
        1 + (1..NODES).filter(away).count()
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The largest distance of a model from their mean.
fn spread(params: &Matrix) -> f64 {
    let mean = |k: usize| (0..NODES).map(|i| params.row(i)[k]).sum::<f64>() / NODES as f64;
    let center = [mean(0), mean(1)];
    (0..NODES).map(|i| distance(params.row(i), &center)).fold(0.0, f64::max)
}

/// Figure 7.
pub(crate) fn figure7(request: &Request) -> Result<Outcome, Failure> {
    let stated = Instance::as_stated(request.seed)?;
    let notebook = Instance::as_run(request.seed)?;
    let steps = Steps::new(4 + 3 * WEIGHTS.len(), request.quiet);
    let mut rows = Vec::new();
    for (name, instance) in [("as stated", &stated), ("notebook's data", &notebook)] {
        rows.extend(critical_weights(name, instance, &steps)?);
    }
    let sweep = Sweep::over(&stated, &steps)?;
    steps.finish();
    rows.extend(sweep.rows);
    let weight = ("edge weight A (λ = 1)", Scale::Log10);
    Ok(Outcome {
        title: "Figure 7: on a star all models become one beyond a critical edge weight".into(),
        columns: vec!["data", "penalty", "quantity", "paper", "re-run", "netfed"],
        rows,
        notes: vec![
            "Only λ·A counts: λ = 1 and the weight A of all edges varies. A cluster is the center with all leaves that have its model.".into(),
            "The critical weight is a property of the data. The bisection solves to a relative gap of 1e-9 and agrees with the closed form for stars: the largest dual norm of a leaf's gradient at the common model.".into(),
            "With l1 and l2 the models become exactly one; with the squared penalty they only come nearer.".into(),
            "The paper's figure shows that the models merge between 0.4 and 0.5. The minimizers do not, for neither reading: with one true parameter vector per node, as the text says, they merge later; with the notebook's data, where all nodes have the same true parameters, far earlier. The notebook's local solver is 40 gradient (RMSprop) steps that need not reach the minimum; that is a likely reason.".into(),
        ],
        charts: vec![
            Chart {
                title: "Largest distance of a model from the mean of all models.".into(),
                x: weight,
                y: ("spread", Scale::Linear),
                lines: sweep.spreads,
            },
            Chart {
                title: "Number of clusters.".into(),
                x: weight,
                y: ("clusters", Scale::Linear),
                lines: sweep.counts,
            },
            Chart {
                title: "The 50 models for some edge weights A, penalty l2.".into(),
                x: ("first parameter", Scale::Linear),
                y: ("second parameter", Scale::Linear),
                lines: sweep.scatter,
            },
        ],
        files: vec![("sweep.csv", sweep.table.finish()), ("models.csv", sweep.models.finish())],
    })
}

/// The edge weights from which on all models are one, for the norms.
fn critical_weights(
    name: &str,
    instance: &Instance,
    steps: &Steps,
) -> Result<Vec<Vec<Value>>, Failure> {
    let mut rows = Vec::new();
    for phi in [Phi::L1, Phi::L2] {
        let (low, high) = instance.bisect(phi, steps)?;
        let exact = instance.critical(phi)?;
        let row = |what: &str, paper: Value, netfed: Value| {
            let phi = Value::text(phi.name());
            vec![Value::text(name), phi, Value::text(what), paper, Value::None, netfed]
        };
        let paper = Value::text("0.4 to 0.5");
        let bracket = Value::Text(format!("{low:.4} to {high:.4}"));
        rows.push(row("critical weight, bisection", paper, bracket));
        let exact = Value::Text(format!("{exact:.4}"));
        rows.push(row("critical weight, closed form", Value::None, exact));
    }
    Ok(rows)
}

/// The models for all edge weights.
struct Sweep {
    rows: Vec<Vec<Value>>,
    table: Csv,
    models: Csv,
    spreads: Vec<Line>,
    counts: Vec<Line>,
    scatter: Vec<Line>,
}

impl Sweep {
    fn over(stated: &Instance, steps: &Steps) -> Result<Sweep, Failure> {
        let mut all = Sweep {
            rows: Vec::new(),
            table: Csv::new(["penalty", "weight", "spread", "clusters", "relative gap"]),
            models: Csv::new(["penalty", "weight", "node", "w1", "w2"]),
            spreads: Vec::new(),
            counts: Vec::new(),
            scatter: Vec::new(),
        };
        for (color, phi) in Phi::ALL.into_iter().enumerate() {
            let line = || Line { name: phi.name().into(), color, ..Line::default() };
            let (mut over, mut count) = (line(), line());
            for weight in WEIGHTS {
                let (params, gap, _) = stated.solve(phi, weight)?;
                let (far, clusters) = (spread(&params), stated.clusters(&params));
                let name = || std::iter::once(Cell::Text(phi.name().into()));
                let numbers = [weight, far, clusters as f64, gap].map(Cell::Number);
                all.table.row(name().chain(numbers));
                for i in 0..NODES {
                    let w = params.row(i);
                    let numbers = [weight, i as f64, w[0], w[1]].map(Cell::Number);
                    all.models.row(name().chain(numbers));
                }
                over.points.push((weight, far, 0.0));
                count.points.push((weight, clusters as f64, 0.0));
                if SHOWN.contains(&weight) {
                    all.show(phi, weight, &params, (far, clusters));
                }
                steps.step(phi.name());
            }
            all.spreads.push(over);
            all.counts.push(count);
        }
        Ok(all)
    }

    /// One weight in the table, and for the norm l2 its models in a picture.
    fn show(&mut self, phi: Phi, weight: f64, params: &Matrix, (far, clusters): (f64, usize)) {
        self.rows.push(vec![
            Value::text("as stated"),
            Value::text(phi.name()),
            Value::Text(format!("models at weight {weight}")),
            Value::None,
            Value::None,
            Value::Text(format!("{}, spread {}", plural(clusters, "cluster"), number(far))),
        ]);
        if phi == Phi::L2 {
            let place = |i| (params.row(i)[0], params.row(i)[1], 0.0);
            self.scatter.push(Line {
                name: format!("A = {weight}"),
                points: (0..NODES).map(place).collect(),
                color: self.scatter.len(),
                scatter: true,
                ..Line::default()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_the_closed_form() {
        let instance = Instance::as_stated(5).unwrap();
        let steps = Steps::new(1, true);
        for phi in [Phi::L1, Phi::L2] {
            let (low, high) = instance.bisect(phi, &steps).unwrap();
            let exact = instance.critical(phi).unwrap();
            assert!(0.99 * low < exact && exact < 1.01 * high, "{low} {exact} {high}");
        }
        let (together, _, _) = instance.solve(Phi::L2, 50.0).unwrap();
        assert_eq!(instance.clusters(&together), 1);
        let (apart, _, _) = instance.solve(Phi::Squared, 5.0).unwrap();
        assert!(instance.clusters(&apart) > 25);
    }
}
