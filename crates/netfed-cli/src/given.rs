//! Settings as a user gives them, on the command line or in a TOML file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Settings as a user gives them; what is not given is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Given {
    /// Data points: one row each, with a node id, a label and features (.csv, .csv.gz, .tsv, .parquet)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) data: Option<PathBuf>,
    /// Edges of the empirical graph: columns source, target and, if wanted, weight
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) graph: Option<PathBuf>,
    /// Column with the node ids [default: node]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub(crate) node_column: Option<String>,
    /// Column with the labels [default: y]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub(crate) target: Option<String>,
    /// Feature columns, separated by commas [default: every other column]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Input")]
    pub(crate) features: Option<Vec<String>>,
    /// Add a constant feature to every model
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL", help_heading = "Input")]
    pub(crate) intercept: Option<bool>,
    /// Scale every feature to unit standard deviation over all data (and center it if there is an intercept) before
    /// training; the parameters are given in the original units
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL", help_heading = "Input")]
    pub(crate) standardize: Option<bool>,

    /// Kind of federated learning: centralized, decentralized, clustered, horizontal or personalized. It chooses graph, penalty and λ, and says what
    /// it chose; other flags win
    #[arg(long, alias = "flavour", value_name = "NAME", help_heading = "Problem")]
    #[serde(alias = "flavour")]
    pub(crate) flavor: Option<String>,
    /// Local loss: squared, logistic, huber, absolute, hinge or mean [default: squared]
    #[arg(long, value_name = "NAME", help_heading = "Problem")]
    pub(crate) loss: Option<String>,
    /// Penalty on differences between neighbors: l2, l1, linf, squared or quadratic [default: l2]
    #[arg(long, value_name = "NAME", help_heading = "Problem")]
    pub(crate) penalty: Option<String>,
    /// Strength of the coupling: 0 trains every node alone, large values give one model for all
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem")]
    pub(crate) lambda: Option<f64>,
    /// Add this times ‖w‖² to every local loss [default: 0]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem")]
    pub(crate) ridge: Option<f64>,
    /// Add this times ‖w‖₁ to every local loss [default: 0]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem")]
    pub(crate) lasso: Option<f64>,
    /// Threshold of the huber loss [default: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Problem")]
    pub(crate) huber_delta: Option<f64>,
    /// Matrix Q of the quadratic penalty: a file with one row per feature, numbers separated by commas, no header
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub(crate) penalty_matrix: Option<PathBuf>,

    /// Method: auto (the best for the problem), primal-dual (Algorithm 1 as published), admm, or fed-admm (stochastic ADMM for
    /// weak devices) [default: auto]
    #[arg(long, value_name = "NAME", help_heading = "Solver")]
    pub(crate) solver: Option<String>,
    /// Stop when the relative duality gap is at most this [default: 1e-6]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Solver")]
    pub(crate) tol: Option<f64>,
    /// Stop after this many iterations [default: 100000]
    #[arg(long, value_name = "COUNT", help_heading = "Solver")]
    pub(crate) max_iter: Option<u64>,
    /// Points of a node that a step of fed-admm looks at [default: all]
    #[arg(long, value_name = "COUNT", help_heading = "Solver")]
    pub(crate) batch_size: Option<usize>,
    /// Penalty ρ of admm and fed-admm [default: admm adapts it, fed-admm takes one that suits the data]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Solver")]
    pub(crate) rho: Option<f64>,
    /// Steps of fed-admm as published, κ/t [default: steps that suit the data]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Solver")]
    pub(crate) kappa: Option<f64>,
    /// Simulate devices that drop out: the probability that a node is there in a round, or a file with the columns node and
    /// availability
    #[arg(
        long,
        value_name = "NUMBER|FILE",
        allow_negative_numbers = true,
        help_heading = "Solver"
    )]
    pub(crate) availability: Option<String>,
    /// Threads to use, at most one per core; the answer does not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT", help_heading = "Solver")]
    pub(crate) threads: Option<usize>,
    /// Seed of everything random: how data are split for validation, the layout of pictures [default: 0]
    #[arg(long, value_name = "NUMBER", help_heading = "Solver")]
    pub(crate) seed: Option<u64>,
}

impl Given {
    /// Reads a TOML file.
    pub(crate) fn from_toml(path: &Path) -> Result<Given, Failure> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::input(format!("cannot open {name}: {e}.")))?;
        toml::from_str(&text).map_err(|e| {
            let line =
                e.span().map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
            Failure::input(format!("{name}, line {line}: {}.", e.message().trim_end_matches('.')))
        })
    }

    /// Flags that are about one fit, and whether they are given: what it is a preset of, and the rounds of a federation.
    fn of_one_fit(&self) -> [(&'static str, bool); 6] {
        [
            ("--flavor", self.flavor.is_some()),
            ("--solver fed-admm", self.solver.as_deref() == Some("fed-admm")),
            ("--batch-size", self.batch_size.is_some()),
            ("--rho", self.rho.is_some()),
            ("--kappa", self.kappa.is_some()),
            ("--availability", self.availability.is_some()),
        ]
    }

    /// The flags and the file of a command that trains many times over. Flags that are about one fit are refused; in the file that
    /// a fit has left behind they are passed over.
    pub(crate) fn of_many_fits(
        &self,
        file: Option<&Path>,
        command: &str,
    ) -> Result<Given, Failure> {
        if let Some((flag, _)) = self.of_one_fit().into_iter().find(|(_, there)| *there) {
            return Err(Failure::input(format!(
                "{flag} is about one fit and has no place in {command}; leave it out, or say it to netfed fit."
            )));
        }
        let file = file.map(Given::from_toml).transpose()?.unwrap_or_default();
        let solver = file.solver.clone().filter(|s| s != "fed-admm");
        Ok(self.clone().or(Given {
            lambda: None,
            flavor: None,
            solver,
            batch_size: None,
            rho: None,
            kappa: None,
            availability: None,
            ..file
        }))
    }

    /// These settings, with gaps filled from `other`.
    pub(crate) fn or(self, other: Given) -> Given {
        // A threshold goes with the loss beside it.
        let same_loss = self.loss.as_deref().is_none_or(|loss| loss == "huber");
        let other = Given { huber_delta: other.huber_delta.filter(|_| same_loss), ..other };
        macro_rules! merge {
            ($($field:ident),*) => { Given { $($field: self.$field.or(other.$field)),* } };
        }
        merge!(
            data,
            graph,
            node_column,
            target,
            features,
            intercept,
            standardize,
            flavor,
            loss,
            penalty,
            lambda,
            ridge,
            lasso,
            huber_delta,
            penalty_matrix,
            solver,
            tol,
            max_iter,
            batch_size,
            rho,
            kappa,
            availability,
            threads,
            seed
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file() {
        let flags = Given { lambda: Some(2.0), ..Given::default() };
        let merged =
            flags.or(Given { lambda: Some(0.1), data: Some("p.csv".into()), ..Given::default() });
        assert_eq!((merged.lambda, merged.data), (Some(2.0), Some("p.csv".into())));
        let file = Given { loss: Some("huber".into()), huber_delta: Some(2.0), ..Given::default() };
        assert_eq!(Given::default().or(file.clone()).huber_delta, Some(2.0));
        let flags = Given { loss: Some("squared".into()), ..Given::default() };
        assert_eq!(flags.or(file).huber_delta, None, "the threshold of another loss");
    }
}
