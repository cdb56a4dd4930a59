//! A setting: one value each of β, ν, λ and μ. Lists of them make a grid, which takes known graphs to choose from.

use netfed::learning::GraphMethod;

use super::flags::{Baseline, Learn, Method};
use crate::axis::distinct;
use crate::failure::Failure;
use crate::settings::{Range, number};

/// ν and μ, where nothing else is asked for.
const NU: f64 = 3.0;
const MU: f64 = 1.0;

/// One choice of the numbers that may be lists. What its method does not have is missing.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Setting {
    /// Missing where it follows from the neighbors that are wanted.
    pub(super) beta: Option<f64>,
    pub(super) nu: Option<f64>,
    /// Missing where it was forgotten, too.
    pub(super) lambda: Option<f64>,
    pub(super) mu: Option<f64>,
}

impl Setting {
    /// Their names on the command line, with their letters.
    pub(super) const NAMES: [(&str, &str); 4] =
        [("beta", "β"), ("nu", "ν"), ("lambda", "λ"), ("mu", "μ")];

    /// The values, in the order of [`Setting::NAMES`].
    pub(super) fn values(&self) -> [Option<f64>; 4] {
        [self.beta, self.nu, self.lambda, self.mu]
    }

    /// All combinations of what the flags list, in their order, the first slowest.
    pub(super) fn all(args: &Learn, method: Method) -> Result<Vec<Setting>, Failure> {
        let lists = [&args.beta, &args.nu, &args.lambda, &args.mu];
        for ((name, _), list) in Setting::NAMES.iter().zip(lists) {
            for value in list.iter().flatten() {
                number(&format!("--{name}"), *value, Range::Positive)?;
            }
        }
        let axis = |k: usize| distinct(&format!("--{}", Setting::NAMES[k].0), lists[k]);
        let (betas, nus, lambdas, mus) = (axis(0)?, axis(1)?, axis(2)?, axis(3)?);
        let mut all = Vec::new();
        for &beta in &betas {
            for &nu in &nus {
                for &lambda in &lambdas {
                    for &mu in &mus {
                        let nu = method.couples().then_some(nu.unwrap_or(NU));
                        let mu = method.pulls().then_some(mu.unwrap_or(MU));
                        all.push(Setting { beta, nu, lambda, mu });
                    }
                }
            }
        }
        Ok(all)
    }

    /// A method to compare with, with this μ.
    pub(super) fn method(&self, baseline: Baseline) -> GraphMethod {
        let mu = self.mu.unwrap_or(MU);
        match baseline {
            Baseline::Igl => GraphMethod::Alone,
            Baseline::FedAvg => GraphMethod::FedAvg,
            Baseline::FedProx => GraphMethod::FedProx(mu),
            Baseline::MrMtl => GraphMethod::MrMtl(mu),
            Baseline::Ditto => GraphMethod::Ditto(mu),
        }
    }
}
