//! How someone else ends a fit that takes long.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;

/// A flag that ends fits once it is set, by a signal handler for example.
pub type Stop = &'static AtomicBool;

/// [`Error::Stopped`] once the flag is set.
pub(crate) fn go_on(stop: Option<Stop>) -> Result<(), Error> {
    if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) { Err(Error::Stopped) } else { Ok(()) }
}
