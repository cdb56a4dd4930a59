//! A whole path: the values of λ, the solutions, the tree of merges.

use super::lambda_max::{LambdaMax, Proof, lambda_max_with};
use super::merge_tree::MergeTree;
use super::{follow_path_with, hardly_coupled_with, log_grid};
use crate::outcome::{Event, Observer, PathPoint, Start, Status, Unobserved};
use crate::run::Options;
use crate::{Error, Matrix, Problem};

/// Values of λ without a word about it.
const COUNT: usize = 50;

/// Which values of λ a path has.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PathRange {
    /// How many.
    pub count: usize,
    /// The first; none: where hardly anything is coupled.
    pub first: Option<f64>,
    /// The last; none: λ_max, where all models are one.
    pub last: Option<f64>,
}

impl Default for PathRange {
    fn default() -> PathRange {
        PathRange { count: COUNT, first: None, last: None }
    }
}

impl PathRange {
    /// With so many values.
    pub fn with_count(self, count: usize) -> PathRange {
        PathRange { count, ..self }
    }

    /// From this λ on.
    pub fn with_first(self, first: f64) -> PathRange {
        PathRange { first: Some(first), ..self }
    }

    /// Up to this λ.
    pub fn with_last(self, last: f64) -> PathRange {
        PathRange { last: Some(last), ..self }
    }

    /// The values, where λ_max is `end` if it was looked for; 0 alone where nothing is to be
    /// merged.
    pub fn values_with(
        &self,
        problem: &Problem,
        end: Option<&LambdaMax>,
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f64>, Error> {
        let last = self.last.or(end.map(|e| e.upper)).unwrap_or(0.0);
        if last == 0.0 {
            return Ok(vec![0.0]);
        }
        if self.count == 1 {
            return Ok(vec![last]);
        }
        let first = match self.first {
            Some(value) if value < last => value,
            Some(value) => {
                let (name, expected) = ("the first λ of a path", "less than the last");
                return Err(Error::BadNumber { name, value, expected });
            }
            None => {
                let proof = end.map(|e| e.proof);
                hardly_coupled_with(problem, last, proof, options, observer)?
            }
        };
        Ok(log_grid(first, last, self.count))
    }
}

/// A path of solutions.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WholePath {
    /// λ_max; none where the end of the path was given.
    pub end: Option<LambdaMax>,
    /// All values of λ asked for, increasing.
    pub lambdas: Vec<f64>,
    /// The solutions; some are missing if the path was stopped.
    pub points: Vec<PathPoint>,
    /// The models of each solution, in the units of the problem, where they are kept.
    pub models: Vec<Matrix>,
    /// Who merges when.
    pub tree: MergeTree,
}

impl WholePath {
    /// Whether models become equal along the path: quadratic penalties do not make them so.
    pub fn merges(&self) -> bool {
        self.end.as_ref().is_none_or(|end| end.proof != Proof::Never)
    }

    /// How the path ended.
    pub fn status(&self) -> Status {
        let any = |status| self.points.iter().any(|p| p.status == status);
        if any(Status::Stopped) || self.points.len() < self.lambdas.len() {
            return Status::Stopped;
        }
        let worst = [Status::MaxIterations, Status::NoMinimum, Status::Unproven];
        worst.into_iter().find(|s| any(*s)).unwrap_or(Status::Solved)
    }
}

/// Finds the values of λ and solves for all of them, with all models.
pub fn whole_path(
    problem: &Problem,
    range: &PathRange,
    options: &Options,
) -> Result<WholePath, Error> {
    whole_path_with(problem, range, options, &mut Unobserved)
}

/// [`whole_path()`] with an observer, who is told of the iterations of the search for λ_max and of
/// all runs, and may end them.
pub fn whole_path_with(
    problem: &Problem,
    range: &PathRange,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<WholePath, Error> {
    let end = match range.last {
        Some(_) => None,
        None => Some(lambda_max_with(problem, options, observer)?),
    };
    let lambdas = range.values_with(problem, end.as_ref(), options, observer)?;
    let top = end.as_ref().and_then(|end| end.merged.clone());
    let path = path_along_with(problem, lambdas, top, true, options, observer)?;
    Ok(WholePath { end, ..path })
}

/// Solves for given values of λ, which are increasing; `top` may hold a solution for the last one.
pub fn path_along_with(
    problem: &Problem,
    lambdas: Vec<f64>,
    top: Option<Start>,
    keep: bool,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<WholePath, Error> {
    let mut models: Vec<Option<Matrix>> = vec![None; lambdas.len()];
    let mut watch = |event: Event<'_>| {
        if let Event::Solved { run, solution, .. } = event
            && keep
        {
            models[run] = Some(solution.params.clone());
        }
        observer.observe(event)
    };
    let points = follow_path_with(problem, &lambdas, options, top, &mut watch)?;
    let partitions: Vec<(f64, &[usize])> =
        points.iter().map(|p| (p.lambda, p.clusters.of_node.as_slice())).collect();
    let tree = MergeTree::new(problem.nodes(), &partitions);
    let models = models.into_iter().flatten().collect();
    Ok(WholePath { end: None, lambdas, points, models, tree })
}
