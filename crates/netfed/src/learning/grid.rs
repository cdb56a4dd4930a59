//! Grid search: the setting with the best mean score over several instances.

use crate::numeric::threads::*;

/// The best setting, with its results of all instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice<S, T> {
    /// The setting.
    pub setting: S,
    /// Its result of every instance, in order.
    pub results: Vec<T>,
    /// Its mean score.
    pub score: f64,
}

/// Runs every setting on every instance and gives the setting with the largest mean score, the
/// first of equal ones; none without settings or instances. A score that is not a number counts as
/// the worst.
pub fn grid_search<I: Sync, S: Clone + Sync, T: Send, E: Send>(
    instances: &[I],
    settings: &[S],
    run: impl Fn(&I, &S) -> Result<T, E> + Sync,
    score: impl Fn(&T) -> f64,
) -> Result<Option<Choice<S, T>>, E> {
    let mut best: Option<Choice<S, T>> = None;
    for setting in settings {
        let results =
            instances.par_iter().map(|i| run(i, setting)).collect::<Result<Vec<T>, E>>()?;
        let mean = results.iter().map(&score).sum::<f64>() / results.len() as f64;
        let better = best.as_ref().is_none_or(|b| mean > b.score || b.score.is_nan());
        if better && !results.is_empty() {
            best = Some(Choice { setting: setting.clone(), results, score: mean });
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_mean_wins() {
        let run =
            |i: &f64, s: &f64| Ok::<f64, ()>(if *s > 3.0 { f64::NAN } else { -(i - s).abs() });
        let best = grid_search(&[1.0, 2.0, 2.0], &[9.0, 0.0, 2.0, 1.0], run, |t| *t).unwrap();
        let best = best.unwrap();
        assert_eq!((best.setting, best.results), (2.0, vec![-1.0, -0.0, -0.0]));
        assert_eq!(grid_search(&[] as &[f64], &[1.0], run, |t| *t), Ok(None));
        assert_eq!(grid_search(&[1.0], &[1.0], |_, _| Err::<f64, u8>(7), |t| *t), Err(7));
    }
}
