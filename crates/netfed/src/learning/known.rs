//! Known graphs of the silos, and the setting whose graphs are most like them.

use super::across::{SiloMethod, SiloSetting, SilosLearned, solve_silos_with};
use super::learn::Kept;
use super::{LogDegree, Scores};
use crate::outcome::{Event, Observer, Unobserved};
use crate::{Error, Graph};

/// Known graphs of silos: one for all, or one each.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownGraphs(Vec<Graph>);

impl KnownGraphs {
    /// One graph for all silos, or one each, in their order; each with an edge.
    pub fn new(graphs: Vec<Graph>, silos: usize) -> Result<KnownGraphs, Error> {
        let size = |what, expected, found| Err(Error::Size { what, expected, found });
        if graphs.len() != 1 && graphs.len() != silos {
            return size("known graphs, one for all or one each,", silos, graphs.len());
        }
        if graphs.iter().any(|graph| graph.edges().is_empty()) {
            return size("edges of a known graph, at least", 1, 0);
        }
        Ok(KnownGraphs(graphs))
    }

    /// How like a graph of a silo is to the known one.
    pub fn of_silo(&self, silo: usize, graph: &Graph) -> Scores {
        compare(graph, &self.0[silo.min(self.0.len() - 1)])
    }

    /// How like the consensus is to the known graph, where it is one for all.
    pub fn of_consensus(&self, graph: &Graph) -> Option<Scores> {
        let [one] = &self.0[..] else { return None };
        Some(compare(graph, one))
    }
}

/// The scores over the pairs that are edges of either graph.
fn compare(graph: &Graph, truth: &Graph) -> Scores {
    let edges = |graph: &Graph| -> Vec<(usize, usize, f64)> {
        graph.edges().iter().map(|e| (e.tail, e.head, e.weight)).collect()
    };
    Scores::of_edges(edges(graph), edges(truth))
}

/// What a setting has given.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Tried {
    /// The setting; β is there.
    pub setting: SiloSetting,
    /// Of the graphs of the silos.
    pub scores: Vec<Scores>,
    /// Their mean.
    pub mean: Scores,
    /// Of the consensus, where there is one known graph for all.
    pub consensus: Option<Scores>,
    /// Edges of a silo, on average.
    pub edges: f64,
    /// The objective.
    pub objective: f64,
    /// What it could still fall, where that is known.
    pub gap: Option<f64>,
    /// Whether the method has come to its end.
    pub done: bool,
}

/// A grid search over settings.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SiloGrid {
    /// All settings, in order.
    pub tried: Vec<Tried>,
    /// The place of the one that was taken: the largest mean F-score of the silos' graphs, of equal
    /// ones the first.
    pub taken: usize,
    /// Its graphs.
    pub found: SilosLearned,
}

/// What is searched by a grid.
#[derive(Debug, Clone, Copy)]
pub struct GridSearch<'a> {
    /// The problems (7) of the silos.
    pub problems: &'a [LogDegree],
    /// The method.
    pub method: SiloMethod,
    /// Rounds of methods that have rounds.
    pub rounds: u64,
    /// The known graphs.
    pub known: &'a KnownGraphs,
    /// Which graphs are judged.
    pub kept: Kept,
}

impl GridSearch<'_> {
    /// Tries settings, judged by known graphs. (7) and (8) of unlike β, ν and λ cannot be compared,
    /// on held-out signals neither.
    pub fn grid(&self, settings: &[SiloSetting]) -> Result<SiloGrid, Error> {
        self.grid_with(settings, &mut Unobserved)
    }

    /// [`GridSearch::grid`] with an observer, who is told when a setting begins, and of its rounds,
    /// and may end it: [`Error::Stopped`].
    pub fn grid_with(
        &self,
        settings: &[SiloSetting],
        observer: &mut dyn Observer,
    ) -> Result<SiloGrid, Error> {
        let (mut tried, mut best): (Vec<Tried>, Option<(usize, SilosLearned)>) = (Vec::new(), None);
        for (run, setting) in settings.iter().enumerate() {
            let mut stopped = observer.observe(Event::Begin { run }).is_break();
            let mut watch = |event: Event<'_>| {
                let flow = observer.observe(event);
                stopped |= flow.is_break();
                flow
            };
            let (problems, rounds) = (self.problems, self.rounds);
            let found = solve_silos_with(problems, self.method, setting, rounds, &mut watch)?;
            if stopped {
                return Err(Error::Stopped);
            }
            let own = self.judge(&found)?;
            let better = |(k, _): &(usize, SilosLearned)| {
                let before = tried[*k].mean.f_score;
                own.mean.f_score > before || before.is_nan()
            };
            if best.as_ref().is_none_or(better) {
                best = Some((tried.len(), found));
            }
            tried.push(own);
        }
        let none = Error::Size { what: "settings to try, at least", expected: 1, found: 0 };
        let (taken, found) = best.ok_or(none)?;
        Ok(SiloGrid { tried, taken, found })
    }

    /// How good the graphs of a setting are.
    fn judge(&self, found: &SilosLearned) -> Result<Tried, Error> {
        let graph = |weights: &[f64]| self.kept.graph(self.problems[0].candidates(), weights);
        let silos = 0..self.problems.len();
        let graphs = silos.map(|i| graph(found.locals.row(i))).collect::<Result<Vec<_>, _>>()?;
        let scores: Vec<Scores> =
            graphs.iter().enumerate().map(|(i, own)| self.known.of_silo(i, own)).collect();
        let none = Error::Size { what: "silos", expected: 1, found: 0 };
        let edges = graphs.iter().map(|own| own.edges().len()).sum::<usize>();
        let consensus = found.consensus.as_deref().map(graph).transpose()?;
        Ok(Tried {
            setting: found.setting,
            mean: Scores::mean(&scores).ok_or(none)?,
            scores,
            consensus: consensus.and_then(|c| self.known.of_consensus(&c)),
            edges: edges as f64 / graphs.len() as f64,
            objective: found.objective,
            gap: found.gap,
            done: found.status.is_success(),
        })
    }
}
