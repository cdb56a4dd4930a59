//! Means with their standard errors in words.

use netfed::evaluate::Estimate;
use netfed_report::text::number;

/// A mean with its standard error, with as many decimals as the latter has meaning.
pub(crate) fn plus_minus(e: Estimate) -> String {
    match decimals(e) {
        Some(decimals) => format!("{:.decimals$} ± {:.decimals$}", e.mean, e.se),
        None if e.se > 0.0 => format!("{} ± {}", number(e.mean), number(e.se)),
        None => number(e.mean),
    }
}

/// The mean alone, with as many decimals.
pub(crate) fn mean(e: Estimate) -> String {
    decimals(e).map_or_else(|| number(e.mean), |decimals| format!("{:.decimals$}", e.mean))
}

/// Decimals that keep two digits of the standard error; none where plain notation does not suit.
fn decimals(e: Estimate) -> Option<usize> {
    let decimals = 1.0 - e.se.log10().floor();
    let plain = e.mean.abs().max(e.se) < 1e6 && (0.0..=8.0).contains(&decimals);
    plain.then_some(decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_digits_that_mean_something() {
        assert_eq!(plus_minus(Estimate { mean: 5.361_23, se: 0.0984 }), "5.361 ± 0.098");
        assert_eq!(plus_minus(Estimate { mean: 0.2, se: 0.0 }), "0.2");
        assert_eq!(plus_minus(Estimate { mean: 123.4, se: 25.0 }), "123 ± 25");
        assert_eq!(plus_minus(Estimate { mean: 1e9, se: 2e7 }), "1e9 ± 2e7");
        assert_eq!(plus_minus(Estimate { mean: f64::INFINITY, se: f64::NAN }), "∞");
    }
}
