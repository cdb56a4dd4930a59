//! Settings as a user gives them, on the command line or in a TOML file: those of a fit, which are
//! the library's, and beside them files, their columns and threads.

mod flags;
mod own;

pub(crate) use flags::Flags;
pub(crate) use own::{Columns, InputFiles, Machine};

use std::collections::BTreeMap;
use std::path::Path;

use netfed::Solver;
use netfed::spec::{self, FIELDS};
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The names of all settings, in the order of files and of `--help`.
pub(crate) const KEYS: [&str; 24] = [
    "data",
    "graph",
    "node-column",
    "target",
    "features",
    "intercept",
    "standardize",
    "flavor",
    "loss",
    "penalty",
    "lambda",
    "ridge",
    "lasso",
    "huber-delta",
    "penalty-matrix",
    "solver",
    "tol",
    "max-iter",
    "batch-size",
    "rho",
    "kappa",
    "availability",
    "threads",
    "seed",
];

/// Settings as a user gives them; what is not given is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Given {
    pub(crate) files: InputFiles,
    pub(crate) columns: Columns,
    /// The settings of the library; those of its data are files here.
    pub(crate) spec: spec::Given,
    pub(crate) machine: Machine,
}

impl Given {
    /// Reads a TOML file.
    pub(crate) fn from_toml(path: &Path) -> Result<Given, Failure> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::input(format!("cannot open {name}: {e}.")))?;
        let line = |start: usize| text[..start.min(text.len())].matches('\n').count() + 1;
        let wrong = |start: usize, problem: &str| {
            Failure::at(&format!("{name}, line {}", line(start)), problem.trim_end_matches('.'))
        };
        let start = |e: &toml::de::Error| e.span().map_or(0, |span| span.start);
        let entries: BTreeMap<toml::Spanned<String>, toml::Spanned<toml::Value>> =
            toml::from_str(&text).map_err(|e| wrong(start(&e), e.message()))?;
        let mut given = Given::default();
        for (key, value) in entries {
            let at =
                if KEYS.contains(&key.as_ref().as_str()) { &value.span() } else { &key.span() };
            let (at, value) = (at.start, value.into_inner());
            given = given.with(key.into_inner(), value).map_err(|e| wrong(at, e.message()))?;
        }
        Ok(given)
    }

    /// Reads a table of TOML.
    pub(crate) fn from_table(table: toml::Table) -> Result<Given, String> {
        let mut all = table.into_iter();
        all.try_fold(Given::default(), |given, (key, value)| given.with(key, value))
            .map_err(|e| e.message().to_owned())
    }

    /// The same with one more setting.
    fn with(self, key: String, value: toml::Value) -> Result<Given, toml::de::Error> {
        fn one<T: DeserializeOwned>(key: &str, value: toml::Value) -> Result<T, toml::de::Error> {
            toml::Table::from_iter([(key.to_owned(), value)]).try_into()
        }
        let mut more = Given::default();
        match key.as_str() {
            "data" | "graph" | "penalty-matrix" | "availability" => more.files = one(&key, value)?,
            "node-column" | "target" | "features" => more.columns = one(&key, value)?,
            "threads" => more.machine = one(&key, value)?,
            key if KEYS.contains(&key) || key == "flavour" => more.spec = one(key, value)?,
            other => return Err(toml::de::Error::custom(unknown(other))),
        }
        Ok(self.or(more))
    }

    /// Settings that are about one fit, and whether they are given: what it is a preset of, and the
    /// rounds of a federation.
    fn of_one_fit(&self) -> [(&'static str, bool); 6] {
        [
            ("--flavor", self.spec.flavor.is_some()),
            ("--solver fed-admm", self.spec.solver == Some(Solver::FedAdmm)),
            ("--batch-size", self.spec.batch_size.is_some()),
            ("--rho", self.spec.rho.is_some()),
            ("--kappa", self.spec.kappa.is_some()),
            ("--availability", self.files.availability.is_some()),
        ]
    }

    /// The flags and the file of a command that trains many times over. Flags that are about one
    /// fit are refused; in the file that a fit has left behind they are passed over.
    pub(crate) fn of_many_fits(self, file: Option<&Path>, command: &str) -> Result<Given, Failure> {
        if let Some((flag, _)) = self.of_one_fit().into_iter().find(|(_, there)| *there) {
            return Err(Failure::input(format!(
                "{flag} is about one fit and has no place in {command}; leave it out, or say it to netfed fit."
            )));
        }
        let mut file = file.map(Given::from_toml).transpose()?.unwrap_or_default();
        let spec = &mut file.spec;
        (spec.lambda, spec.flavor, spec.batch_size) = (None, None, None);
        (spec.rho, spec.kappa) = (None, None);
        spec.solver = spec.solver.filter(|solver| *solver != Solver::FedAdmm);
        file.files.availability = None;
        Ok(self.or(file))
    }

    /// These settings, with gaps filled from others.
    pub(crate) fn or(self, other: Given) -> Given {
        Given {
            files: self.files.or(other.files),
            columns: self.columns.or(other.columns),
            spec: self.spec.or(other.spec),
            machine: Machine { threads: self.machine.threads.or(other.machine.threads) },
        }
    }
}

/// The words for a setting that there is not.
fn unknown(key: &str) -> String {
    let aliases = |key: &str| FIELDS.iter().find(|f| f.key == key).map_or(&[][..], |f| f.aliases);
    let names = KEYS.iter().flat_map(|key| std::iter::once(key).chain(aliases(key)));
    let known: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    format!("unknown field `{key}`, expected one of {}", known.join(", "))
}

/// One table, with the settings in their order.
impl Serialize for Given {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error;
        let mut all = toml::Table::new();
        for part in [
            toml::Table::try_from(&self.files),
            toml::Table::try_from(&self.columns),
            toml::Table::try_from(&self.spec),
            toml::Table::try_from(self.machine),
        ] {
            all.extend(part.map_err(S::Error::custom)?);
        }
        let mut map = to.serialize_map(Some(all.len()))?;
        for key in KEYS {
            if let Some(value) = all.get(key) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Given, D::Error> {
        Given::from_table(toml::Table::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Given {
        Given::from_table(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn flags_win_over_the_file() {
        let merged = given("lambda = 2.0").or(given("lambda = 0.1\ndata = \"p.csv\""));
        assert_eq!((merged.spec.lambda, merged.files.data), (Some(2.0), Some("p.csv".into())));
        let file = given("loss = \"huber\"\nhuber-delta = 2.0");
        assert_eq!(Given::default().or(file.clone()).spec.huber_delta, Some(2.0));
        let flags = given("loss = \"squared\"");
        assert_eq!(flags.or(file).spec.huber_delta, None, "the threshold of another loss");
    }

    #[test]
    fn files_keep_the_order_of_settings() {
        let text =
            "data = \"p.csv\"\nfeatures = [\"b\", \"a\"]\nlambda = 0.1\nthreads = 2\nseed = 1\n";
        assert_eq!(toml::to_string(&given(text)).unwrap(), text);
    }

    #[test]
    fn a_bad_line_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        for (line, part) in [
            ("lamda = 1", "line 2: unknown field `lamda`"),
            ("lambda = \"a\"", "line 2: invalid type"),
            ("loss = \"sqared\"", "Did you mean \"squared\"?"),
            ("lambda = ", "line 2"),
        ] {
            std::fs::write(&path, format!("seed = 1\n{line}\n")).unwrap();
            let message = Given::from_toml(&path).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
