//! What every model asks of the points, targets and weights it is fitted to.

use super::{Points, Task};
use crate::table::LARGEST;
use crate::{Error, Matrix};

/// Checks the input of a fit. What targets points with θ = 0 have does not matter.
pub(crate) fn check(
    task: Task,
    dim: usize,
    points: &Points,
    targets: &Matrix,
    weights: &[f64],
) -> Result<(), Error> {
    let rows = points.rows();
    let sizes = [
        ("features of the points of a fit", dim, rows.cols()),
        ("numbers of a target", task.outputs(), targets.cols()),
        ("targets of a fit", rows.rows(), targets.rows()),
        ("weights of a fit", rows.rows(), weights.len()),
    ];
    for (what, expected, found) in sizes {
        if expected != found {
            return Err(Error::Size { what, expected, found });
        }
    }
    points.check()?;
    if let Some(&value) = weights.iter().find(|w| !(**w >= 0.0 && **w <= LARGEST)) {
        return Err(Error::BadNumber {
            name: "the weight of a point",
            value,
            expected: "at least 0 and at most 1e100",
        });
    }
    if weights.iter().all(|w| *w == 0.0) {
        return Err(Error::BadNumber {
            name: "the sum of the weights of all points",
            value: 0.0,
            expected: "more than 0",
        });
    }
    let is_kept = |row: &usize| weights[*row] > 0.0;
    if !targets.as_slice().iter().all(|t| t.abs() <= LARGEST) {
        let bad = |row: &usize| !targets.row(*row).iter().all(|t| t.abs() <= LARGEST);
        if let Some(row) = (0..weights.len()).filter(is_kept).find(bad) {
            return Err(Error::NotFinite { row });
        }
    }
    if task == Task::Regression {
        return Ok(());
    }
    for target in (0..weights.len()).filter(is_kept).map(|row| targets.row(row)) {
        let sum: f64 = target.iter().sum();
        if (sum - 1.0).abs() > 1e-6 || target.iter().any(|p| *p < 0.0) {
            return Err(Error::BadNumber {
                name: "the sum of the probabilities of a target",
                value: sum,
                expected: "1, and none of them less than 0",
            });
        }
    }
    Ok(())
}

/// The rows with θ > 0, in order: the others are not there.
pub(crate) fn kept(weights: &[f64]) -> Vec<u32> {
    (0..weights.len() as u32).filter(|r| weights[*r as usize] > 0.0).collect()
}

/// Σ θ_r y_r / Σ θ_r over some rows.
pub(crate) fn mean(rows: &[u32], values: &Matrix, weights: &[f64]) -> Vec<f64> {
    let mut mean = vec![0.0; values.cols()];
    let mut total = 0.0;
    for &r in rows {
        total += weights[r as usize];
        crate::numeric::linalg::axpy(weights[r as usize], values.row(r as usize), &mut mean);
    }
    mean.iter_mut().for_each(|m| *m /= total);
    mean
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn bad_input_is_named() {
        let matrix = |cols, values: &[f64]| Matrix::from_rows(cols, values.to_vec()).unwrap();
        let points = || Points::new(matrix(1, &[1.0, 2.0]));
        let fit = |points: Points, targets: &Matrix, weights: &[f64]| {
            let task = if targets.cols() == 1 { Task::Regression } else { Task::Classification(2) };
            check(task, 1, &points, targets, weights).map_err(|e| e.to_string())
        };
        let y = matrix(1, &[1.0, 2.0]);
        assert_eq!(fit(points(), &y, &[0.0, 2.0]), Ok(()));
        assert_eq!(fit(points(), &matrix(1, &[f64::NAN, 2.0]), &[0.0, 2.0]), Ok(()));
        assert_eq!(kept(&[0.0, 2.0, 0.0, 1.0]), [1, 3]);
        assert!(fit(points(), &y, &[0.0, 0.0]).unwrap_err().contains("sum of the weights"));
        assert!(fit(points(), &y, &[1.0, -1.0]).unwrap_err().contains("-1"));
        assert!(fit(points(), &y, &[1.0, f64::NAN]).unwrap_err().contains("NaN"));
        assert!(fit(points(), &y, &[1.0]).unwrap_err().contains("expected 2, found 1"));
        assert!(fit(points(), &matrix(1, &[1.0, f64::NAN]), &[1.0, 1.0]).is_err());
        assert!(fit(Points::new(matrix(1, &[1.0, f64::NAN])), &y, &[1.0, 1.0]).is_err());
        assert!(fit(Points::new(matrix(2, &[1.0, 2.0])), &matrix(1, &[1.0]), &[1.0]).is_err());
        assert!(fit(points(), &matrix(2, &[0.5, 0.5, 1.0, 0.0]), &[1.0, 1.0]).is_ok());
        assert!(fit(points(), &matrix(2, &[0.5, 0.5, 1.5, -0.5]), &[1.0, 1.0]).is_err());
    }
}
