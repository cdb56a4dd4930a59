//! The settings of a run, with every gap filled and every value checked: those of the library, and
//! the files. The same keys stand in the `config.toml` that a run leaves behind.

use std::path::{Path, PathBuf};

use netfed::flavor::Flavor;
use netfed::spec;
use netfed::{LossKind, Options, Spec};
use netfed_io::{PointColumns, Target};

use crate::failure::Failure;
use crate::given::{Columns, Given};

/// Settings with every gap filled and every value checked.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) given: Given,
    /// The file of data points, where there is one.
    pub(crate) data: Option<PathBuf>,
    /// The file of edges, where there is one.
    pub(crate) graph: Option<PathBuf>,
    pub(crate) columns: PointColumns,
    /// The settings of the fit, without what stands in files.
    pub(crate) spec: Spec,
}

impl Settings {
    /// The settings of a fit.
    pub(crate) fn new(given: Given) -> Result<Settings, Failure> {
        if given.spec.lambda.is_none() {
            return Err(Failure::input("no λ given; say --lambda NUMBER: 0 trains every node alone, larger values couple neighbors more. Or let --flavor NAME choose it.".into()));
        }
        Settings::of_path(given)
    }

    /// The same for a command that finds λ itself.
    pub(crate) fn of_path(given: Given) -> Result<Settings, Failure> {
        let settings = Settings::of_points(given)?;
        let made = matches!(settings.spec.flavor, Some(Flavor::Centralized | Flavor::Horizontal));
        if settings.graph.is_none() && !made {
            return Err(missing("file of edges", "--graph"));
        }
        Ok(settings)
    }

    /// The same for a command that finds or needs no graph.
    pub(crate) fn of_points(given: Given) -> Result<Settings, Failure> {
        let settings = Settings::of_parts(given)?;
        settings.data_path()?;
        Ok(settings)
    }

    /// The same where there may be neither points nor graph.
    pub(crate) fn of_parts(given: Given) -> Result<Settings, Failure> {
        let spec = complete(&given)?;
        Settings::complete(given, spec)
    }

    /// With the settings of the library complete already.
    pub(crate) fn complete(given: Given, spec: Spec) -> Result<Settings, Failure> {
        if given.machine.threads == Some(0) {
            return Err(Failure::input("--threads is 0; it must be at least 1.".into()));
        }
        let kind = match spec.loss {
            LossKind::Mean => Target::None,
            l if l.is_classification() => Target::Binary,
            _ => Target::Real,
        };
        Ok(Settings {
            data: given.files.data.clone(),
            graph: given.files.graph.clone(),
            columns: PointColumns {
                node: given.columns.node_column.clone().unwrap_or_else(|| "node".into()),
                node_optional: false,
                target: given.columns.target.clone().unwrap_or_else(|| "y".into()),
                features: given.columns.features.clone(),
                kind,
                target_optional: false,
                label_tip: "for two classes say --loss logistic, and write them as 0 and 1",
                trained: false,
            },
            spec,
            given,
        })
    }

    /// The file of data points.
    pub(crate) fn data_path(&self) -> Result<&Path, Failure> {
        self.data.as_deref().ok_or_else(|| missing("file of data points", "--data"))
    }

    /// The data points as words name them.
    pub(crate) fn data_name(&self) -> String {
        self.data.as_ref().map_or_else(|| "the data".into(), |path| path.display().to_string())
    }

    /// Options of the solver.
    pub(crate) fn options(&self) -> Options {
        self.spec.options()
    }

    /// Threads to use.
    pub(crate) fn threads(&self) -> Option<usize> {
        self.given.machine.threads
    }

    /// The strength of the coupling; 1 where it is still to be found.
    pub(crate) fn lambda(&self) -> f64 {
        self.spec.lambda.unwrap_or(1.0)
    }

    /// Name of the loss.
    pub(crate) fn loss_name(&self) -> &'static str {
        self.spec.loss.name()
    }

    /// Name of the penalty.
    pub(crate) fn penalty_name(&self) -> &'static str {
        self.spec.penalty.name()
    }

    /// The graph as words name it.
    pub(crate) fn graph_name(&self) -> String {
        match &self.graph {
            Some(path) => path.display().to_string(),
            None => "the graph of neighbors".into(),
        }
    }

    /// The file with the availability of the nodes, where there is one.
    pub(crate) fn availability_file(&self) -> Option<&Path> {
        let text = self.given.files.availability.as_deref()?;
        text.parse::<f64>().is_err().then_some(Path::new(text))
    }

    /// All that is needed to run the fit again, from any directory.
    pub(crate) fn to_toml(&self) -> Result<String, Failure> {
        let mut full = Given {
            files: self.given.files.absolute(),
            columns: Columns {
                node_column: Some(self.columns.node.clone()),
                target: Some(self.columns.target.clone()),
                features: self.columns.features.clone(),
            },
            spec: spec::Given::from(self.spec.clone()),
            machine: self.given.machine,
        };
        // It stands among the files.
        full.spec.availability = None;
        toml::to_string(&full)
            .map_err(|e| Failure::other(format!("cannot write the settings: {e}.")))
    }
}

/// The settings of the library, complete; of files only that they have a place is looked at.
fn complete(given: &Given) -> Result<Spec, Failure> {
    if given.spec.flavor == Some(Flavor::Vertical) {
        return Err(Failure::input(
            "--flavor vertical is about other data: one file for each party, with other columns about the same people; say netfed vertical --parties a.csv,b.csv --labels y.csv --id NAME --out models/.".into(),
        ));
    }
    let spec = given.spec.clone().complete()?;
    let Some(text) = &given.files.availability else { return Ok(spec) };
    let chance = text.parse().ok();
    let with = spec.clone().with_availability(chance.unwrap_or(1.0));
    with.check()?;
    Ok(if chance.is_some() { with } else { spec })
}

fn missing(what: &str, flag: &str) -> Failure {
    Failure::input(format!("no {what} given; say {flag} FILE (or set it in --config)."))
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

    /// Files and a λ, and lines of TOML.
    fn given(lines: &str) -> Given {
        let all: toml::Table = lines.parse().unwrap();
        let files = "data = \"p.csv\"\ngraph = \"e.csv\"\nlambda = 0.1";
        Given::from_table(all).unwrap().or(Given::from_table(files.parse().unwrap()).unwrap())
    }

    fn message(lines: &str) -> String {
        Settings::new(given(lines)).unwrap_err().to_string()
    }

    #[test]
    fn bad_values_name_the_flag() {
        assert!(message("lambda = -1.0").starts_with("--lambda is -1"));
        assert!(message("lambda = nan").starts_with("--lambda is NaN"));
        assert!(message("tol = inf").starts_with("--tol"));
        assert!(message("threads = 0").contains("--threads"));
        assert!(message("loss = \"huber\"\nhuber-delta = 0.0").starts_with("--huber-delta is 0"));
        assert!(message("huber-delta = 2.0").contains("--loss huber only; the loss is squared"));
        assert!(message("loss = \"mean\"\nintercept = true").contains("--intercept"));
        assert!(
            message("availability = \"a.csv\"").starts_with("--availability goes with --solver")
        );
        let mut lacking = given("");
        lacking.files.data = None;
        assert!(Settings::new(lacking).unwrap_err().to_string().contains("--data FILE"));
        let mut lacking = given("");
        lacking.spec.lambda = None;
        assert!(Settings::new(lacking).unwrap_err().to_string().contains("--lambda NUMBER"));
    }

    #[test]
    fn a_path_leaves_no_lambda_behind() {
        let mut open = given("");
        open.spec.lambda = None;
        let settings = Settings::of_path(open).unwrap();
        assert!(!settings.to_toml().unwrap().contains("lambda"));
    }

    #[test]
    fn settings_survive_the_way_through_toml() {
        let settings = Settings::new(given("features = [\"a\"]")).unwrap();
        let back: Given = toml::from_str(&settings.to_toml().unwrap()).unwrap();
        let again = Settings::new(back).unwrap();
        assert_eq!(again.to_toml().unwrap(), settings.to_toml().unwrap());
    }
}
