//! Loops over rows on several threads, with results that do not depend on their number.

use super::linalg;
use super::threads::*;

/// Entries that are worth a task of their own.
const WORK: usize = 1 << 15;

/// Calls `f(row, values, scratch)` for every row of `dim` values; `cost` is the work of a row in
/// entries, `scratch` has as many entries as asked for. On one thread when there is little to do.
pub(crate) fn for_rows(
    data: &mut [f64],
    dim: usize,
    cost: usize,
    scratch: usize,
    f: impl Fn(usize, &mut [f64], &mut [f64]) + Sync,
) {
    let rows = (WORK / cost.max(1)).max(1);
    let run = |(k, block): (usize, &mut [f64])| {
        let mut scratch = vec![0.0; scratch];
        for (r, row) in block.chunks_exact_mut(dim).enumerate() {
            f(k * rows + r, row, &mut scratch);
        }
    };
    if data.len() <= rows * dim {
        run((0, data));
    } else {
        data.par_chunks_mut(rows * dim).enumerate().for_each(run);
    }
}

/// f(row, scratch) for row = 0 … rows − 1, in order; `cost` is the work of a row in entries.
pub(crate) fn map_rows<S, T: Send>(
    rows: usize,
    cost: usize,
    scratch: impl Fn() -> S + Sync + Send,
    f: impl Fn(usize, &mut S) -> T + Sync + Send,
) -> Vec<T> {
    if rows * cost <= WORK {
        let mut scratch = scratch();
        return (0..rows).map(|row| f(row, &mut scratch)).collect();
    }
    (0..rows).into_par_iter().map_init(scratch, |scratch, row| f(row, scratch)).collect()
}

/// f(index, item) for every item, in order; `cost` is the work of an item in entries.
pub(crate) fn map_items<I: Send, T: Send>(
    items: &mut [I],
    cost: usize,
    f: impl Fn(usize, &mut I) -> T + Sync + Send,
) -> Vec<T> {
    if items.len().saturating_mul(cost) <= WORK {
        return items.iter_mut().enumerate().map(|(k, item)| f(k, item)).collect();
    }
    items.par_iter_mut().enumerate().map(|(k, item)| f(k, item)).collect()
}

/// f(index, item) for every item; `cost` is the work of an item in entries.
pub(crate) fn for_items<I: Send>(
    items: &mut [I],
    cost: usize,
    f: impl Fn(usize, &mut I) + Sync + Send,
) {
    if items.len().saturating_mul(cost) <= WORK {
        items.iter_mut().enumerate().for_each(|(k, item)| f(k, item));
    } else {
        items.par_iter_mut().enumerate().for_each(|(k, item)| f(k, item));
    }
}

/// Σ f(row, scratch) for row = 0 … rows − 1, added up in blocks of a fixed size; `cost` is the work
/// of a row in entries.
pub(crate) fn sum_rows(
    rows: usize,
    cost: usize,
    scratch: usize,
    f: impl Fn(usize, &mut [f64]) -> f64 + Sync,
) -> f64 {
    const BLOCK: usize = 1024;
    let block = |k: usize| {
        let mut scratch = vec![0.0; scratch];
        (k * BLOCK..rows.min((k + 1) * BLOCK)).fold(0.0, |sum, r| sum + f(r, &mut scratch))
    };
    let blocks = rows.div_ceil(BLOCK);
    if rows * cost <= WORK || blocks < 2 {
        return (0..blocks).map(block).fold(0.0, |a, b| a + b);
    }
    let parts: Vec<f64> = (0..blocks).into_par_iter().map(block).collect();
    parts.iter().fold(0.0, |a, b| a + b)
}

/// ⟨a, b⟩, added up in blocks of a fixed size.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const BLOCK: usize = 1 << 13;
    let part = |(a, b): (&[f64], &[f64])| linalg::dot(a, b);
    if a.len() <= 4 * BLOCK {
        return a.chunks(BLOCK).zip(b.chunks(BLOCK)).map(part).fold(0.0, |a, b| a + b);
    }
    let parts: Vec<f64> = a.par_chunks(BLOCK).zip(b.par_chunks(BLOCK)).map(part).collect();
    parts.iter().fold(0.0, |a, b| a + b)
}
