//! A smooth function near |v|:  √(v² + μ²) − μ

/// |v| with its kink smoothed away over a width μ: value, slope and curvature.
#[inline]
pub(crate) fn smooth_abs(v: f64, mu: f64) -> (f64, f64, f64) {
    let root = v.hypot(mu);
    (v / (root + mu) * v, v / root, mu / root * (mu / root) / root)
}
