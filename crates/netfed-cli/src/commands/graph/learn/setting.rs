//! All combinations of the lists of β, ν, λ and μ: a grid, which takes known graphs to choose from.

use netfed::learning::{SiloMethod, SiloSetting};

use super::flags::{Learn, Method};
use crate::axis::distinct;
use crate::failure::Failure;
use crate::settings::{Range, number};

/// All combinations of what the flags list, in their order, the first slowest.
pub(super) fn all(args: &Learn, method: Method) -> Result<Vec<SiloSetting>, Failure> {
    let lists = [&args.beta, &args.nu, &args.lambda, &args.mu];
    for ((name, _), list) in SiloSetting::NAMES.iter().zip(lists) {
        for value in list.iter().flatten() {
            number(&format!("--{name}"), *value, Range::Positive)?;
        }
    }
    let axis = |k: usize| distinct(&format!("--{}", SiloSetting::NAMES[k].0), lists[k]);
    let (betas, nus, lambdas, mus) = (axis(0)?, axis(1)?, axis(2)?, axis(3)?);
    let has = |what: fn(SiloMethod) -> bool| method.of_silos().is_some_and(what);
    let (couples, pulls) = (has(SiloMethod::couples), has(SiloMethod::pulls));
    let mut all = Vec::new();
    for &beta in &betas {
        for &nu in &nus {
            for &lambda in &lambdas {
                for &mu in &mus {
                    let nu = couples.then_some(nu.unwrap_or(SiloSetting::NU));
                    let mu = pulls.then_some(mu.unwrap_or(SiloSetting::MU));
                    all.push(SiloSetting { beta, nu, lambda, mu });
                }
            }
        }
    }
    Ok(all)
}
