//! First and second derivatives of the functions of a term, their kinks smoothed with a parameter μ
//! (`witness.rs`).

use crate::number::{Real, nearest, power_of_two, real};
use crate::terms::Function;

/// Derivatives of weight · function at r, its kinks smoothed.
pub(crate) struct Local {
    pub(crate) gradient: Vec<Real>,
    /// Row by row.
    pub(crate) hessian: Vec<Real>,
}

pub(crate) fn local(function: &Function, weight: &Real, r: &[Real], mu: &Real) -> Local {
    let one = |gradient, curvature| Local { gradient: vec![gradient], hessian: vec![curvature] };
    match function {
        Function::Square => {
            let twice = real(2.0) * weight;
            let gradient = r.iter().map(|r| &twice * r).collect();
            Local { gradient, hessian: diagonal(r.len(), &twice) }
        }
        Function::Absolute => {
            let (gradient, curvature) = absolute(weight, &r[0], mu);
            one(gradient, curvature)
        }
        Function::Positive => {
            // max(0, r) = r/2 + |r/2|
            let half = real(0.5);
            let (gradient, curvature) = absolute(weight, &(&half * &r[0]), mu);
            one(&half * (weight + gradient), real(0.25) * curvature)
        }
        Function::Huber(delta) => {
            let (gradient, curvature) = huber(weight, &real(*delta), &r[0], mu);
            one(gradient, curvature)
        }
        Function::Logistic => {
            let size = nearest(&r[0]);
            let sigmoid = if size > 300.0 {
                real(1.0)
            } else {
                let e = r[0].clone().max(real(-300.0)).exp();
                &e / (real(1.0) + &e)
            };
            let gradient = weight * &sigmoid;
            let curvature = &gradient * (real(1.0) - &sigmoid);
            one(gradient, curvature)
        }
        Function::Norm2 => {
            let squares = r.iter().fold(real(0.0), |sum, r| sum + r * r);
            let square = weight * weight;
            let q = (mu * mu + &square * squares).sqrt();
            let scale = &square / (mu + &q);
            let along = &scale * &scale / &q;
            let gradient = r.iter().map(|r| &scale * r).collect();
            let mut hessian = diagonal(r.len(), &scale);
            for (k, entry) in hessian.iter_mut().enumerate() {
                *entry -= &along * &r[k / r.len()] * &r[k % r.len()];
            }
            Local { gradient, hessian }
        }
        Function::NormInf => largest(weight, r, mu),
        Function::Form(q) => {
            let hessian: Vec<Real> = q.iter().map(|q| weight * real(*q)).collect();
            let row = |row: &[Real]| row.iter().zip(r).fold(real(0.0), |sum, (q, r)| sum + q * r);
            let gradient = hessian.chunks(r.len()).map(row).collect();
            Local { gradient, hessian }
        }
    }
}

fn diagonal(dim: usize, value: &Real) -> Vec<Real> {
    (0..dim * dim).map(|k| if k / dim == k % dim { value.clone() } else { real(0.0) }).collect()
}

/// Derivatives of the least of c·t − μ log(t² − r²) over t: t = (μ + q)/c with q² = μ² + c²r².
fn absolute(weight: &Real, r: &Real, mu: &Real) -> (Real, Real) {
    let square = weight * weight;
    let q = (mu * mu + &square * r * r).sqrt();
    let all = mu + &q;
    let gradient = &square * r / &all;
    (gradient, square * mu / (q * all))
}

/// Derivatives of the least of c/2 (r − s)² + (c·δ|s|, smoothed as above) over s. With the
/// derivative p, |p| < a = c·δ, it is s = 2μp/(a² − p²), and r = s + p/c rises with p and is convex
/// for p ≥ 0: Newton's method goes down to the root from above.
fn huber(weight: &Real, delta: &Real, r: &Real, mu: &Real) -> (Real, Real) {
    let (zero, a) = (real(0.0), weight * delta);
    let size = if *r < zero { -r.clone() } else { r.clone() };
    let (square, twice) = (&a * &a, real(2.0) * mu);
    let mut p = Ord::min(absolute(&a, &size, mu).0, weight * &size);
    let mut slope = real(1.0) / weight;
    for _ in 0..200 {
        let room = &square - &p * &p;
        slope = real(1.0) / weight + &twice * (&square + &p * &p) / (&room * &room);
        let step = (&p / weight + &twice * &p / room - &size) / &slope;
        let last = step <= &a * power_of_two(-250);
        p -= step;
        if last {
            break;
        }
    }
    (if *r < zero { -p } else { p }, real(1.0) / slope)
}

/// Derivatives of the least of c·t − μ Σ log(t² − r_j²) over t.
fn largest(weight: &Real, r: &[Real], mu: &Real) -> Local {
    let size = |r: &Real| if *r < real(0.0) { -r.clone() } else { r.clone() };
    let most = r.iter().map(size).fold(real(0.0), Ord::max);
    let wanted = weight / mu;
    // Σ 1/(t − r) + 1/(t + r) falls and is convex: Newton's method goes up to the root from below.
    let mut t = most + real(1.0) / &wanted;
    for _ in 0..60 {
        let (mut sum, mut slope) = (-wanted.clone(), real(0.0));
        for r in r {
            let (a, b) = (real(1.0) / (&t - r), real(1.0) / (&t + r));
            slope += &a * &a + &b * &b;
            sum += a + b;
        }
        let step = sum / slope;
        let last = nearest(&(&step / &t)).abs() < 1e-60;
        t += step;
        if last {
            break;
        }
    }
    let (mut gradient, mut own, mut cross, mut all) =
        (Vec::new(), Vec::new(), Vec::new(), real(0.0));
    for r in r {
        let room = &t * &t - r * r;
        gradient.push(real(2.0) * mu * r / &room);
        let square = &room * &room;
        let curvature = real(2.0) * mu * (&t * &t + r * r) / &square;
        all += &curvature;
        own.push(curvature);
        cross.push(real(-4.0) * mu * &t * r / square);
    }
    let d = r.len();
    let entry = |k: usize| {
        let less = &cross[k / d] * &cross[k % d] / &all;
        if k / d == k % d { &own[k / d] - less } else { -less }
    };
    let hessian = (0..d * d).map(entry).collect();
    Local { gradient, hessian }
}
