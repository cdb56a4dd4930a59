//! A cache of what follows from graph, losses and penalty, whatever λ is: computed when first
//! needed, and shared by all problems that differ in λ alone. It holds one value of every type that
//! is asked for; who computes a value has a type of its own for it.

use std::any::Any;
use std::sync::OnceLock;

/// A list that only grows, so that values stay where they are.
#[derive(Default)]
pub(crate) struct Cache {
    entry: OnceLock<Box<Entry>>,
}

struct Entry {
    /// A `OnceLock` of some type.
    value: Box<dyn Any + Send + Sync>,
    next: Cache,
}

impl Cache {
    /// The value of a type, which is computed if there is none yet. Others wait until it is.
    pub(crate) fn get<T: Any + Send + Sync>(&self, compute: impl FnOnce() -> T) -> &T {
        let room =
            || Box::new(Entry { value: Box::new(OnceLock::<T>::new()), next: Cache::default() });
        let mut cache = self;
        loop {
            let entry = cache.entry.get_or_init(room);
            match entry.value.downcast_ref::<OnceLock<T>>() {
                Some(value) => return value.get_or_init(compute),
                None => cache = &entry.next,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Length(f64);
    #[derive(Debug, PartialEq)]
    struct Width(f64);

    #[test]
    fn every_type_has_its_own_value_which_is_computed_once() {
        let cache = Cache::default();
        let never = || unreachable!("it is there already");
        // While a value is computed others may be asked for.
        let width = cache.get(|| Width(2.0 * cache.get(|| Length(3.0)).0));
        assert_eq!(*width, Width(6.0));
        assert_eq!(*cache.get::<Length>(|| Length(4.0)), Length(3.0));
        assert!(std::ptr::eq(width, cache.get(|| Width(never()))));
    }

    #[test]
    fn threads_share_what_one_of_them_computes() {
        let (cache, count) = (Cache::default(), std::sync::atomic::AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let length = cache.get(|| {
                        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        Length(1.5)
                    });
                    assert_eq!(*length, Length(1.5));
                });
            }
        });
        assert_eq!(count.into_inner(), 1);
    }
}
