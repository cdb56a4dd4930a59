//! Seeded random numbers (ChaCha8, the same on every machine), and random choices that both ends of
//! an edge, and every driver, can repeat: each is a function of (seed, node, round) alone.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The random numbers of a seed.
pub fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// What a random choice is for: choices of different purposes are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The points of a mini-batch.
    Batch,
    /// Whether a node is there.
    Availability,
    /// The nodes that take part in a round.
    Participants,
    /// Models to start from.
    Start,
    /// What a local model chooses: parameters to start from, the points and features of a tree, the
    /// order of points.
    Model,
}

/// The random numbers of one node in one round.
pub fn stream(seed: u64, purpose: Purpose, node: usize, round: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&(node as u64).to_le_bytes());
    key[16] = purpose as u8;
    let mut random = ChaCha8Rng::from_seed(key);
    random.set_stream(round);
    random
}

/// A mini-batch of `size` of a node's `points`, without repetition, in increasing order; all of
/// them if there are no more.
pub fn batch(seed: u64, node: usize, round: u64, points: usize, size: usize) -> Vec<usize> {
    subset(|| stream(seed, Purpose::Batch, node, round), points, size)
}

/// The nodes that take part in a round: `count` of those given, in the same order; all of them if
/// there are no more.
pub fn participants(seed: u64, round: u64, nodes: &[usize], count: usize) -> Vec<usize> {
    let chosen = subset(|| stream(seed, Purpose::Participants, 0, round), nodes.len(), count);
    chosen.into_iter().map(|k| nodes[k]).collect()
}

/// `size` of the numbers below `all`, in increasing order; every set of that size is equally
/// likely.
pub(crate) fn subset(random: impl FnOnce() -> ChaCha8Rng, all: usize, size: usize) -> Vec<usize> {
    if size >= all {
        return (0..all).collect();
    }
    let mut random = random();
    // Floyd's algorithm.
    let mut chosen: Vec<usize> = Vec::with_capacity(size);
    for last in all - size..all {
        let one = random.random_range(0..=last);
        match chosen.binary_search(&one) {
            Ok(_) => chosen.push(last),
            Err(place) => chosen.insert(place, one),
        }
    }
    chosen
}

/// `dim` standard normal numbers: the start of the model with this number.
pub fn start(seed: u64, model: usize, dim: usize) -> Vec<f64> {
    let mut random = stream(seed, Purpose::Start, model, 0);
    (0..dim).map(|_| StandardNormal.sample(&mut random)).collect()
}

/// Whether a node that is there with the given probability is there in a round.
pub fn available(seed: u64, node: usize, round: u64, probability: f64) -> bool {
    stream(seed, Purpose::Availability, node, round).random::<f64>() < probability
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_repeat_and_cover_all_points_evenly() {
        assert_eq!(batch(1, 2, 3, 10, 4), batch(1, 2, 3, 10, 4));
        assert_ne!(batch(1, 2, 3, 1000, 4), batch(1, 2, 4, 1000, 4));
        assert_ne!(batch(1, 2, 3, 1000, 4), batch(1, 3, 3, 1000, 4));
        assert_eq!(batch(1, 2, 3, 3, 5), [0, 1, 2]);
        let mut count = [0; 10];
        for round in 0..3000 {
            let rows = batch(7, 0, round, 10, 3);
            assert!(rows.len() == 3 && rows.windows(2).all(|w| w[0] < w[1]));
            rows.iter().for_each(|&r| count[r] += 1);
        }
        // 900 expected, standard deviation 25.
        assert!(count.iter().all(|&c| (775..1025).contains(&c)), "{count:?}");
    }

    #[test]
    fn participants_are_a_fair_part_of_the_nodes() {
        let nodes = [1, 4, 5, 9];
        assert_eq!(participants(1, 2, &nodes, 9), nodes);
        let mut count = [0; 10];
        for round in 0..4000 {
            let part = participants(1, round, &nodes, 2);
            assert!(part.len() == 2 && part[0] < part[1]);
            part.iter().for_each(|&i| count[i] += 1);
        }
        // 2000 expected, standard deviation 32.
        assert!(nodes.iter().all(|&i| (1840..2160).contains(&count[i])), "{count:?}");
        assert_eq!(count.iter().sum::<usize>(), 8000);
    }

    #[test]
    fn nodes_are_there_as_often_as_they_should() {
        let times = (0..10_000).filter(|&t| available(3, 5, t, 0.7)).count();
        assert!((6_800..7_200).contains(&times), "{times}");
        assert!(available(3, 5, 0, 1.0) && !available(3, 5, 0, 0.0));
    }
}
