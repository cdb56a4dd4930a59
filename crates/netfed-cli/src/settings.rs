//! The settings of a fit, with every gap filled and every value checked. The same keys stand in the `config.toml` that a
//! run leaves behind.

use std::path::{Path, PathBuf};

use netfed::flavor::Flavor;
use netfed::penalty::{Norm1, Norm2, NormInf, Penalty, Quadratic, Squared};
use netfed::{LossKind, Options, Solver};
use netfed_io::{PointColumns, Target};

use crate::failure::Failure;
use crate::given::Given;

/// Names of the losses.
pub(crate) const LOSSES: [&str; 6] = ["squared", "logistic", "huber", "absolute", "hinge", "mean"];
/// Names of the penalties.
pub(crate) const PENALTIES: [&str; 5] = ["l2", "l1", "linf", "squared", "quadratic"];
/// Names of the flavors.
pub(crate) const FLAVORS: [&str; 6] =
    ["centralized", "decentralized", "clustered", "horizontal", "vertical", "personalized"];
/// Names of the solvers.
pub(crate) const SOLVERS: [&str; 4] = ["auto", "primal-dual", "admm", "fed-admm"];

/// Settings with every gap filled and every value checked.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) given: Given,
    pub(crate) data: PathBuf,
    pub(crate) graph: PathBuf,
    pub(crate) columns: PointColumns,
    pub(crate) intercept: bool,
    pub(crate) standardize: bool,
    pub(crate) flavor: Option<Flavor>,
    pub(crate) loss: LossKind,
    pub(crate) lambda: f64,
    pub(crate) ridge: f64,
    pub(crate) lasso: f64,
    pub(crate) solver: Solver,
    pub(crate) tol: f64,
    pub(crate) max_iter: u64,
    pub(crate) batch: Option<usize>,
    pub(crate) rho: Option<f64>,
    pub(crate) kappa: Option<f64>,
    pub(crate) availability: Option<String>,
    pub(crate) threads: Option<usize>,
    pub(crate) seed: u64,
}

impl Settings {
    /// Fills the gaps and checks the values.
    pub(crate) fn new(given: Given) -> Result<Settings, Failure> {
        let lambda = given.lambda.ok_or_else(|| {
            Failure::input("no λ given; say --lambda NUMBER: 0 trains every node alone, larger values couple neighbors more. Or let --flavor NAME choose it.".into())
        })?;
        Settings::at(given, lambda)
    }

    /// The same for a command that finds λ itself; `lambda` is where it starts.
    pub(crate) fn at(given: Given, lambda: f64) -> Result<Settings, Failure> {
        let need = |path: &Option<PathBuf>, flag: &str, what: &str| {
            path.clone().ok_or_else(|| {
                Failure::input(format!("no {what} given; say {flag} FILE (or set it in --config)."))
            })
        };
        let loss_name = choose("loss", given.loss.as_deref().unwrap_or("squared"), &LOSSES)?;
        choose("penalty", given.penalty.as_deref().unwrap_or("l2"), &PENALTIES)?;
        let flavor = given.flavor.as_deref().map(flavor).transpose()?;
        let solver = choose("solver", given.solver.as_deref().unwrap_or("auto"), &SOLVERS)?;
        let solver = match solver {
            "primal-dual" => Solver::PrimalDual,
            "admm" => Solver::Admm,
            "fed-admm" => Solver::FedAdmm,
            _ => Solver::Auto,
        };
        check_rounds(&given, solver)?;
        let loss = loss_kind(
            loss_name,
            number("--huber-delta", given.huber_delta.unwrap_or(1.0), Range::Positive)?,
        );
        if given.huber_delta.is_some() && !matches!(loss, LossKind::Huber { .. }) {
            return Err(Failure::input(format!(
                "--huber-delta has an effect with --loss huber only; the loss is {loss_name}."
            )));
        }
        let intercept = given.intercept.unwrap_or(false);
        if intercept && loss == LossKind::Mean {
            return Err(Failure::input(
                "the loss mean has no intercept; leave --intercept out.".into(),
            ));
        }
        if given.threads == Some(0) {
            return Err(Failure::input("--threads is 0; it must be at least 1.".into()));
        }
        let kind = match loss {
            LossKind::Mean => Target::None,
            l if l.is_classification() => Target::Binary,
            _ => Target::Real,
        };
        Ok(Settings {
            data: need(&given.data, "--data", "file of data points")?,
            graph: match (&given.graph, flavor) {
                (None, Some(Flavor::Centralized | Flavor::Horizontal)) => PathBuf::from("no graph"),
                (graph, _) => need(graph, "--graph", "file of edges")?,
            },
            columns: PointColumns {
                node: given.node_column.clone().unwrap_or_else(|| "node".into()),
                node_optional: false,
                target: given.target.clone().unwrap_or_else(|| "y".into()),
                features: given.features.clone(),
                kind,
                target_optional: false,
                label_tip: "for two classes say --loss logistic, and write them as 0 and 1",
                trained: false,
            },
            intercept,
            standardize: given.standardize.unwrap_or(false),
            flavor,
            loss,
            lambda: number("--lambda", lambda, Range::Nonnegative)?,
            ridge: number("--ridge", given.ridge.unwrap_or(0.0), Range::Nonnegative)?,
            lasso: number("--lasso", given.lasso.unwrap_or(0.0), Range::Nonnegative)?,
            solver,
            tol: number("--tol", given.tol.unwrap_or(1e-6), Range::Nonnegative)?,
            max_iter: given.max_iter.unwrap_or(100_000),
            batch: given.batch_size,
            rho: given.rho.map(|v| number("--rho", v, Range::Positive)).transpose()?,
            kappa: given.kappa.map(|v| number("--kappa", v, Range::Positive)).transpose()?,
            availability: given.availability.clone(),
            threads: given.threads,
            seed: given.seed.unwrap_or(0),
            given,
        })
    }

    /// Options of the solver.
    pub(crate) fn options(&self) -> Options {
        Options {
            solver: self.solver,
            tolerance: self.tol,
            max_iterations: self.max_iter,
            ..Options::default()
        }
    }

    /// Name of the loss.
    pub(crate) fn loss_name(&self) -> &str {
        self.given.loss.as_deref().unwrap_or("squared")
    }

    /// Name of the penalty.
    pub(crate) fn penalty_name(&self) -> &str {
        self.given.penalty.as_deref().unwrap_or("l2")
    }

    /// The penalty for models of `dim` parameters.
    pub(crate) fn penalty(&self, dim: usize) -> Result<Box<dyn Penalty>, Failure> {
        let matrix = &self.given.penalty_matrix;
        if matrix.is_some() && self.penalty_name() != "quadratic" {
            return Err(Failure::input(
                "--penalty-matrix goes with --penalty quadratic only.".into(),
            ));
        }
        Ok(match self.penalty_name() {
            "l1" => Box::new(Norm1),
            "linf" => Box::new(NormInf),
            "squared" => Box::new(Squared),
            "quadratic" => {
                let path = matrix.as_ref().ok_or_else(|| {
                    Failure::input(
                        "the quadratic penalty needs its matrix Q; say --penalty-matrix FILE."
                            .into(),
                    )
                })?;
                let q = netfed_io::read_matrix(path, dim)?;
                let named = |e| Failure::input(format!("{}: {e}.", path.display()));
                Box::new(Quadratic::new(dim, &q).map_err(named)?)
            }
            _ => Box::new(Norm2),
        })
    }

    /// All that is needed to run the fit again, from any directory.
    pub(crate) fn to_toml(&self) -> Result<String, Failure> {
        let absolute = |p: &Path| std::path::absolute(p).unwrap_or_else(|_| p.to_path_buf());
        let full = Given {
            data: Some(absolute(&self.data)),
            graph: self.given.graph.as_deref().map(absolute),
            node_column: Some(self.columns.node.clone()),
            target: Some(self.columns.target.clone()),
            features: self.columns.features.clone(),
            intercept: Some(self.intercept),
            standardize: Some(self.standardize),
            flavor: self.given.flavor.clone(),
            loss: Some(self.loss_name().into()),
            penalty: Some(self.penalty_name().into()),
            lambda: self.given.lambda.map(|_| self.lambda),
            ridge: Some(self.ridge),
            lasso: Some(self.lasso),
            huber_delta: match self.loss {
                LossKind::Huber { delta } => Some(delta),
                _ => None,
            },
            penalty_matrix: self.given.penalty_matrix.as_deref().map(absolute),
            solver: Some(self.given.solver.clone().unwrap_or_else(|| "auto".into())),
            tol: Some(self.tol),
            max_iter: Some(self.max_iter),
            batch_size: self.batch,
            rho: self.rho,
            kappa: self.kappa,
            availability: self.availability.as_deref().map(|text| match text.parse::<f64>() {
                Ok(_) => text.to_owned(),
                Err(_) => absolute(Path::new(text)).display().to_string(),
            }),
            threads: self.threads,
            seed: Some(self.seed),
        };
        toml::to_string(&full)
            .map_err(|e| Failure::other(format!("cannot write the settings: {e}.")))
    }
}

/// Settings of rounds go with some solvers only.
fn check_rounds(given: &Given, solver: Solver) -> Result<(), Failure> {
    let wrong = |flag: &str, with: &str| {
        Err(Failure::input(format!("{flag} goes with {with} only; say so, or leave it out.")))
    };
    if given.availability.is_some() && solver == Solver::Auto {
        return wrong("--availability", "--solver primal-dual, admm or fed-admm");
    }
    if given.batch_size == Some(0) {
        return Err(Failure::input("--batch-size is 0; it must be at least 1.".into()));
    }
    if given.batch_size.is_some() && solver != Solver::FedAdmm {
        return wrong("--batch-size", "--solver fed-admm");
    }
    if given.kappa.is_some() && solver != Solver::FedAdmm {
        return wrong("--kappa", "--solver fed-admm");
    }
    if given.rho.is_some() && !matches!(solver, Solver::FedAdmm | Solver::Admm) {
        return wrong("--rho", "--solver admm or fed-admm");
    }
    Ok(())
}

/// The flavor with this name.
fn flavor(name: &str) -> Result<Flavor, Failure> {
    Ok(match choose("flavor", name, &FLAVORS)? {
        "centralized" => Flavor::Centralized,
        "decentralized" => Flavor::Decentralized,
        "clustered" => Flavor::Clustered,
        "horizontal" => Flavor::Horizontal,
        "personalized" => Flavor::Personalized,
        _ => {
            return Err(Failure::input(
                "--flavor vertical is about other data: one file for each party, with other columns about the same people; say netfed vertical --parties a.csv,b.csv --labels y.csv --id NAME --out models/.".into(),
            ));
        }
    })
}

fn loss_kind(name: &str, delta: f64) -> LossKind {
    match name {
        "logistic" => LossKind::Logistic,
        "huber" => LossKind::Huber { delta },
        "absolute" => LossKind::Absolute,
        "hinge" => LossKind::Hinge,
        "mean" => LossKind::Mean,
        _ => LossKind::Squared,
    }
}

/// One of the known names, or an error that suggests the nearest one.
pub fn choose<'a>(what: &str, name: &'a str, known: &[&str]) -> Result<&'a str, Failure> {
    if known.contains(&name) {
        return Ok(name);
    }
    let near = known
        .iter()
        .map(|k| (strsim::normalized_damerau_levenshtein(&name.to_lowercase(), k), k))
        .filter(|(similarity, _)| *similarity > 0.4)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let tip = near.map_or(String::new(), |(_, k)| format!(" Did you mean \"{k}\"?"));
    Err(Failure::input(format!("unknown {what} \"{name}\"; known are {}.{tip}", known.join(", "))))
}

/// The values that a setting may have.
pub(crate) enum Range {
    Nonnegative,
    Positive,
}

/// A number in its range, or an error that names the flag.
pub(crate) fn number(flag: &str, value: f64, range: Range) -> Result<f64, Failure> {
    let (good, expected) = match range {
        Range::Nonnegative => (value >= 0.0, "at least 0"),
        Range::Positive => (value > 0.0, "more than 0"),
    };
    if good && value.is_finite() {
        Ok(value)
    } else {
        Err(Failure::input(format!("{flag} is {value}; it must be {expected} and finite.")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Given {
        Given {
            data: Some("p.csv".into()),
            graph: Some("e.csv".into()),
            lambda: Some(0.1),
            ..Given::default()
        }
    }

    fn message(given: Given) -> String {
        Settings::new(given).unwrap_err().to_string()
    }

    #[test]
    fn bad_values_name_the_flag() {
        assert!(message(Given { lambda: Some(-1.0), ..files() }).starts_with("--lambda is -1"));
        assert!(
            message(Given { lambda: Some(f64::NAN), ..files() }).starts_with("--lambda is NaN")
        );
        assert!(message(Given { lambda: None, ..files() }).contains("--lambda NUMBER"));
        assert!(message(Given { tol: Some(f64::INFINITY), ..files() }).starts_with("--tol"));
        assert!(message(Given { threads: Some(0), ..files() }).contains("--threads"));
        assert!(message(Given { data: None, ..files() }).contains("--data FILE"));
        let huber = Given { loss: Some("huber".into()), huber_delta: Some(0.0), ..files() };
        assert!(message(huber).starts_with("--huber-delta is 0"));
        let delta = Given { huber_delta: Some(2.0), ..files() };
        assert!(message(delta).contains("--loss huber only; the loss is squared"));
        let mean = Given { loss: Some("mean".into()), intercept: Some(true), ..files() };
        assert!(message(mean).contains("--intercept"));
    }

    #[test]
    fn a_path_leaves_no_lambda_behind() {
        let settings = Settings::at(Given { lambda: None, ..files() }, 1.0).unwrap();
        assert!(!settings.to_toml().unwrap().contains("lambda"));
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let text = message(Given { loss: Some("sqared".into()), ..files() });
        assert!(text.contains("Did you mean \"squared\"?"), "{text}");
        let text = message(Given { penalty: Some("L2".into()), ..files() });
        assert!(text.contains("Did you mean \"l2\"?"), "{text}");
        let text = message(Given { solver: Some("simplex".into()), ..files() });
        assert!(text.contains("known are auto, primal-dual, admm, fed-admm"), "{text}");
    }

    #[test]
    fn settings_survive_the_way_through_toml() {
        let settings =
            Settings::new(Given { features: Some(vec!["a".into()]), ..files() }).unwrap();
        let back: Given = toml::from_str(&settings.to_toml().unwrap()).unwrap();
        let again = Settings::new(back).unwrap();
        assert_eq!(again.to_toml().unwrap(), settings.to_toml().unwrap());
    }
}
