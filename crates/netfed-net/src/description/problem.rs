//! What members solve together: the settings of the library, and what the columns of their data
//! are.

use netfed::penalty::PenaltyKind;
use netfed::spec::Given;
use netfed::{LossKind, Spec};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Description;
use super::method::Method;
use crate::error::Error;

/// What the columns of the members' data are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Columns {
    /// The node of every row; `node` where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_column: Option<String>,
    /// The label; `y` where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The features, in the order that all members share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<String>>,
}

/// What members solve together: one table in the file.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// The columns of the data.
    pub columns: Columns,
    /// The settings as they were given; those of the method stand beside.
    pub settings: Given,
}

impl Problem {
    /// From columns and settings.
    pub fn new(columns: Columns, settings: Given) -> Problem {
        Problem { columns, settings }
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error;
        let mut all = toml::Table::try_from(&self.columns).map_err(S::Error::custom)?;
        all.extend(toml::Table::try_from(&self.settings).map_err(S::Error::custom)?);
        all.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Problem {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Problem, D::Error> {
        fn read<T: DeserializeOwned, E: serde::de::Error>(table: toml::Table) -> Result<T, E> {
            table.try_into().map_err(|e: toml::de::Error| E::custom(e.message()))
        }
        let (mut columns, mut settings) = (toml::Table::new(), toml::Table::new());
        for (key, value) in toml::Table::deserialize(from)? {
            match (key.as_str(), value) {
                ("node-column" | "target" | "features", value) => {
                    columns.insert(key, value);
                }
                // Descriptions from before have it as text.
                ("availability", toml::Value::String(text)) => {
                    let number: f64 = text.parse().map_err(|_| {
                        D::Error::custom(format!(
                            "availability is \"{text}\"; in a federation it is one number"
                        ))
                    })?;
                    settings.insert(key, number.into());
                }
                (_, value) => {
                    settings.insert(key, value);
                }
            }
        }
        Ok(Problem { columns: read(columns)?, settings: read(settings)? })
    }
}

impl Description {
    /// The settings of the method, complete and checked.
    pub fn spec(&self) -> Result<Spec, Error> {
        let mut given = self.problem.settings.clone();
        given.solver = self.method.solver();
        (given.tol, given.max_iter) = (Some(self.tolerance), Some(self.rounds));
        // Clients of a server draw from their points, too.
        let batch = given.batch_size.filter(|_| self.method.serves());
        if batch.is_some() {
            given.batch_size = None;
        }
        if self.method == Method::Ppgl {
            // Signals have no labels.
            given.loss = Some(LossKind::Mean);
        }
        let mut spec = given.complete().map_err(Error::Settings)?;
        spec.batch_size = spec.batch_size.or(batch);
        match unfit(self, &spec) {
            Some(what) => Err(Error::Invalid(format!("[problem]: {what}"))),
            None => Ok(spec),
        }
    }
}

/// What a federation cannot do, in a sentence.
fn unfit(d: &Description, spec: &Spec) -> Option<&'static str> {
    let fed_admm = d.method == Method::FedAdmm;
    if d.problem.columns.features.as_ref().is_none_or(Vec::is_empty) {
        Some("the features and their order must be given, as --features A,B,C.")
    } else if fed_admm && (spec.rho.is_none() || spec.kappa.is_none()) {
        Some(
            "nobody sees the data of all members, so the steps of fed-admm must be given; say --rho and --kappa (netfed fit chooses them from the data of one place; try 1 for both with standardized features).",
        )
    } else if spec.availability.is_some() && !fed_admm {
        Some(
            "in a federation --availability is one number, and goes with fed-admm; for real drop-outs there are --away and --async.",
        )
    } else if spec.intercept && matches!(d.method, Method::FedRelax | Method::Ppgl) {
        Some("models bring their own intercept; leave --intercept out.")
    } else if spec.standardize {
        Some(
            "standardize needs the data of all members in one place; let every member scale its own features the same way before.",
        )
    } else if spec.penalty == PenaltyKind::Quadratic {
        Some("the quadratic penalty is not there for federations yet.")
    } else if d.method.needs_lambda() && spec.lambda.is_none_or(|lambda| lambda <= 0.0) {
        Some("λ must be more than 0: with 0 every member trains alone.")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::description::Federation;

    fn text() -> String {
        "name = \"t\"\nmethod = \"primal-dual\"\nrounds = 10\ntolerance = 1e-6\ntell_gap = true\naway = \"wait\"\npatience_seconds = 5.0\n[problem]\nlambda = 0.1\n[graph]\nedges = []\n[[members]]\nname = \"a\"\nnodes = [\"a\"]\n".to_owned()
    }

    #[test]
    fn settings_are_those_of_the_library() {
        let with = |line: &str| {
            let text = text().replacen("lambda = 0.1", line, 1);
            Federation::parse(&text).map(|f| f.description)
        };
        let good = "lambda = 0.1\nfeatures = [\"x\"]\nloss = \"huber\"";
        let d = with(good).unwrap();
        assert_eq!(d.problem.settings.to_string(), "loss=huber lambda=0.1");
        assert_eq!(d.problem.columns.features, Some(vec!["x".to_owned()]));
        let spec = d.spec().unwrap();
        assert_eq!((spec.solver, spec.tol, spec.max_iter), (netfed::Solver::PrimalDual, 1e-6, 10));
        let again = Federation::parse(&Federation::text(&d).unwrap()).unwrap();
        assert_eq!(again.description, d);
        for (line, part) in [
            ("lamda = 0.1", "unknown field `lamda`"),
            ("loss = \"hubert\"", "Did you mean \"huber\"?"),
            ("availability = \"a.csv\"", "it is one number"),
        ] {
            let message = with(line).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        for (line, part) in [
            ("", "λ must be more than 0"),
            ("lambda = -1.0", "`lambda` is -1"),
            ("lambda = 0.1\nstandardize = true", "standardize needs the data"),
            ("lambda = 0.1\navailability = \"0.5\"", "goes with fed-admm"),
        ] {
            let d = with(&format!("{line}\nfeatures = [\"x\"]")).unwrap();
            let message = d.spec().unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        assert!(
            with("lambda = 0.1").unwrap().spec().unwrap_err().to_string().contains("--features")
        );
    }

    #[test]
    fn later_settings_are_refused() {
        let later = text().replacen("rounds = 10", "rounds = 10\nsettings = 99", 1);
        let message = Federation::parse(&later).unwrap_err().to_string();
        assert!(message.contains("settings are of version 99"), "{message}");
        let first = text().replacen("rounds = 10", "rounds = 10\nsettings = 1", 1);
        assert_eq!(Federation::parse(&first).unwrap().description.settings, 1);
        assert!(
            !Federation::text(&Federation::parse(&first).unwrap().description)
                .unwrap()
                .contains("settings")
        );
    }
}
