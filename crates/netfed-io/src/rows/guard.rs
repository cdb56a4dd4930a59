//! Turning a panic of the Parquet library into an error.
//!
//! The library checks most of what it reads, but some damaged files make it
//! panic. To the user that is one more file that cannot be read, so the panic is
//! caught, and the report of it on the standard error stream is held back.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use parquet::errors::{ParquetError, Result};

thread_local! {
    /// Whether this thread is inside `guarded`.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Does `work`. If it panics, whatever it changed must not be used again.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            if !QUIET.get() {
                report(about);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.unwrap_or_else(|_| Err(ParquetError::General("its contents are damaged".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(guarded(|| Ok(3)).unwrap(), 3);
        let error = guarded::<()>(|| panic!("boom")).unwrap_err();
        assert!(error.to_string().ends_with("its contents are damaged"));
        assert!(!QUIET.get());
    }
}
