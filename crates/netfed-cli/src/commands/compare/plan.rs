//! What is compared and how it is judged: the settings of `netfed compare`, complete and checked.

use std::sync::OnceLock;
use std::time::Instant;

use netfed::evaluate::{CompareMethod as Method, CompareOptions, HoldOut, Known, Measure};
use netfed::names::choose;
use netfed::{LossKind, Spec, Table};

use super::flags::Compare;
use crate::failure::Failure;
use crate::settings::Settings;

/// Relative gap at which the runs of the cross-validation stop.
const TOLERANCE: f64 = 1e-4;

/// What is compared, and how.
pub(crate) struct Plan {
    pub(crate) settings: Settings,
    pub(crate) methods: Vec<Method>,
    pub(crate) splits: usize,
    /// Share of the points that is held out.
    pub(crate) validation: f64,
    pub(crate) folds: usize,
    /// The most rounds.
    pub(crate) rounds: u64,
    pub(crate) ifca_clusters: Option<usize>,
    pub(crate) measure: Measure,
    /// Relative gap of the runs of the cross-validation.
    pub(crate) tolerance: f64,
}

impl Plan {
    /// Checks everything that can be checked before the data are read.
    pub(crate) fn new(args: &Compare) -> Result<Plan, Failure> {
        let given = args.given.read()?;
        for (flag, there) in
            [("--lambda", given.spec.lambda.is_some()), ("--solver", given.spec.solver.is_some())]
        {
            if there {
                return Err(Failure::input(format!(
                    "{flag} has no place here: netfed compare runs every method with the settings that suit it; leave it out."
                )));
            }
        }
        let mut given = given.of_many_fits(args.config.as_deref(), "netfed compare")?;
        given.spec.solver = None;
        let tolerance = given.spec.tol.unwrap_or(TOLERANCE);
        let settings = Settings::of_path(given)?;
        for (flag, value, least) in [
            ("--splits", args.splits, 2),
            ("--folds", args.folds, 2),
            ("--rounds", usize::try_from(args.rounds).unwrap_or(usize::MAX), 1),
            ("--ifca-clusters", args.ifca_clusters.unwrap_or(1), 1),
        ] {
            if value < least {
                return Err(Failure::input(format!(
                    "{flag} is {value}; it must be at least {least}."
                )));
            }
        }
        if !(args.validation > 0.0 && args.validation < 1.0) {
            return Err(Failure::input(format!(
                "--validation is {}; it must be a share of the data points, more than 0 and less than 1.",
                args.validation
            )));
        }
        Ok(Plan {
            methods: methods(args, &settings)?,
            splits: args.splits,
            validation: args.validation,
            folds: args.folds,
            rounds: args.rounds,
            ifca_clusters: args.ifca_clusters,
            measure: Measure::new(settings.spec.loss_kind(), args.measure.as_deref())?,
            tolerance,
            settings,
        })
    }
}

impl Plan {
    /// The same for the library.
    pub(crate) fn complete(&self, spec: &Spec, known: &Known) -> CompareOptions {
        let mut options = CompareOptions::new(spec, known)
            .with_methods(self.methods.clone())
            .with_splits(self.splits, self.validation)
            .with_folds(self.folds)
            .with_rounds(self.rounds);
        (options.measure, options.tolerance) = (self.measure, self.tolerance);
        options.ifca_clusters = self.ifca_clusters;
        options.clock = Some(clock);
        options
    }

    /// Refuses splits without points on one of their sides. How many there are is the same in all.
    pub(crate) fn check(&self, points: &Table) -> Result<(), Failure> {
        let held = HoldOut::Share(self.validation).rows(points, self.settings.spec.seed);
        let rows = held.iter().filter(|held| !**held).count();
        let file = self.settings.data_name();
        if rows == held.len() {
            return Err(Failure::input(format!(
                "{file}: --validation {} holds out no data point, because every node keeps at least one; give more points or a larger share.",
                self.validation
            )));
        }
        if rows < self.folds {
            return Err(Failure::input(format!(
                "--folds is {}, but only {rows} data points of {file} are left for training; every fold needs one.",
                self.folds
            )));
        }
        Ok(())
    }
}

/// Seconds since the first call.
fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// The methods, in their order, local and global first.
fn methods(args: &Compare, settings: &Settings) -> Result<Vec<Method>, Failure> {
    let kinks = matches!(settings.spec.loss_kind(), LossKind::Absolute | LossKind::Hinge);
    let testable = !kinks && settings.spec.lasso == 0.0;
    let possible = |m: Method| match m {
        Method::Oracle => args.clusters.is_some(),
        Method::GtvSelected => testable,
        _ => true,
    };
    let Some(names) = &args.methods else {
        return Ok(Method::ALL.into_iter().filter(|m| possible(*m)).collect());
    };
    for name in names {
        choose("method", name, &Method::NAMES)?;
    }
    let asked = |m: &Method| names.iter().any(|n| n == m.name());
    if asked(&Method::Oracle) && args.clusters.is_none() {
        return Err(Failure::input(
            "the method oracle needs the true clusters; say --clusters FILE, with the columns node and cluster.".into(),
        ));
    }
    if asked(&Method::GtvSelected) && !testable {
        return Err(Failure::input(
            "the method gtv-selected needs a loss that is twice differentiable: squared, logistic, huber or mean, without lasso; take gtv instead.".into(),
        ));
    }
    let always = |m: &Method| matches!(m, Method::Local | Method::Global);
    Ok(Method::ALL.into_iter().filter(|m| asked(m) || always(m)).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser;

    /// The plan of a command line.
    pub(crate) fn plan(flags: &str) -> Result<Plan, Failure> {
        let line = format!("netfed compare --data p.csv --graph e.csv --out o {flags}");
        match Args::try_parse_from(line.split_whitespace()).unwrap().command {
            Command::Compare(compare) => Plan::new(&compare),
            _ => panic!("not compare"),
        }
    }

    #[test]
    fn bad_flags_get_a_sentence() {
        for (flags, part) in [
            ("--lambda 1", "--lambda has no place"),
            ("--solver admm", "--solver has no place"),
            ("--splits 1", "--splits is 1; it must be at least 2"),
            ("--folds 0", "--folds is 0"),
            ("--rounds 0", "--rounds is 0"),
            ("--ifca-clusters 0", "--ifca-clusters is 0"),
            ("--validation 1", "--validation is 1"),
            ("--validation -0.5", "--validation is -0.5"),
            ("--methods fedavgg", "Did you mean \"fedavg\"?"),
            ("--methods oracle", "--clusters FILE"),
            ("--methods gtv-selected --loss hinge", "twice differentiable"),
            ("--methods gtv-selected --lasso 0.1", "twice differentiable"),
            ("--measure accuracy", "known are squared, absolute"),
        ] {
            let message = plan(flags).err().map_or(String::new(), |e| e.to_string());
            assert!(message.contains(part), "{flags}: {message}");
        }
    }

    #[test]
    fn the_methods_are_those_that_are_possible() {
        let names = |flags: &str| -> Vec<&str> {
            plan(flags).unwrap().methods.into_iter().map(Method::name).collect()
        };
        assert_eq!(names("--methods gtv"), ["local", "global", "gtv"]);
        assert_eq!(names("").len(), 12, "all but the oracle");
        assert!(names("--clusters c.csv").contains(&"oracle"));
        assert!(!names("--loss absolute").contains(&"gtv-selected"));
    }
}
