//! Results by their index, filled in from several threads in any order.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) struct ByIndex<T>(Mutex<Vec<Option<T>>>);

impl<T> ByIndex<T> {
    /// Room for so many.
    pub(crate) fn new(count: usize) -> ByIndex<T> {
        ByIndex(Mutex::new((0..count).map(|_| None).collect()))
    }

    /// One result. It is computed before: nothing else happens while the others wait.
    pub(crate) fn set(&self, index: usize, value: T) {
        self.lock()[index] = Some(value);
    }

    /// All of them, in order; none where there is none.
    pub(crate) fn all(self) -> Vec<Option<T>> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
