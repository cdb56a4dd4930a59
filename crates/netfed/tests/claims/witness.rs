//! An independent search for a better point: Newton's method on a smoothed objective in scaled
//! features, with the smoothing going to zero. Written from docs/maths.md; it shares nothing with
//! netfed's solvers.

use super::case::Case;
use netfed::{LossKind, Matrix};

/// A point with an objective that is nearly the least there is.
pub(crate) fn witness(case: &Case) -> Matrix {
    let (n, d) = (case.data.len(), case.dim);
    let mut scale = vec![0.0; d];
    let rows: Vec<&[f64]> = case.data.iter().flat_map(|(x, _)| x.chunks(d)).collect();
    for x in &rows {
        x.iter().zip(&mut scale).for_each(|(x, s)| *s += x * x / rows.len() as f64);
    }
    scale.iter_mut().for_each(|s| *s = if *s > 0.0 { 1.0 / s.sqrt() } else { 1.0 });
    let at = |v: &[f64]| {
        let w = v.iter().enumerate().map(|(k, v)| v * scale[k % d]).collect();
        Matrix::from_rows(d, w).unwrap()
    };
    let problem = case.problem();
    let mut v = vec![0.0; n * d];
    let mut best = (problem.objective(&at(&v)), v.clone());
    let size = case.data.iter().flat_map(|(_, y)| y).fold(1e-300, |m: f64, y| m.max(y.abs()));
    let mut mu = size;
    while mu > 1e-11 * size {
        for _ in 0..60 {
            let w = at(&v);
            let here = Terms::new(case, &w, mu, &scale);
            let mut damping = 1e-13;
            let mut moved = false;
            while damping < 1e10 {
                let step = here.step(damping);
                let descent: f64 = step.iter().zip(&here.gradient).map(|(s, g)| s * g).sum();
                if descent >= 0.0 || !descent.is_finite() {
                    damping *= 100.0;
                    continue;
                }
                let mut length = 1.0;
                while length > 1e-8 && !moved {
                    let next: Vec<f64> = v.iter().zip(&step).map(|(v, s)| v + length * s).collect();
                    let there = Terms::value(case, &at(&next), mu);
                    if there < here.value + 1e-4 * length * descent {
                        moved = here.value - there > 1e-14 * here.value;
                        v = next;
                        break;
                    }
                    length *= 0.5;
                }
                break;
            }
            if !moved {
                break;
            }
        }
        let objective = problem.objective(&at(&v));
        if objective < best.0 {
            best = (objective, v.clone());
        }
        mu *= 0.3;
    }
    at(&best.1)
}

struct Terms {
    value: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

/// Value, slope and curvature of a smoothed |t|.
fn abs(t: f64, mu: f64) -> [f64; 3] {
    let root = t.hypot(mu);
    [root, t / root, mu * mu / (root * root * root)]
}

fn scalar(kind: LossKind, t: f64, y: f64, mu: f64) -> [f64; 3] {
    match kind {
        LossKind::Squared => [(y - t) * (y - t), 2.0 * (t - y), 2.0],
        LossKind::Logistic => {
            let m = y * t;
            let e = (-m.abs()).exp();
            let p = if m > 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
            [(-m).max(0.0) + e.ln_1p(), -y * p, p * (1.0 - p)]
        }
        LossKind::Huber { delta } => {
            let r = t - y;
            if r.abs() <= delta {
                [0.5 * r * r, r, 1.0]
            } else {
                [delta * r.abs() - 0.5 * delta * delta, delta * r.signum(), 0.0]
            }
        }
        LossKind::Absolute => abs(t - y, mu),
        LossKind::Hinge => {
            let m = 1.0 - y * t;
            let [a, s, c] = abs(m, mu);
            // Without cancellation where m is far below zero.
            let value = if m < 0.0 { 0.5 * mu * mu / (a - m) } else { 0.5 * (a + m) };
            [value, -0.5 * y * (1.0 + s), 0.5 * c]
        }
        other => unreachable!("{other:?} has no labels"),
    }
}

impl Terms {
    fn value(case: &Case, w: &Matrix, mu: f64) -> f64 {
        let d = case.dim;
        let mut value = 0.0;
        for (i, (x, y)) in case.data.iter().enumerate() {
            let m = y.len() as f64;
            for (x, y) in x.chunks(d).zip(y) {
                let t = x.iter().zip(w.row(i)).map(|(x, w)| x * w).sum();
                value += scalar(case.kind, t, *y, mu)[0] / m;
            }
            if !y.is_empty() {
                for v in w.row(i) {
                    value += case.ridge * v * v
                        + if case.lasso > 0.0 { case.lasso * abs(*v, mu)[0] } else { 0.0 };
                }
            }
        }
        for &(i, j, a) in &case.edges {
            let diff: Vec<f64> = w.row(i).iter().zip(w.row(j)).map(|(a, b)| a - b).collect();
            value += case.lambda * a * penalty(case, &diff, mu).0;
        }
        value
    }

    fn new(case: &Case, w: &Matrix, mu: f64, scale: &[f64]) -> Terms {
        let (n, d) = (case.data.len(), case.dim);
        let size = n * d;
        let mut t = Terms {
            value: Terms::value(case, w, mu),
            gradient: vec![0.0; size],
            hessian: vec![0.0; size * size],
        };
        for (i, (x, y)) in case.data.iter().enumerate() {
            let m = y.len() as f64;
            for (x, y) in x.chunks(d).zip(y) {
                let p = x.iter().zip(w.row(i)).map(|(x, w)| x * w).sum();
                let [_, slope, bend] = scalar(case.kind, p, *y, mu);
                for j in 0..d {
                    t.gradient[i * d + j] += slope * x[j] / m;
                    for k in 0..d {
                        t.hessian[(i * d + j) * size + i * d + k] += bend * x[j] * x[k] / m;
                    }
                }
            }
            if !y.is_empty() {
                for (j, v) in w.row(i).iter().enumerate() {
                    let p = i * d + j;
                    t.gradient[p] += 2.0 * case.ridge * v;
                    t.hessian[p * size + p] += 2.0 * case.ridge;
                    if case.lasso > 0.0 {
                        let [_, slope, bend] = abs(*v, mu);
                        t.gradient[p] += case.lasso * slope;
                        t.hessian[p * size + p] += case.lasso * bend;
                    }
                }
            }
        }
        for &(i, j, a) in &case.edges {
            let diff: Vec<f64> = w.row(i).iter().zip(w.row(j)).map(|(a, b)| a - b).collect();
            let (_, g, h) = penalty(case, &diff, mu);
            let c = case.lambda * a;
            for p in 0..d {
                t.gradient[i * d + p] += c * g[p];
                t.gradient[j * d + p] -= c * g[p];
                for q in 0..d {
                    let v = c * h[p * d + q];
                    t.hessian[(i * d + p) * size + i * d + q] += v;
                    t.hessian[(j * d + p) * size + j * d + q] += v;
                    t.hessian[(i * d + p) * size + j * d + q] -= v;
                    t.hessian[(j * d + p) * size + i * d + q] -= v;
                }
            }
        }
        for p in 0..size {
            t.gradient[p] *= scale[p % d];
            for q in 0..size {
                t.hessian[p * size + q] *= scale[p % d] * scale[q % d];
            }
        }
        t
    }

    /// −(H + damping·D)⁻¹ g by Cholesky's method.
    fn step(&self, damping: f64) -> Vec<f64> {
        let n = self.gradient.len();
        let mut l = self.hessian.clone();
        let largest = (0..n).fold(1e-300, |m: f64, k| m.max(l[k * n + k]));
        for k in 0..n {
            l[k * n + k] += damping * (l[k * n + k] + 1e-3 * largest) + 1e-300;
        }
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
                let v = l[i * n + j] - sum;
                l[i * n + j] = if i == j { v.max(1e-300).sqrt() } else { v / l[j * n + j] };
            }
        }
        let mut p: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| l[i * n + k] * p[k]).sum();
            p[i] = (p[i] - sum) / l[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| l[k * n + i] * p[k]).sum();
            p[i] = (p[i] - sum) / l[i * n + i];
        }
        p
    }
}

/// Value, gradient and Hessian of the smoothed penalty.
fn penalty(case: &Case, v: &[f64], mu: f64) -> (f64, Vec<f64>, Vec<f64>) {
    let d = v.len();
    let (mut g, mut h) = (vec![0.0; d], vec![0.0; d * d]);
    let value = match case.penalty {
        "l1" => {
            let terms: Vec<_> = v.iter().map(|v| abs(*v, mu)).collect();
            terms.iter().enumerate().for_each(|(j, t)| (g[j], h[j * d + j]) = (t[1], t[2]));
            terms.iter().map(|t| t[0]).sum()
        }
        "l2" => {
            let root = (v.iter().map(|v| v * v).sum::<f64>() + mu * mu).sqrt();
            for j in 0..d {
                g[j] = v[j] / root;
                (0..d).for_each(|k| {
                    h[j * d + k] =
                        (f64::from(u8::from(j == k)) - v[j] * v[k] / (root * root)) / root
                });
            }
            root
        }
        "linf" => {
            let top = v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let mut sum = 0.0;
            let mut weights = vec![0.0; d];
            for j in 0..d {
                let (up, down) = (((v[j] - top) / mu).exp(), ((-v[j] - top) / mu).exp());
                sum += up + down;
                g[j] = up - down;
                weights[j] = up + down;
            }
            g.iter_mut().for_each(|g| *g /= sum);
            for j in 0..d {
                h[j * d + j] = weights[j] / sum / mu;
                (0..d).for_each(|k| h[j * d + k] -= g[j] * g[k] / mu);
            }
            top + mu * sum.ln()
        }
        "squared" => {
            for j in 0..d {
                (g[j], h[j * d + j]) = (2.0 * v[j], 2.0);
            }
            v.iter().map(|v| v * v).sum()
        }
        _ => {
            for (g, row) in g.iter_mut().zip(case.q.chunks(d)) {
                *g = row.iter().zip(v).map(|(q, v)| q * v).sum();
            }
            h.copy_from_slice(&case.q);
            0.5 * v.iter().zip(&g).map(|(v, g)| v * g).sum::<f64>()
        }
    };
    (value, g, h)
}
