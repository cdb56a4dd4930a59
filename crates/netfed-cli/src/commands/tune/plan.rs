//! What is to be tried and how it is judged: the settings of `netfed tune`, complete and checked.
//!
//! A *variant* is a choice of everything but λ; every variant gets its own path of λ.

use netfed::Table;
use netfed::evaluate::{Lambdas, Measure, Rule, TuneOptions};
use netfed_report::text::plural;

use super::flags::Tune;
use super::variant::{Variant, variants};
use crate::failure::Failure;
use crate::settings::{Range, number};

/// Number of λ when nothing is said.
const LAMBDAS: usize = 17;
/// The largest number of λ; more would be a slip of the keyboard.
const MOST_LAMBDAS: usize = 1000;

/// What is to be tried, and how it is judged.
pub(crate) struct Plan {
    pub(crate) variants: Vec<Variant>,
    pub(crate) options: TuneOptions,
}

impl Plan {
    /// Checks everything that can be checked before the data are read.
    pub(crate) fn new(args: &Tune) -> Result<Plan, Failure> {
        let given = args.given.read()?;
        if given.spec.lambda.is_some() {
            return Err(Failure::input(
                "--lambda is what netfed tune chooses; leave it out, or say --lambda-grid to try some values.".into(),
            ));
        }
        let own_tol = given.spec.tol;
        let mut base = given.of_many_fits(args.config.as_deref(), "netfed tune")?;
        // A graph that is built is written to the results, where the fit that follows finds it.
        let built = args.graph_rule.as_ref().map(|_| args.results.out.join("edges.csv"));
        base.files.graph = built.or(base.files.graph);
        let rule = args.rule.parse::<Rule>()?;
        for (flag, value, least) in [("--folds", args.folds, 2), ("--repeats", args.repeats, 1)] {
            if value < least {
                return Err(Failure::input(format!(
                    "{flag} is {value}; it must be at least {least}."
                )));
            }
        }
        let variants = variants(args, &base)?;
        if matches!(rule, Rule::Bic | Rule::Aic) && !variants.iter().any(Variant::has_information) {
            return Err(Failure::input(format!(
                "--rule {} needs the loss squared, logistic or mean and a penalty that makes clusters (l2, l1, linf); say --rule one-se.",
                rule.name()
            )));
        }
        let kind = variants[0].settings.spec.loss_kind();
        let mut options = TuneOptions::new(Measure::new(kind, args.measure.as_deref())?);
        options.lambdas = lambdas(args)?;
        (options.folds, options.repeats) = (args.folds, args.repeats);
        options.rule = rule;
        options.tolerance = own_tol.unwrap_or(options.tolerance);
        Ok(Plan { variants, options })
    }

    /// Refuses more folds than data points.
    pub(crate) fn check(&self, points: &Table) -> Result<(), Failure> {
        let rows = points.rows();
        if rows < self.options.folds {
            Err(Failure::input(format!(
                "--folds is {}, but {} has only {}; every fold needs one.",
                self.options.folds,
                self.variants[0].settings.data_name(),
                plural(rows, "data point")
            )))
        } else {
            Ok(())
        }
    }
}

fn lambdas(args: &Tune) -> Result<Lambdas, Failure> {
    let Some(given) = &args.lambda_grid else {
        let count = args.lambdas.unwrap_or(LAMBDAS);
        return if (1..=MOST_LAMBDAS).contains(&count) {
            Ok(Lambdas::Count(count))
        } else {
            Err(Failure::input(format!(
                "--lambdas is {count}; it must be a number of values from 1 to {MOST_LAMBDAS}."
            )))
        };
    };
    for lambda in given {
        number("--lambda-grid", *lambda, Range::Nonnegative)?;
    }
    let mut grid: Vec<f64> = given.iter().copied().filter(|l| *l > 0.0).collect();
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    if grid.is_empty() {
        Err(Failure::input("--lambda-grid has no value above 0; give at least one.".into()))
    } else {
        Ok(Lambdas::Given(grid))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser;

    /// The plan of a command line.
    pub(crate) fn plan(flags: &str) -> Result<Plan, Failure> {
        let graph = if flags.contains("--graph-rule") { "" } else { "--graph e.csv" };
        let line = format!("netfed tune --data p.csv {graph} --out o {flags}");
        match Args::try_parse_from(line.split_whitespace()).unwrap().command {
            Command::Tune(tune) => Plan::new(&tune),
            _ => panic!("not tune"),
        }
    }

    #[test]
    fn bad_flags_get_a_sentence() {
        for (flags, part) in [
            ("--lambda 1", "--lambda-grid"),
            ("--folds 1", "--folds is 1"),
            ("--repeats 0", "--repeats is 0"),
            ("--lambdas 0", "--lambdas is 0"),
            ("--lambda-grid 1,-2", "--lambda-grid is -2"),
            ("--lambda-grid 0", "no value above 0"),
            ("--penalties l2,l3", "unknown penalty"),
            ("--ridges 0,0", "twice"),
            ("--ridges NaN", "--ridges is NaN"),
            ("--huber-deltas 1", "--loss huber"),
            ("--loss huber --huber-deltas 0", "--huber-deltas is 0"),
            ("--measure accuracy", "known are squared, absolute"),
            ("--rule bic --penalty squared", "--rule bic needs"),
            ("--rule aic --loss hinge", "--rule aic needs"),
            ("--rule beste", "Did you mean \"best\"?"),
        ] {
            let message = plan(flags).err().map_or(String::new(), |e| e.to_string());
            assert!(message.contains(part), "{flags}: {message}");
        }
    }

    #[test]
    fn a_grid_is_sorted_and_has_no_zero() {
        let Lambdas::Given(grid) = plan("--lambda-grid 1,0,0.1,1").unwrap().options.lambdas else {
            panic!("not given")
        };
        assert_eq!(grid, [0.1, 1.0]);
    }
}
