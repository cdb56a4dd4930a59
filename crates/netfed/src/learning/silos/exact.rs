//! (8) to the end, ties included: rounds of the primal-dual method (`star.rs`) until they tell
//! which silos share the graph of the consensus; then Newton's method for the rest (`polish.rs`).
//! If that fails it tries that all do, or one. An answer counts only when its gap (`mod.rs`) proves
//! it; else the rounds go on. Newton's method and the gap need all gᵢ in one place.

use super::duals::fitting_duals;
use super::polish::{NEAR, polish};
use super::star::{Answer, Star};
use super::{SiloGraphs, Silos};
use crate::Matrix;
use crate::numeric::linalg::{distance, norm};
use crate::outcome::{Event, Observer, Status, Unobserved};

/// Rounds before the first look at the gap.
const FIRST_LOOK: u64 = 8;
/// Guesses about who is tied, at each look.
const GUESSES: usize = 6;
/// Accuracy of a guess that need not stand, and of an answer: of the weights relative to the
/// largest; of what holds a tied silo relative to ρ, and to the length of z, beside which gradients
/// get coarse.
const ROUGH: [f64; 3] = [1e-5, 1e-2, 1e-6];
const DONE: [f64; 3] = [1e-14, 1e-9, 1e-13];
/// Looks after which the steps stay as they are.
const BALANCED: u64 = 15;

/// Settings of the exact method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exact {
    /// The run ends when the gap is at most this part of the size of the terms of (8).
    pub tolerance: f64,
    /// The run ends after this many rounds.
    pub max_rounds: u64,
}

impl Default for Exact {
    fn default() -> Exact {
        Exact { tolerance: 1e-12, max_rounds: 100_000 }
    }
}

/// The exact solution and whether its gap is within the tolerance.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExactGraphs {
    /// The graphs.
    pub graphs: SiloGraphs,
    /// Whether a silo has exactly the graph of the consensus.
    pub tied: Vec<bool>,
    /// Solved, if the gap is within the tolerance.
    pub status: Status,
}

impl Exact {
    /// Solves (8).
    pub fn solve(&self, silos: &Silos) -> ExactGraphs {
        self.solve_with(silos, &mut Unobserved)
    }

    /// [`Exact::solve`] with an observer, who is told the rounds and the relative gap whenever it
    /// is computed, and may end the run.
    pub fn solve_with(&self, silos: &Silos, observer: &mut dyn Observer) -> ExactGraphs {
        let mut star = Star::new(silos);
        let (mut next, mut rounds, mut looks) = (FIRST_LOOK, 0, 0);
        let mut best: Option<(f64, ExactGraphs)> = None;
        loop {
            star.round();
            rounds += 1;
            let last = rounds >= self.max_rounds;
            if rounds < next && !last {
                continue;
            }
            next = rounds + (rounds / 2).max(FIRST_LOOK);
            looks += 1;
            if looks <= BALANCED {
                star.balance();
            }
            for guess in star.guesses() {
                let (locals, consensus, duals, tied) = match guess {
                    Some(tied) => star.polished(tied),
                    None => star.as_it_is(),
                };
                let (gap, size) = silos.gap(&locals, &consensus, &duals);
                let relative = gap / size.max(f64::MIN_POSITIVE);
                // Not a number is worse than all numbers.
                if best.as_ref().is_none_or(|(known, _)| relative < *known || known.is_nan()) {
                    let objective = silos.objective(&locals, &consensus);
                    let graphs = SiloGraphs { locals, consensus, objective, gap, rounds };
                    let solved = relative <= self.tolerance;
                    let status = if solved { Status::Solved } else { Status::MaxIterations };
                    best = Some((relative, ExactGraphs { graphs, tied, status }));
                    if solved {
                        break;
                    }
                }
            }
            let Some((relative, found)) = &mut best else { continue };
            let stop = observer.observe(Event::round(rounds).measured(*relative)).is_break();
            let solved = found.status == Status::Solved;
            if solved || last || stop {
                found.graphs.rounds = rounds;
                if stop && !solved {
                    found.status = Status::Stopped;
                }
                return found.clone();
            }
        }
    }
}

impl Star<'_> {
    /// Who may be tied: what the rounds say, all, or one; None for the rounds as they are.
    fn guesses(&self) -> impl Iterator<Item = Option<Vec<bool>>> + '_ {
        let count = self.leaves.len();
        let rounds = self.leaves.iter().map(|leaf| leaf.tied).collect();
        let one = move |i| (0..count).map(|j| i == j).collect();
        [rounds, vec![true; count]].into_iter().chain((0..count).map(one)).map(Some).chain([None])
    }

    /// The same, polished, from a guess about who is tied: roughly first, and to the end when the
    /// guess stands.
    fn polished(&self, mut tied: Vec<bool>) -> Answer {
        let (mut locals, mut consensus, mut duals, _) = self.as_it_is();
        for _ in 0..GUESSES {
            if tied.iter().all(|t| *t) {
                consensus = self.silos.as_one();
            }
            let mut better = tied.clone();
            for [tolerance, slack, noise] in [ROUGH, DONE] {
                polish(self.silos, &tied, tolerance, &mut locals, &mut consensus);
                duals = fitting_duals(self.silos, &tied, &locals, &consensus);
                let slack = self.silos.rho() * slack + self.steepness * noise;
                better = self.who_is_tied(&tied, slack, &locals, &consensus, &duals);
                if better != tied {
                    break;
                }
            }
            if better == tied {
                break;
            }
            for (i, leaf) in self.leaves.iter().enumerate() {
                if tied[i] && !better[i] {
                    locals.row_mut(i).copy_from_slice(&leaf.weights);
                }
            }
            tied = better;
        }
        (locals, consensus, duals, tied)
    }

    /// What polished graphs say about a guess: who is at the consensus all the same, and who would
    /// have to be held there by most, if that is more than ρ.
    fn who_is_tied(
        &self,
        tied: &[bool],
        slack: f64,
        locals: &Matrix,
        consensus: &[f64],
        duals: &Matrix,
    ) -> Vec<bool> {
        let near = NEAR * norm(consensus);
        let mut better: Vec<bool> = (0..tied.len())
            .map(|i| tied[i] || distance(locals.row(i), consensus) <= near)
            .collect();
        if better == tied {
            let mut longest = (self.silos.rho() + slack, None);
            for i in (0..tied.len()).filter(|&i| tied[i]) {
                let length = norm(duals.row(i));
                if length > longest.0 {
                    longest = (length, Some(i));
                }
            }
            longest.1.into_iter().for_each(|i| better[i] = false);
        }
        better
    }
}
