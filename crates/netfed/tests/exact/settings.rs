//! How many cases, and which; see the head of `main.rs`.

/// An environment variable that is a number.
pub(crate) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Seeds of a test that has `few` by default.
pub(crate) fn seeds(few: u64) -> std::ops::Range<u64> {
    if let Some(seed) = number("EXACT_SEED") {
        return seed..seed + 1;
    }
    let first = number("EXACT_FIRST").unwrap_or(0);
    first..first + number("EXACT_CASES").unwrap_or(few)
}
