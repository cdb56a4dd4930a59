//! Checks that every [`Loss`] and [`Penalty`] must pass: gradient, prox optimality, Fenchel-Young,
//! Moreau, growth. Public, so that a loss or penalty of your own can be held to them:
//!
//! ```
//! use netfed::{laws, loss::Zero, penalty::Norm2};
//! assert_eq!(laws::check_loss(&Zero::new(3), 1), Ok(()));
//! assert_eq!(laws::check_penalty(&Norm2, 3, 1), Ok(()));
//! ```

use crate::loss::{Growth, Loss};
use crate::numeric::linalg::{distance, dot, norm};
use crate::penalty::{Penalty, PenaltyGrowth};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const TRIALS: usize = 40;

/// A broken law, with the numbers that break it.
fn law(holds: bool, name: &str, numbers: &[f64]) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{name} is broken: {numbers:?}")) }
}

fn random_vector(rng: &mut ChaCha8Rng, dim: usize, size: f64) -> Vec<f64> {
    (0..dim).map(|_| size * (2.0 * rng.random::<f64>() - 1.0)).collect()
}

fn sub(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// Checks the laws of a local loss at seeded random points.
pub fn check_loss(loss: &dyn Loss, seed: u64) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let d = loss.dim();
    for trial in 0..TRIALS {
        let size = [0.1, 1.0, 5.0][trial % 3];
        let w = in_domain(loss, random_vector(&mut rng, d, size));
        let anywhere = random_vector(&mut rng, d, size);
        let v = in_domain(loss, anywhere.clone());
        check_gradient(loss, &w, &v)?;
        for step in [1e-3, 0.3, 1.0, 50.0] {
            check_prox(loss, &anywhere, step, &mut rng)?;
        }
        check_fenchel(loss, &w, &v, &mut rng)?;
        check_growth(loss, &w, &v)?;
        check_curvature(loss, &w, &v)?;
        check_hessian(loss, &w, &v)?;
    }
    Ok(())
}

/// A point where the loss is finite: losses of nonnegative parameters get absolute values.
fn in_domain(loss: &dyn Loss, point: Vec<f64>) -> Vec<f64> {
    if loss.value(&point).is_finite() { point } else { point.iter().map(|x| x.abs()).collect() }
}

fn check_hessian(loss: &dyn Loss, w: &[f64], direction: &[f64]) -> Result<(), String> {
    if !loss.is_smooth() {
        return Ok(());
    }
    let d = w.len();
    let (mut hessian, mut product) = (vec![0.0; d * d], vec![0.0; d]);
    loss.add_hessian(w, &mut hessian);
    loss.add_hessian_times(w, direction, &mut product);
    let rows: Vec<f64> = hessian.chunks_exact(d).map(|row| dot(row, direction)).collect();
    law(
        distance(&rows, &product) <= 1e-10 * (1.0 + norm(&product)),
        "Hessian times direction",
        &product,
    )?;
    let h = 1e-6 / (1.0 + norm(direction));
    let moved = |h: f64| -> Vec<f64> { w.iter().zip(direction).map(|(w, p)| w + h * p).collect() };
    let (mut ahead, mut behind) = (vec![0.0; d], vec![0.0; d]);
    loss.gradient(&moved(h), &mut ahead);
    loss.gradient(&moved(-h), &mut behind);
    let quotient: Vec<f64> = sub(&ahead, &behind).iter().map(|g| g / (2.0 * h)).collect();
    law(
        distance(&quotient, &product) <= 1e-3 * (1e-3 + norm(&product)),
        "Hessian = difference quotient of the gradient",
        &[norm(&quotient), norm(&product)],
    )
}

fn check_curvature(loss: &dyn Loss, w: &[f64], v: &[f64]) -> Result<(), String> {
    let Some(bounds) = loss.curvature() else { return Ok(()) };
    let direction = sub(v, w);
    let (mut at_w, mut at_v) = (vec![0.0; w.len()], vec![0.0; w.len()]);
    loss.gradient(w, &mut at_w);
    loss.gradient(v, &mut at_v);
    let curve = dot(&sub(&at_v, &at_w), &direction);
    let mut image = vec![0.0; w.len()];
    loss.add_gram_times(&direction, &mut image);
    let (data, ridge) = (dot(&image, &direction), 2.0 * bounds.ridge * dot(&direction, &direction));
    let (low, high) = (bounds.low * data + ridge, bounds.high * data + ridge);
    let slack = 1e-9 * (1.0 + high);
    law(
        (low - slack..=high + slack).contains(&curve),
        "low ≤ curvature ≤ high",
        &[low, curve, high],
    )
}

fn check_gradient(loss: &dyn Loss, w: &[f64], v: &[f64]) -> Result<(), String> {
    let mut g = vec![0.0; w.len()];
    loss.gradient(w, &mut g);
    let (lw, lv) = (loss.value(w), loss.value(v));
    law(lw >= 0.0, "L ≥ 0", &[lw])?;
    let below = lw + dot(&g, &sub(v, w));
    law(
        lv >= below - 1e-10 * (1.0 + lv.abs() + below.abs()),
        "L(v) ≥ L(w) + ⟨g, v − w⟩",
        &[lv, below],
    )?;
    let direction = sub(v, w);
    let h = 1e-6;
    let shifted = |t: f64| w.iter().zip(&direction).map(|(a, p)| a + t * p).collect::<Vec<_>>();
    let (ahead, behind) = (loss.value(&shifted(h)), loss.value(&shifted(-h)));
    let curvature = (ahead + behind - 2.0 * lw) / h;
    let derivative = (ahead - behind) / (2.0 * h);
    let slack = 1e-4 * (1.0 + derivative.abs() + lw) + curvature.abs();
    law(
        (derivative - dot(&g, &direction)).abs() <= slack,
        "gradient = finite difference",
        &[derivative, dot(&g, &direction)],
    )
}

fn check_prox(loss: &dyn Loss, v: &[f64], step: f64, rng: &mut ChaCha8Rng) -> Result<(), String> {
    let d = v.len();
    let mut z = vec![0.0; d];
    loss.prox(v, step, &mut z);
    let mut other = random_vector(rng, d, 3.0);
    loss.prox(v, step, &mut other);
    let apart = distance(&z, &other);
    law(apart <= 1e-9 * (1.0 + norm(&z)), "prox does not depend on the guess", &[step, apart])?;
    for reach in [1e-3, 0.1, 3.0] {
        let guess: Vec<f64> =
            z.iter().zip(random_vector(rng, d, reach)).map(|(a, b)| a + b).collect();
        let mut near = guess.clone();
        loss.prox_near(v, step, &mut near);
        let (error, way) = (distance(&near, &z), distance(&guess, &z));
        law(
            error <= 0.05 * way + 1e-9 * (1.0 + norm(&z)),
            "an inexact prox is wrong by at most 5% of the way from the guess",
            &[step, error, way],
        )?;
    }
    let slope: Vec<f64> = v.iter().zip(&z).map(|(a, b)| (a - b) / step).collect();
    let lz = loss.value(&z);
    for scale in [1e-3, 1.0, 10.0] {
        let y: Vec<f64> = z.iter().zip(random_vector(rng, d, scale)).map(|(a, b)| a + b).collect();
        let above = loss.value(&y);
        let below = lz + dot(&slope, &sub(&y, &z));
        let rounding = 1e-11
            * (1.0 + lz + above + norm(&slope) * (norm(&y) + norm(&z)) + norm(v) / step * 1e-2);
        law(
            above >= below - rounding,
            "(v − prox(v))/step is a subgradient at prox(v)",
            &[step, above, below],
        )?;
    }
    let gap = loss.fenchel_gap(&slope, &z, 10.0);
    let rounding = 1e-9 * (1.0 + lz + norm(v) / step);
    law(
        gap >= -rounding && gap <= rounding,
        "the Fenchel gap is zero at the slope of the prox",
        &[step, gap],
    )
}

fn check_fenchel(
    loss: &dyn Loss,
    w: &[f64],
    v: &[f64],
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let d = w.len();
    let mut slope = vec![0.0; d];
    loss.gradient(v, &mut slope);
    for s in slope.iter_mut() {
        *s += 0.1 * (rng.random::<f64>() - 0.5);
    }
    let lw = loss.value(w);
    for radius in [0.5, 5.0, f64::INFINITY] {
        let claimed = loss.fenchel_gap(&slope, w, radius);
        law(!claimed.is_nan() && claimed >= -1e-12, "the Fenchel gap is not negative", &[claimed])?;
        for _ in 0..20 {
            let mut p = random_vector(rng, d, 1.0);
            let reach = if radius.is_finite() { radius } else { 20.0 } * rng.random::<f64>();
            let length = norm(&p).max(1e-300);
            p.iter_mut().zip(w).for_each(|(p, w)| *p = w + *p / length * reach);
            let reached = lw + dot(&slope, &sub(&p, w)) - loss.value(&p);
            law(
                claimed >= reached - 1e-10 * (1.0 + reached.abs() + lw),
                "the Fenchel gap is never below a value it bounds",
                &[radius, claimed, reached],
            )?;
        }
    }
    let conjugate = loss.conjugate(&slope);
    let young = lw + conjugate - dot(w, &slope);
    law(
        young >= -1e-9 * (1.0 + lw + dot(w, &slope).abs()),
        "L(w) + L*(s) ≥ ⟨w, s⟩",
        &[lw, conjugate, young],
    )
}

fn check_growth(loss: &dyn Loss, w: &[f64], v: &[f64]) -> Result<(), String> {
    let d = w.len();
    let (lw, lv) = (loss.value(w), loss.value(v));
    let level = lw.max(lv);
    let (radius, apart) = (loss.level_radius(level, v), distance(w, v));
    law(apart <= radius * (1.0 + 1e-9), "level radius", &[level, radius, apart])?;
    let mut sides = vec![0.0; d];
    loss.level_box(level, v, &mut sides);
    for ((w, v), side) in w.iter().zip(v).zip(&sides) {
        law((w - v).abs() <= side * (1.0 + 1e-9), "level box", &[level, *side, w - v])?;
    }
    let residual = match loss.growth() {
        Growth::Quadratic => level.sqrt(),
        Growth::Linear { slope, offset } => slope * level + offset,
        Growth::Flat | Growth::Margin => return Ok(()),
    };
    let mut gram = vec![0.0; d * d];
    loss.add_gram(&mut gram);
    let diff = sub(w, v);
    let square: f64 = gram.chunks_exact(d).zip(&diff).map(|(row, x)| x * dot(row, &diff)).sum();
    law(
        square.max(0.0).sqrt() <= 2.0 * residual * (1.0 + 1e-9) + 1e-12,
        "growth of the predictions",
        &[square, residual],
    )
}

fn check_derivatives(penalty: &dyn Penalty, v: &[f64], direction: &[f64]) -> Result<(), String> {
    let h = 1e-6 * norm(v) / (1.0 + norm(direction));
    let moved = |h: f64| -> Vec<f64> { v.iter().zip(direction).map(|(v, p)| v + h * p).collect() };
    let gradient = |v: &[f64]| {
        let mut g = vec![0.0; v.len()];
        penalty.gradient(v, &mut g);
        g
    };
    let (ahead, behind) = (moved(h), moved(-h));
    let slope = (penalty.value(&ahead) - penalty.value(&behind)) / (2.0 * h);
    let along = dot(&gradient(v), direction);
    let scale = norm(direction) * (1.0 + norm(&gradient(v)));
    law((slope - along).abs() <= 1e-5 * scale, "gradient of φ", &[slope, along])?;
    let mut product = vec![0.0; v.len()];
    penalty.add_curvature_times(v, 1.0, direction, &mut product);
    let change = sub(&gradient(&ahead), &gradient(&behind));
    let quotient: Vec<f64> = change.iter().map(|g| g / (2.0 * h)).collect();
    law(
        distance(&quotient, &product) <= 1e-4 * (norm(direction) / norm(v) + norm(&product)),
        "curvature of φ",
        &[norm(&quotient), norm(&product)],
    )
}

/// Checks the laws of a penalty at seeded random points.
pub fn check_penalty(penalty: &dyn Penalty, dim: usize, seed: u64) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    law(penalty.value(&vec![0.0; dim]) == 0.0, "φ(0) = 0", &[])?;
    for trial in 0..4 * TRIALS {
        let size = [0.1, 1.0, 10.0][trial % 3];
        let v = random_vector(&mut rng, dim, size);
        let value = penalty.value(&v);
        let mirrored: Vec<f64> = v.iter().map(|x| -x).collect();
        law(
            value >= 0.0 && value == penalty.value(&mirrored),
            "φ is even and not negative",
            &[value],
        )?;
        check_derivatives(penalty, &v, &random_vector(&mut rng, dim, 1.0))?;
        if let Some(named) = penalty.norm() {
            law(named.of(&v) == value, "φ is the norm it names", &[value])?;
        }
        if let Some(h) = penalty.constant_curvature() {
            let square = 0.5 * h * dot(&v, &v);
            law((value - square).abs() <= 1e-12 * square, "φ = (h/2)‖·‖²", &[value, square])?;
        }
        check_clipping(penalty, &v, &random_vector(&mut rng, dim, size), &mut rng)?;
        let bound = match penalty.growth(dim) {
            PenaltyGrowth::Linear(k) => k * norm(&v),
            PenaltyGrowth::Quadratic(k) => 0.5 * k * dot(&v, &v),
            PenaltyGrowth::None => 0.0,
        };
        law(value >= bound * (1.0 - 1e-12), "growth of φ", &[value, bound])?;
        if let Some(size) = penalty.norm().map(|norm| norm.dual(&v)) {
            let ends = [penalty.conjugate(&v, size), penalty.conjugate(&v, 0.999 * size)];
            law(ends == [0.0, f64::INFINITY], "cφ* is 0 where ‖u‖_* ≤ c, else ∞", &ends)?;
        }
        for coupling in [1e-6, 0.3, 1.0, 40.0] {
            for step in [0.5, 2.0] {
                check_dual_step(penalty, &v, coupling, step, &mut rng)?;
            }
        }
        let mut u = v.clone();
        penalty.prox_conjugate(&mut u, 0.0, 0.5);
        law(
            u.iter().all(|x| *x == 0.0) && penalty.conjugate(&u, 0.0) == 0.0,
            "coupling 0 gives dual 0",
            &u,
        )?;
    }
    Ok(())
}

/// φ(clip a − clip b) ≤ φ(a − b), each coordinate being clipped to an interval of its own.
fn check_clipping(
    penalty: &dyn Penalty,
    a: &[f64],
    b: &[f64],
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    if !penalty.allows_clipping() {
        return Ok(());
    }
    let (low, width) = (random_vector(rng, a.len(), 1.0), random_vector(rng, a.len(), 1.0));
    let clip = |v: &[f64]| -> Vec<f64> {
        let ends = low.iter().zip(&width);
        v.iter().zip(ends).map(|(v, (low, width))| v.clamp(*low, low + width.abs())).collect()
    };
    let (before, after) = (penalty.value(&sub(a, b)), penalty.value(&sub(&clip(a), &clip(b))));
    law(after <= before * (1.0 + 1e-12), "clipping does not make φ grow", &[before, after])
}

/// With u = prox_conjugate(v), Moreau's identity makes p = (v − u)/step the prox of (c/step)φ at
/// v/step: u is a subgradient of cφ at p, and Fenchel-Young holds with equality.
fn check_dual_step(
    penalty: &dyn Penalty,
    v: &[f64],
    c: f64,
    step: f64,
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let mut u = v.to_vec();
    penalty.prox_conjugate(&mut u, c, step);
    let p: Vec<f64> = v.iter().zip(&u).map(|(a, b)| (a - b) / step).collect();
    let mut direct: Vec<f64> = v.iter().map(|x| x / step).collect();
    penalty.prox(&mut direct, c / step);
    let apart = distance(&direct, &p);
    law(apart <= 1e-9 * (norm(v) / step), "prox and prox of the conjugate agree", &[c, apart])?;
    let conjugate = penalty.conjugate(&u, c);
    let value = c * penalty.value(&p);
    let rounding = 1e-11 * (1.0 + value + norm(v) * norm(v) / step);
    let young = value + conjugate - dot(&p, &u);
    law(young.abs() <= rounding, "cφ(p) + (cφ)*(u) = ⟨p, u⟩ at the prox", &[c, step, young])?;
    let y = random_vector(rng, v.len(), 5.0);
    let (above, below) = (c * penalty.value(&y), value + dot(&u, &sub(&y, &p)));
    law(
        above >= below - rounding - 1e-11 * norm(&y) * norm(&u),
        "u is a subgradient of cφ at p",
        &[c, above, below],
    )?;
    let young = c * penalty.value(&y) + conjugate - dot(&y, &u);
    law(young >= -rounding - 1e-11 * norm(&y) * norm(&u), "cφ(y) + (cφ)*(u) ≥ ⟨y, u⟩", &[c, young])
}
