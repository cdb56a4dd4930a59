//! The tests of all edges: the threshold first, then the verdicts, one after the other into the files. All pairs of n nodes need no
//! memory for n² numbers; only the adjusted p-values of Holm and Benjamini-Hochberg, asked for with --tests, need 16 bytes each.

use netfed::Edges;
use netfed::selection::{Adjusted, Correction, Estimates, Fidelity, Untested, Wald};

use super::files::{Files, Verdict};
use super::flags::{Plan, Select};
use super::pairs::Pairs;
use crate::failure::Failure;
use crate::progress::{Steps, interrupted};

/// Pairs of one step of the progress.
const STEP: u64 = 1 << 16;

/// What came out.
pub(super) struct Outcome {
    pub(super) nodes: Vec<String>,
    /// Nodes that cannot be tested, by reason.
    pub(super) untested: Vec<(Untested, Vec<usize>)>,
    /// P-values below this drop an edge.
    pub(super) threshold: f64,
    pub(super) tested: u64,
    pub(super) dropped: u64,
    /// Edges of the graph at nodes that cannot be tested; they are kept.
    pub(super) not_tested: u64,
    /// The kept edges.
    pub(super) kept: Fidelity,
    pub(super) truth: Option<Truth>,
    pub(super) seconds: f64,
}

/// The comparison with known clusters.
pub(super) struct Truth {
    /// The graph as given; without one, all pairs that were tested.
    pub(super) before: Fidelity,
    /// Edges inside clusters that were dropped.
    pub(super) lost: u64,
}

impl Outcome {
    /// Tests all edges and writes the files.
    pub(super) fn new(
        args: &Select,
        plan: &Plan,
        nodes: Vec<String>,
        edges: &Edges,
        estimates: &Estimates,
        truth: Option<Vec<usize>>,
    ) -> Result<Outcome, Failure> {
        let kept = Fidelity::new(truth.clone().unwrap_or_else(|| vec![0; nodes.len()]));
        let mut outcome = Outcome {
            untested: untested(estimates),
            threshold: 0.0,
            tested: 0,
            dropped: 0,
            not_tested: 0,
            kept,
            truth: truth.map(|truth| Truth { before: Fidelity::new(truth), lost: 0 }),
            seconds: 0.0,
            nodes,
        };
        let pairs = Pairs::new(plan, edges, estimates)?;
        let mut files = Files::new(args)?;
        let looks = if plan.correction == Correction::Bonferroni { 1 } else { 3 };
        let steps = Steps::named(
            (looks * pairs.count() / STEP) as usize,
            "blocks of pairs",
            args.results.quiet,
        );
        let look =
            |show: &mut dyn FnMut(usize, usize, f64, Option<Wald>) -> Result<(), Failure>| {
                let mut seen = 0;
                pairs.for_each(estimates, |i, j, weight, test| {
                    seen += 1;
                    if seen % STEP == 0 {
                        steps.step("comparing models");
                        stop_if_interrupted()?;
                    }
                    show(i, j, weight, test)
                })
            };
        let testable = pairs.testable(estimates);
        let p_values = match args.tests.is_some() && plan.correction != Correction::Bonferroni {
            true => {
                let mut list = Vec::with_capacity(testable as usize);
                look(&mut |_, _, _, test| {
                    list.extend(test.map(|t| t.p_value));
                    Ok(())
                })?;
                Some(list)
            }
            false => None,
        };
        outcome.threshold = plan.correction.threshold(args.alpha, testable, |take| {
            if let Some(list) = &p_values {
                list.iter().for_each(|p| take(*p));
                return Ok(());
            }
            look(&mut |_, _, _, test| {
                test.iter().for_each(|t| take(t.p_value));
                Ok(())
            })
        })?;
        files.adjusted = Some(match p_values {
            Some(list) => Adjusted::new(plan.correction, list),
            None => Adjusted::bonferroni(testable),
        });
        look(&mut |i, j, weight, test| {
            let verdict = outcome.judge(i, j, test);
            files.add([&outcome.nodes[i], &outcome.nodes[j]], weight, test, verdict)
        })?;
        steps.finish();
        stop_if_interrupted()?;
        files.finish()?;
        Ok(outcome)
    }

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

    /// Number of edges that are kept, tested or not.
    pub(super) fn kept(&self) -> u64 {
        self.tested - self.dropped + self.not_tested
    }
}

fn stop_if_interrupted() -> Result<(), Failure> {
    match interrupted() {
        true => Err(Failure::other("interrupted; nothing was written.".into())),
        false => Ok(()),
    }
}

fn untested(estimates: &Estimates) -> Vec<(Untested, Vec<usize>)> {
    let mut by_reason = std::collections::BTreeMap::<Untested, Vec<usize>>::new();
    for (i, node) in estimates.nodes().iter().enumerate() {
        if let Err(reason) = node {
            by_reason.entry(*reason).or_default().push(i);
        }
    }
    by_reason.into_iter().collect()
}
