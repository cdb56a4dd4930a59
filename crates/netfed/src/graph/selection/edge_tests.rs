//! The tests of many pairs: the threshold first, then the verdicts, one after the other. All pairs
//! of n nodes need no memory for n² numbers; only the adjusted p-values of Holm and
//! Benjamini-Hochberg, where they are wanted, need 16 bytes each.

use super::correction::{Adjusted, Correction};
use super::estimate::{Estimates, Untested};
use super::fidelity::Fidelity;
use super::pairs::Pairs;
use super::wald::Wald;
use crate::{Error, Graph};

/// Pairs between two looks at the observer.
const STEP: u64 = 1 << 16;

/// What becomes of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The data do not contradict one common model.
    Kept,
    /// They do.
    Dropped,
    /// One of the nodes cannot be tested. An edge of a graph is kept.
    NotTested,
}

/// A pair of nodes with its test.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairTest {
    /// The smaller node.
    pub tail: usize,
    /// The larger one.
    pub head: usize,
    /// Weight of the edge; 1 where there was none.
    pub weight: f64,
    /// The test; none where one of the nodes cannot be tested.
    pub test: Option<Wald>,
    /// The p-value adjusted for the number of tests, where that is wanted.
    pub adjusted: Option<f64>,
    /// What becomes of the pair.
    pub verdict: Verdict,
}

/// What an observer of many tests is told.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SelectEvent {
    /// A block of pairs has been looked at, [`EdgeTests::blocks`] in all.
    Block,
    /// A pair has its verdict.
    Pair(PairTest),
}

/// The outcome of many tests.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Selected {
    /// Nodes that cannot be tested, by reason.
    pub untested: Vec<(Untested, Vec<usize>)>,
    /// P-values below this drop a pair.
    pub threshold: f64,
    /// Pairs that were tested,
    pub tested: u64,
    /// and those of them that were dropped.
    pub dropped: u64,
    /// Edges of the graph at nodes that cannot be tested; they are kept.
    pub not_tested: u64,
    /// The kept pairs, against the true clusters where they are known; else as if all nodes were of
    /// one.
    pub kept: Fidelity,
    /// The comparison with the true clusters, where they are known.
    pub truth: Option<AgainstTruth>,
}

/// The pairs before the selection, against known clusters.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AgainstTruth {
    /// The graph as given; without one, all pairs that were tested.
    pub before: Fidelity,
    /// Pairs inside clusters that were dropped.
    pub lost: u64,
}

impl Selected {
    /// Number of pairs that are kept, tested or not.
    pub fn count(&self) -> u64 {
        self.tested - self.dropped + self.not_tested
    }
}

/// Many pairs to be tested.
pub struct EdgeTests<'a> {
    estimates: &'a Estimates,
    pairs: Pairs<'a>,
    correction: Correction,
    alpha: f64,
    adjusted: bool,
    truth: Option<Vec<usize>>,
}

impl<'a> EdgeTests<'a> {
    /// The edges of a graph or, without one, all pairs of nodes that can be tested; at a level α
    /// between 0 and 1, by the meaning of the correction.
    pub fn new(
        estimates: &'a Estimates,
        graph: Option<&'a Graph>,
        correction: Correction,
        alpha: f64,
    ) -> Result<EdgeTests<'a>, Error> {
        let (what, expected) = ("nodes of the graph", estimates.nodes().len());
        if let Some(graph) = graph {
            crate::error::same_size(what, expected, graph.nodes())?;
        }
        if !(alpha > 0.0 && alpha < 1.0) {
            let expected = "more than 0 and less than 1";
            return Err(Error::BadNumber { name: "alpha", value: alpha, expected });
        }
        let pairs = Pairs::new(graph, estimates);
        Ok(EdgeTests { estimates, pairs, correction, alpha, adjusted: false, truth: None })
    }

    /// With the adjusted p-value of every pair.
    pub fn with_adjusted(self) -> EdgeTests<'a> {
        EdgeTests { adjusted: true, ..self }
    }

    /// Compares with true clusters, one for every node.
    pub fn with_truth(self, clusters: Vec<usize>) -> Result<EdgeTests<'a>, Error> {
        let (what, expected) = ("true clusters of the nodes", self.estimates.nodes().len());
        crate::error::same_size(what, expected, clusters.len())?;
        Ok(EdgeTests { truth: Some(clusters), ..self })
    }

    /// How many blocks of pairs are looked at, about.
    pub fn blocks(&self) -> usize {
        let looks = if self.correction == Correction::Bonferroni { 1 } else { 3 };
        (looks * self.pairs.count() / STEP) as usize
    }

    /// Tests all pairs, and shows them in order; an error of the observer ends it.
    pub fn run<E>(
        &self,
        mut observe: impl FnMut(SelectEvent) -> Result<(), E>,
    ) -> Result<Selected, E> {
        let testable = self.pairs.testable(self.estimates);
        let mut p_values = None;
        if self.adjusted && self.correction != Correction::Bonferroni {
            let mut list = Vec::with_capacity(testable as usize);
            self.look(&mut observe, |_, _, _, _, test| {
                list.extend(test.map(|t| t.p_value));
                Ok(())
            })?;
            p_values = Some(list);
        }
        let threshold = self.correction.threshold(self.alpha, testable, |take| {
            if let Some(list) = &p_values {
                list.iter().for_each(|p| take(*p));
                return Ok(());
            }
            self.look(&mut observe, |_, _, _, _, test| {
                test.iter().for_each(|t| take(t.p_value));
                Ok(())
            })
        })?;
        let adjusted = self.adjusted.then(|| match p_values {
            Some(list) => Adjusted::new(self.correction, list),
            None => Adjusted::bonferroni(testable),
        });
        let mut selected = self.nothing(threshold);
        self.look(&mut observe, |observe, tail, head, weight, test| {
            let verdict = selected.judge(tail, head, test);
            let adjusted = adjusted.as_ref().zip(test).map(|(all, test)| all.of(test.p_value));
            let pair = PairTest { tail, head, weight, test, adjusted, verdict };
            observe(SelectEvent::Pair(pair))
        })?;
        Ok(selected)
    }

    /// Tests all pairs once, and shows them in order.
    fn look<E, O: FnMut(SelectEvent) -> Result<(), E>>(
        &self,
        observe: &mut O,
        mut show: impl FnMut(&mut O, usize, usize, f64, Option<Wald>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut seen = 0;
        self.pairs.for_each(self.estimates, |i, j, weight, test| {
            seen += 1;
            if seen % STEP == 0 {
                observe(SelectEvent::Block)?;
            }
            show(observe, i, j, weight, test)
        })
    }

    /// Before the first verdict.
    fn nothing(&self, threshold: f64) -> Selected {
        let truth = self.truth.clone();
        let one = || vec![0; self.estimates.nodes().len()];
        Selected {
            untested: self.estimates.untested(),
            threshold,
            tested: 0,
            dropped: 0,
            not_tested: 0,
            kept: Fidelity::new(truth.clone().unwrap_or_else(one)),
            truth: truth.map(|truth| AgainstTruth { before: Fidelity::new(truth), lost: 0 }),
        }
    }
}

impl Selected {
    /// Takes note of a test, and gives its verdict.
    fn judge(&mut self, i: usize, j: usize, test: Option<Wald>) -> Verdict {
        let verdict = match test {
            None => Verdict::NotTested,
            Some(test) if test.p_value < self.threshold => Verdict::Dropped,
            Some(_) => Verdict::Kept,
        };
        if let Some(truth) = &mut self.truth {
            let right = truth.before.add(i, j);
            truth.lost += u64::from(right && verdict == Verdict::Dropped);
        }
        match verdict {
            Verdict::NotTested => self.not_tested += 1,
            _ => self.tested += 1,
        }
        match verdict {
            Verdict::Dropped => self.dropped += 1,
            _ => {
                self.kept.add(i, j);
            }
        }
        verdict
    }
}
