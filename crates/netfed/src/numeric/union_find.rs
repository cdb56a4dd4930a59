//! Disjoint sets of the numbers 0 … n − 1: a number leads to a smaller one of its set, the smallest
//! to itself. Paths are halved whenever they are walked.

/// Disjoint sets.
#[derive(Debug, Clone)]
pub(crate) struct UnionFind(Vec<u32>);

impl UnionFind {
    /// Every number is a set of its own.
    pub(crate) fn new(count: usize) -> UnionFind {
        UnionFind((0..count as u32).collect())
    }

    /// The smallest number of a set.
    pub(crate) fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] as usize != at {
            self.0[at] = self.0[self.0[at] as usize];
            at = self.0[at] as usize;
        }
        at
    }

    /// Joins two sets; whether they were two.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b) as u32;
        a != b
    }

    /// The number of each one's set, in the order of first members, and how many there are.
    pub(crate) fn numbered(mut self) -> (Vec<u32>, usize) {
        let mut number = vec![u32::MAX; self.0.len()];
        let mut count = 0;
        for i in 0..self.0.len() {
            let root = self.find(i);
            if number[root] == u32::MAX {
                number[root] = count;
                count += 1;
            }
            number[i] = number[root];
        }
        (number, count as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_joined_and_numbered_by_their_first_members() {
        let mut sets = UnionFind::new(7);
        assert!(sets.join(5, 2) && sets.join(6, 4) && sets.join(4, 5));
        assert!(!sets.join(2, 6));
        assert_eq!([0, 2, 6].map(|k| sets.find(k)), [0, 2, 2]);
        assert!(sets.join(3, 1));
        assert_eq!(sets.numbered(), (vec![0, 1, 2, 1, 2, 2, 2], 3));
    }
}
