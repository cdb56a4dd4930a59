//! Rows of numbers as the probabilities of classes.

use super::Task;

/// Makes rows of nearly probabilities ones: none below 0, sum 1. Numbers of a regression stay.
pub(crate) fn normalize(task: Task, values: &mut [f64]) {
    let Task::Classification(classes) = task else { return };
    for p in values.chunks_exact_mut(classes) {
        p.iter_mut().for_each(|v| *v = v.max(0.0));
        let sum: f64 = p.iter().sum();
        if sum > 0.0 { p.iter_mut().for_each(|v| *v /= sum) } else { p.fill(task.nothing_known()) }
    }
}

/// z ← softmax(z) of one row; gives log Σ exp z.
pub(crate) fn softmax(z: &mut [f64]) -> f64 {
    let most = z.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    z.iter_mut().for_each(|v| *v = (*v - most).exp());
    let sum: f64 = z.iter().sum();
    z.iter_mut().for_each(|v| *v /= sum);
    most + sum.ln()
}

/// The same for rows of so many classes.
pub(crate) fn softmax_rows(classes: usize, values: &mut [f64]) {
    values.chunks_exact_mut(classes).for_each(|z| _ = softmax(z));
}

/// The class with the largest probability, the first of several.
pub fn likeliest(probabilities: &[f64]) -> usize {
    let mut best = 0;
    for (k, p) in probabilities.iter().enumerate() {
        if *p > probabilities[best] {
            best = k;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_probabilities() {
        let mut z = [1e3, 1e3 + 3f64.ln(), -2.0, -2.0];
        assert!((softmax(&mut z[..2].to_owned()) - 1e3 - 4f64.ln()).abs() < 1e-12);
        softmax_rows(2, &mut z);
        assert!((z[0] - 0.25).abs() < 1e-12 && (z[1] - 0.75).abs() < 1e-12);
        assert_eq!(z[2..], [0.5, 0.5]);
        let mut p = [0.3, 0.9, -1e-9, 0.0];
        normalize(Task::Regression, &mut p);
        assert_eq!(p, [0.3, 0.9, -1e-9, 0.0]);
        normalize(Task::Classification(2), &mut p);
        assert!((p[0] - 0.25).abs() < 1e-12 && (p[1] - 0.75).abs() < 1e-12);
        assert_eq!(p[2..], [0.5, 0.5]);
    }
}
