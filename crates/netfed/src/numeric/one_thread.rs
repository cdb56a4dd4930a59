//! The names of rayon's loops for those of the standard library, which run on one thread.

use std::slice::{Chunks, ChunksExact, ChunksExactMut, ChunksMut, Iter, IterMut};

/// Does both, the first one first.
pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Items that are handed out.
pub(crate) trait IntoParallelIterator: IntoIterator + Sized {
    /// All items.
    fn into_par_iter(self) -> Self::IntoIter {
        self.into_iter()
    }
}

impl<I: IntoIterator> IntoParallelIterator for I {}

/// Loops over a slice.
pub(crate) trait ParallelSlice<T> {
    /// The items.
    fn par_iter(&self) -> Iter<'_, T>;
    /// Pieces of so many items, the last one of fewer.
    fn par_chunks(&self, size: usize) -> Chunks<'_, T>;
    /// Pieces of so many items.
    fn par_chunks_exact(&self, size: usize) -> ChunksExact<'_, T>;
}

impl<T> ParallelSlice<T> for [T] {
    fn par_iter(&self) -> Iter<'_, T> {
        self.iter()
    }

    fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
        self.chunks(size)
    }

    fn par_chunks_exact(&self, size: usize) -> ChunksExact<'_, T> {
        self.chunks_exact(size)
    }
}

/// Loops that change a slice.
pub(crate) trait ParallelSliceMut<T> {
    /// The items.
    fn par_iter_mut(&mut self) -> IterMut<'_, T>;
    /// Pieces of so many items, the last one of fewer.
    fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
    /// Pieces of so many items.
    fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T>;
}

impl<T> ParallelSliceMut<T> for [T] {
    fn par_iter_mut(&mut self) -> IterMut<'_, T> {
        self.iter_mut()
    }

    fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
        self.chunks_mut(size)
    }

    fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T> {
        self.chunks_exact_mut(size)
    }
}

/// What only rayon's iterators have.
pub(crate) trait ParallelIterator: Iterator + Sized {
    /// f(state, item) for every item.
    fn map_init<S, T>(
        self,
        init: impl FnOnce() -> S,
        mut f: impl FnMut(&mut S, Self::Item) -> T,
    ) -> impl Iterator<Item = T> {
        let mut state = init();
        self.map(move |item| f(&mut state, item))
    }
}

impl<I: Iterator> ParallelIterator for I {}
