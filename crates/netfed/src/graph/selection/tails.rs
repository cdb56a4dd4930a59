//! Tails of the χ² and F distributions, accurate to about 1e-13 of their size however small they
//! are.
//!
//!   P(χ²_d > x) = Q(d/2, x/2),   P(F_{d,ν} > x) = I_z(ν/2, d/2) with z = ν/(ν + d·x)
//!
//! Q and I are continued fractions times a density. The density is computed from deviances (C.
//! Loader, 2000), which do not cancel: a·ln(a/m) + m − a, and δ(a) = ln Γ(a + 1) −
//! [(a + ½) ln a − a + ½ ln 2π].

use std::f64::consts::PI;

/// Terms after which a series or fraction is taken as it is; they converge in about √a of them.
const TERMS: u32 = 100_000;

/// P(χ²_d > x)
pub fn chi_square_tail(x: f64, d: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let (a, x) = (0.5 * d, 0.5 * x);
    let density = (-stirling_error(a) - deviance(a, x)).exp() / (2.0 * PI * a).sqrt();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0, 1.0);
        for k in 1..TERMS {
            term *= x / (a + f64::from(k));
            sum += term;
            if term <= f64::EPSILON * sum {
                break;
            }
        }
        return (1.0 - density * sum).max(0.0);
    }
    if density == 0.0 {
        return 0.0;
    }
    let term = |k: u32| {
        let k = f64::from(k);
        (k * (a - k), x + 2.0 * k + 1.0 - a)
    };
    a * density / fraction(x + 1.0 - a, term)
}

/// P(F_{d,ν} > x)
pub fn f_tail(x: f64, d: f64, nu: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if (d * x).is_infinite() {
        return 0.0;
    }
    let whole = nu + d * x;
    beta_tail(0.5 * nu, 0.5 * d, nu / whole, d * x / whole)
}

/// I_z(a, b), with both z and 1 − z given.
fn beta_tail(a: f64, b: f64, z: f64, rest: f64) -> f64 {
    let n = a + b;
    let log = stirling_error(n)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, n * z)
        - deviance(b, n * rest);
    let density = (a * b / (2.0 * PI * n)).sqrt() * log.exp();
    if density == 0.0 {
        return if z * n < a { 0.0 } else { 1.0 };
    }
    // a − n·z without cancellation: where it is negative the other end is the tail.
    let ahead = a * rest - b * z;
    if ahead >= 0.0 {
        density / beta_fraction(a, b, z, rest, ahead)
    } else {
        (1.0 - density / beta_fraction(b, a, rest, z, -ahead)).max(0.0)
    }
}

/// The continued fraction of I_z(a, b) in which nothing cancels (DiDonato and Morris, 1992,
/// algorithm 708).
fn beta_fraction(a: f64, b: f64, z: f64, rest: f64, ahead: f64) -> f64 {
    let (c, c0, c1) = (1.0 + ahead, b / a, 1.0 + 1.0 / a);
    let term = |k: u32| {
        let k = f64::from(k);
        let (s, w) = (a + 2.0 * k - 1.0, k * (b - k) * z);
        let (p, e) = (1.0 + (k - 1.0) / a, a / s);
        let next = (1.0 + k / a) / (c1 + 2.0 * k / a);
        (p * (p + c0) * e * e * w * z, k + w / s + next * (c + k * (1.0 + rest)))
    };
    fraction(c / c1, term)
}

/// first + t₁/(b₁ + t₂/(b₂ + …)) with (t_k, b_k) = `term`(k), by Lentz's method.
fn fraction(first: f64, term: impl Fn(u32) -> (f64, f64)) -> f64 {
    let away_from_zero = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let mut value = away_from_zero(first);
    let (mut c, mut d) = (value, 0.0);
    for k in 1..TERMS {
        let (top, bottom) = term(k);
        d = 1.0 / away_from_zero(bottom + top * d);
        c = away_from_zero(bottom + top / c);
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    value
}

/// δ(a)
fn stirling_error(a: f64) -> f64 {
    let (mut a, mut shift) = (a, 0.0);
    while a < 16.0 {
        // δ(a) − δ(a + 1)
        shift += (a + 0.5) * (1.0 / a).ln_1p() - 1.0;
        a += 1.0;
    }
    let s = 1.0 / (a * a);
    shift
        + (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0))))
            / a
}

/// a·ln(a/m) + m − a
fn deviance(a: f64, m: f64) -> f64 {
    let u = (m - a) / a;
    if u.abs() < 0.5 { a * (u - u.ln_1p()) } else { a * (a / m).ln() + m - a }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with 50 digits (mpmath).
    #[test]
    fn tails_are_accurate_however_small() {
        for (x, d, expected) in [
            (0.01, 1.0, 0.920344325445942),
            (3.84, 1.0, 0.050043521248705106),
            (16.308813226283807, 4.0, 0.002631578947368422),
            (12.071302444989694, 3.0, 0.007142857142857142),
            (1.0, 20.0, 0.999999999829033),
            (50.0, 20.0, 0.00022147663824878357),
            (1400.0, 20.0, 1.1106924650193637e-284),
            (1200.0, 1.0, 6.0995688148084334e-263),
            (900.0, 1000.0, 0.9892827619087102),
            (1500.0, 1000.0, 1.0454640385979658e-22),
            (5.0, 7.0, 0.6599632296942827),
            (700.0, 2.0, 9.92959039626498e-153),
        ] {
            let off = (chi_square_tail(x, d) / expected - 1.0).abs();
            assert!(off < 2e-13, "χ², {x}, {d}: {off:e}");
        }
        for (x, d, nu, expected) in [
            (0.5, 1.0, 1.0, 0.6081734479693928),
            (3.0, 5.0, 14.0, 0.04791115367518781),
            (40.0, 5.0, 14.0, 8.359018205388025e-08),
            (1000000.0, 5.0, 14.0, 2.402383723548027e-38),
            (2.5, 20.0, 60.5, 0.003259523776253257),
            (100.0, 20.0, 60.5, 7.796033739538504e-39),
            (10.0, 3.0, 1000000.0, 1.380347821421968e-06),
            (1.0, 200.0, 300.0, 0.49656438970145994),
            (5.0, 200.0, 300.0, 4.739496592018849e-36),
            (0.2, 4.0, 2.5, 0.9209522254749177),
            (10000.0, 1.0, 7.3, 1.012854623204537e-12),
        ] {
            let off = (f_tail(x, d, nu) / expected - 1.0).abs();
            assert!(off < 2e-13, "F, {x}, {d}, {nu}: {off:e}");
        }
    }

    #[test]
    fn ends_and_limits() {
        assert_eq!((chi_square_tail(0.0, 3.0), f_tail(0.0, 3.0, 4.0)), (1.0, 1.0));
        assert_eq!((chi_square_tail(1e300, 3.0), f_tail(f64::INFINITY, 3.0, 4.0)), (0.0, 0.0));
        assert_eq!(chi_square_tail(f64::INFINITY, 3.0), 0.0);
        // d·F tends to χ² as ν grows.
        let (chi, f) = (chi_square_tail(30.0, 5.0), f_tail(6.0, 5.0, 1e9));
        assert!((f / chi - 1.0).abs() < 1e-6, "{chi:e} {f:e}");
        // No jump where the series ends and the fraction begins.
        for d in [1.0, 2.0, 9.0, 100.0] {
            let border = d + 2.0;
            let (below, above) =
                (chi_square_tail(border * (1.0 - 1e-15), d), chi_square_tail(border, d));
            assert!((below / above - 1.0).abs() < 1e-12, "{d}");
        }
    }
}
