//! Matching the rows of several parties by the ids of the people they are about.

use crate::Error;
use std::collections::BTreeMap;

/// The people that all parties know, in the order of their ids: for every party the rows that hold
/// them. Ids that one party has twice are refused.
pub fn align<T: Ord>(parties: &[&[T]]) -> Result<Vec<Vec<usize>>, Error> {
    let mut rows: BTreeMap<&T, Vec<usize>> = BTreeMap::new();
    for (k, ids) in parties.iter().enumerate() {
        for (row, id) in ids.iter().enumerate() {
            let known = rows.entry(id).or_default();
            if known.len() > k {
                let what = "rows of a party with the same id";
                return Err(Error::Size { what, expected: 1, found: 2 });
            }
            if known.len() == k {
                known.push(row);
            }
        }
    }
    let common: Vec<Vec<usize>> = rows.into_values().filter(|r| r.len() == parties.len()).collect();
    Ok((0..parties.len()).map(|k| common.iter().map(|rows| rows[k]).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_matched_by_id() {
        let rows = align(&[&["eve", "bob", "ann"], &["ann", "zoe", "eve"], &["eve", "ann"]]);
        assert_eq!(rows.unwrap(), [vec![2, 0], vec![0, 2], vec![1, 0]]);
        assert!(align(&[&["ann", "ann"][..], &["ann"]]).is_err());
        assert!(align(&[&["ann"][..], &["bob", "bob"]]).is_ok(), "nobody in common");
        assert!(align::<u8>(&[]).unwrap().is_empty());
    }
}
