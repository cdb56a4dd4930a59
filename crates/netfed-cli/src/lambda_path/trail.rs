//! A path of solutions as both `netfed path` and `netfed cluster` need it: the values of λ, the
//! solutions, the tree of merges.

use std::time::Instant;

use netfed::{
    Event, LambdaMax, Options, PathRange, Problem, Proof, Start, WholePath, lambda_max_with,
    path_along_with,
};
use netfed_report::text::{digits, number};

use crate::args::Range;
use crate::failure::Failure;
use crate::progress::{Steps, Watch, say, until_interrupted};

/// The most values of λ.
const MOST: usize = 10_000;

/// A path.
pub(crate) struct Trail {
    /// The values of λ, the solutions, the tree of merges.
    pub(crate) path: WholePath,
    /// Seconds of each solution.
    pub(crate) seconds: Vec<f64>,
    /// Seconds for everything.
    pub(crate) total: f64,
}

impl Trail {
    /// Finds the values of λ and solves for all of them.
    pub(crate) fn follow(
        problem: &Problem,
        range: Range,
        options: &Options,
        keep: bool,
        quiet: bool,
    ) -> Result<Trail, Failure> {
        check(range)?;
        let start = Instant::now();
        let mut watch = Watch::new(options.tolerance, quiet);
        let end = match range.lambda_max {
            Some(_) => None,
            None => {
                if !quiet {
                    say("looking for λ_max, where all models become one");
                }
                Some(lambda_max_with(problem, options, &mut watch)?)
            }
        };
        let lambdas = values(problem, range, end.as_ref(), options, &mut watch)?;
        watch.finish();
        let mut trail = Trail::along(problem, lambdas, options, end.clone(), keep, quiet)?;
        (trail.path.end, trail.total) = (end, start.elapsed().as_secs_f64());
        Ok(trail)
    }

    /// Solves for given values of λ; `end` may hold a solution for the last one.
    pub(crate) fn along(
        problem: &Problem,
        lambdas: Vec<f64>,
        options: &Options,
        end: Option<LambdaMax>,
        keep: bool,
        quiet: bool,
    ) -> Result<Trail, Failure> {
        let start = Instant::now();
        let steps = Steps::new(lambdas.len(), quiet);
        // Runs may go side by side.
        let mut begun = vec![None; lambdas.len()];
        let mut seconds = vec![None; lambdas.len()];
        let top: Option<Start> = end.and_then(|end| end.merged);
        let mut watch = |event: Event<'_>| {
            match event {
                Event::Begin { run, .. } => begun[run] = Some(Instant::now()),
                Event::Solved { run, point, .. } => {
                    seconds[run] = begun[run].map(|begun| begun.elapsed().as_secs_f64());
                    let clusters = point.clusters.count();
                    steps.step(&format!("λ = {}, {clusters} clusters", number(point.lambda)));
                }
                _ => {}
            }
            until_interrupted(event)
        };
        let path = path_along_with(problem, lambdas, top, keep, options, &mut watch)?;
        steps.finish();
        let seconds = seconds.into_iter().flatten().collect();
        let total = start.elapsed().as_secs_f64();
        Ok(Trail { path, seconds, total })
    }

    /// How the path ended, for people and programs.
    pub(crate) fn status(&self) -> &'static str {
        self.path.status().name()
    }

    /// What is known about the λ at which everything has merged.
    pub(crate) fn end_in_words(&self) -> String {
        let Some(end) = &self.path.end else {
            return "The end of the path was given, λ_max was not looked for.".into();
        };
        let (lower, upper) = (digits(end.lower), digits(end.upper));
        match end.proof {
            _ if end.upper == 0.0 => {
                "Nothing is to be merged: the local models agree already, or there are no edges."
                    .into()
            }
            Proof::Formula => format!(
                "From λ_max = {upper} on, every connected part of the graph has one model (a formula: the graph has no cycles)."
            ),
            Proof::Flow if end.upper - end.lower <= 2e-6 * end.upper => format!(
                "From λ_max = {upper} on, every connected part of the graph has one model (proven, and known up to a relative {:.0e}).",
                (end.upper / end.lower - 1.0).max(1e-16)
            ),
            Proof::Flow => format!(
                "From λ = {upper} on, every connected part of the graph has one model; at {lower} it has not yet. Both are proven; λ_max is between them."
            ),
            Proof::Tolerance => format!(
                "From λ = {upper} on, one model for every connected part of the graph is optimal within the tolerance; below {lower} it is proven not to be."
            ),
            Proof::Never => format!(
                "This penalty never merges models. From λ = {upper} on they differ by less than a thousandth of the spread of the local models."
            ),
            Proof::NotFound => {
                format!("No λ was found at which all models are one; the path ends at λ = {upper}.")
            }
        }
    }
}

/// The values of λ.
fn values(
    problem: &Problem,
    range: Range,
    end: Option<&LambdaMax>,
    options: &Options,
    watch: &mut Watch,
) -> Result<Vec<f64>, Failure> {
    let last = range.lambda_max.or(end.map(|e| e.upper)).unwrap_or(0.0);
    let mut own = PathRange::default();
    own.count = range.lambdas.unwrap_or(own.count);
    (own.first, own.last) = (range.lambda_min, range.lambda_max);
    if let Some(first) = own.first.filter(|first| own.count > 1 && last > 0.0 && *first >= last) {
        return Err(Failure::input(format!(
            "--lambda-min is {first}, but at λ = {} already all models are one; give a smaller --lambda-min.",
            digits(last)
        )));
    }
    Ok(own.values_with(problem, end, options, watch)?)
}

fn check(range: Range) -> Result<(), Failure> {
    if let Some(count) = range.lambdas
        && !(1..=MOST).contains(&count)
    {
        return Err(Failure::input(format!("--lambdas is {count}; it must be from 1 to {MOST}.")));
    }
    for (flag, value) in [("--lambda-min", range.lambda_min), ("--lambda-max", range.lambda_max)] {
        if let Some(v) = value
            && !(v > 0.0 && v.is_finite())
        {
            return Err(Failure::input(format!(
                "{flag} is {v}; it must be more than 0 and finite."
            )));
        }
    }
    if let (Some(min), Some(max)) = (range.lambda_min, range.lambda_max)
        && min >= max
    {
        return Err(Failure::input(format!(
            "--lambda-min is {min} and --lambda-max is {max}; the first must be smaller."
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let bad = |range: Range| check(range).unwrap_err().to_string();
        let none = Range { lambdas: None, lambda_min: None, lambda_max: None };
        assert!(bad(Range { lambdas: Some(0), ..none }).starts_with("--lambdas is 0"));
        assert!(bad(Range { lambda_min: Some(-1.0), ..none }).starts_with("--lambda-min is -1"));
        assert!(
            bad(Range { lambda_max: Some(f64::NAN), ..none }).starts_with("--lambda-max is NaN")
        );
        let crossed = Range { lambda_min: Some(2.0), lambda_max: Some(1.0), ..none };
        assert!(bad(crossed).contains("the first must be smaller"));
    }
}
