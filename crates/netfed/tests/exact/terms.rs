//! An objective as a sum of terms: weight · function of affine functions of all parameters. Built
//! from the numbers of a case alone, without any code of netfed, and evaluated exactly.

use crate::case::{Case, PenaltyKind};
use crate::number::{Real, Upper, exact, unlimited, upper};
use netfed::LossKind;

/// constant + Σ factor·w_k
#[derive(Debug, Clone)]
pub(crate) struct Affine {
    pub(crate) constant: f64,
    pub(crate) parts: Vec<(usize, f64)>,
}

/// A function of the values r of the rows of a term.
#[derive(Debug, Clone)]
pub(crate) enum Function {
    /// Σ r²
    Square,
    /// |r|
    Absolute,
    /// ½r² for |r| ≤ δ, δ|r| − ½δ² beyond
    Huber(f64),
    /// max(0, r)
    Positive,
    /// log(1 + exp r)
    Logistic,
    /// ‖r‖₂
    Norm2,
    /// ‖r‖_∞
    NormInf,
    /// ½ rᵀQr
    Form(Vec<f64>),
}

/// weight[0]·weight[1]/divisor · function(rows)
#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) weight: [f64; 2],
    pub(crate) divisor: usize,
    pub(crate) function: Function,
    pub(crate) rows: Vec<Affine>,
}

/// The terms of the objective of a case, in the parameters of all nodes, one node after the other.
pub(crate) fn terms(case: &Case) -> Vec<Term> {
    let d = case.dim;
    let mut terms = Vec::new();
    for (i, node) in case.nodes.iter().enumerate().filter(|(_, n)| n.points() > 0) {
        let own = |j: usize| Affine { constant: 0.0, parts: vec![(i * d + j, 1.0)] };
        let mut add = |weight, divisor, function, rows| {
            terms.push(Term { weight: [weight, 1.0], divisor, function, rows });
        };
        let labeled = node.features.chunks(d).zip(&node.labels);
        for (x, &y) in labeled.filter(|_| case.kind.has_labels()) {
            let row = |constant, factor: f64| Affine {
                constant,
                parts: x.iter().enumerate().map(|(j, x)| (i * d + j, factor * x)).collect(),
            };
            let residual = || vec![row(y, -1.0)];
            let (function, rows) = match case.kind {
                LossKind::Squared => (Function::Square, residual()),
                LossKind::Absolute => (Function::Absolute, residual()),
                LossKind::Huber { delta } => (Function::Huber(delta), residual()),
                // y is 1 or −1.
                LossKind::Hinge => (Function::Positive, vec![row(1.0, -y)]),
                LossKind::Logistic => (Function::Logistic, vec![row(0.0, -y)]),
                other => unreachable!("{other:?} has no labels"),
            };
            add(1.0, node.points(), function, rows);
        }
        if case.kind == LossKind::Mean {
            for x in node.features.chunks(d) {
                let rows = x.iter().enumerate();
                let rows =
                    rows.map(|(j, &x)| Affine { constant: x, parts: vec![(i * d + j, -1.0)] });
                add(1.0, node.points(), Function::Square, rows.collect());
            }
        }
        if case.ridge > 0.0 {
            add(case.ridge, 1, Function::Square, (0..d).map(own).collect());
        }
        if case.lasso > 0.0 {
            (0..d).for_each(|j| add(case.lasso, 1, Function::Absolute, vec![own(j)]));
        }
    }
    for &(a, b, weight) in case.edges.iter().filter(|_| case.lambda > 0.0) {
        let rows: Vec<Affine> = (0..d)
            .map(|j| Affine { constant: 0.0, parts: vec![(a * d + j, 1.0), (b * d + j, -1.0)] })
            .collect();
        let weight = [case.lambda, weight];
        let mut add = |function, rows| terms.push(Term { weight, divisor: 1, function, rows });
        match &case.penalty {
            PenaltyKind::L1 => rows.into_iter().for_each(|r| add(Function::Absolute, vec![r])),
            PenaltyKind::L2 => add(Function::Norm2, rows),
            PenaltyKind::LInf => add(Function::NormInf, rows),
            PenaltyKind::Squared => {
                let q = (0..d * d).map(|k| f64::from(k / d == k % d)).collect();
                add(Function::Form(q), rows);
            }
            PenaltyKind::Quadratic(q) => add(Function::Form(q.clone()), rows),
        }
    }
    terms
}

impl Affine {
    /// The value at w; exact if w is.
    pub(crate) fn at(&self, w: &[Real]) -> Real {
        let parts = self.parts.iter().filter(|(_, factor)| *factor != 0.0);
        parts.fold(exact(self.constant), |sum, &(k, factor)| sum + exact(factor) * &w[k])
    }
}

/// An upper bound of the objective at a point, exact up to one rounding upwards per term (and the
/// roots, exponentials and logarithms of the terms that have them, with a margin).
pub(crate) fn objective(terms: &[Term], w: &[Real]) -> Upper {
    let w: Vec<Real> = w.iter().map(unlimited).collect();
    let mut sum = upper(&exact(0.0));
    for term in terms {
        let r: Vec<Real> = term.rows.iter().map(|row| row.at(&w)).collect();
        let weight = exact(term.weight[0]) * exact(term.weight[1]);
        let value = function(&term.function, &r) * upper(&weight);
        sum += value / upper(&exact(term.divisor as f64));
    }
    sum
}

fn function(function: &Function, r: &[Real]) -> Upper {
    let zero = exact(0.0);
    let half = exact(0.5);
    let absolute = |r: &Real| if *r < zero { -r.clone() } else { r.clone() };
    let squares = || r.iter().fold(exact(0.0), |sum, r| sum + r * r);
    match function {
        Function::Square => upper(&squares()),
        Function::Absolute => upper(&absolute(&r[0])),
        Function::Huber(delta) => {
            let (size, delta) = (absolute(&r[0]), exact(*delta));
            upper(&if size <= delta {
                half * &size * &size
            } else {
                &delta * (size - half * &delta)
            })
        }
        Function::Positive => upper(if r[0] > zero { &r[0] } else { &zero }),
        Function::Norm2 => upper(&squares()).sqrt() * margin(),
        Function::NormInf => r.iter().map(|r| upper(&absolute(r))).fold(upper(&zero), Ord::max),
        Function::Form(q) => {
            let mut sum = exact(0.0);
            for (k, q) in q.iter().enumerate().filter(|(_, q)| **q != 0.0) {
                sum += exact(*q) * &r[k / r.len()] * &r[k % r.len()];
            }
            upper(&(half * sum))
        }
        Function::Logistic => {
            // log(1 + exp r) = max(0, r) + log(1 + exp −|r|), and exp is monotone.
            let size = absolute(&r[0]).min(exact(1000.0));
            let rest = (upper(&-size).exp() * margin()).ln_1p() * margin();
            upper(if r[0] > zero { &r[0] } else { &zero }) + rest
        }
    }
}

/// Covers what the last bits of a root, an exponential or a logarithm may be wrong by.
fn margin() -> Upper {
    upper(&(exact(1.0) + Real::from_parts(1.into(), -240).with_precision(0).value()))
}
