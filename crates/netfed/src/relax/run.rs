//! Training models of any kind, coupled by their predictions, from a table to what came of it.

use super::input::RelaxInput;
use super::options::RelaxOptions;
use super::public::PublicPoints;
use super::relaxed::Relaxed;
use super::settings::Examples;
use super::settling::{Settling, go_on_and_on};
use super::setup::RelaxSetup;
use super::train::{Trained, Training};
use super::validation::Validation;
use super::variation::variations;
use super::warnings::RelaxWarning;
use crate::outcome::Status;
use crate::outcome::{Event, Observer, Unobserved};
use crate::{Error, FeatureScaling};

/// The two trainings of a run, as [`Event::Begin`] numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelaxPhase {
    /// On the points that are not held out, to judge.
    Validation = 0,
    /// On all points: the models that are kept.
    Training = 1,
}

impl RelaxPhase {
    /// The phase that a run has begun.
    pub fn of(run: usize) -> RelaxPhase {
        if run == RelaxPhase::Validation as usize {
            RelaxPhase::Validation
        } else {
            RelaxPhase::Training
        }
    }
}

/// Trains one model per node, coupled by what they predict on public points.
///
/// ```
/// use netfed::relax::{RelaxInput, RelaxOptions, relax};
/// use netfed::{Graph, Table};
///
/// // Two nodes with two points each of y = 2x, and one without data.
/// let x = vec![1.0, 2.0, 3.0, 4.0];
/// let y = vec![2.0, 4.0, 6.0, 8.0];
/// let nodes = ["a", "b", "c"].map(String::from).to_vec();
/// let table = Table::new(nodes, vec![0, 0, 1, 1], vec!["x".into()], x, Some(y))?;
/// let graph = Graph::new(3, &[(0, 1, 1.0), (1, 2, 1.0)])?;
/// let input = RelaxInput::regression(table, graph, vec!["linear".parse()?; 3])?;
///
/// let relaxed = relax(&input, &RelaxOptions::new(0.5).with_rounds(50))?;
/// let new = Table::from_rows(["c"], vec!["x".into()], vec![10.0], None)?;
/// assert!((relaxed.predict(&new)?.row(0)[0] - 20.0).abs() < 1e-2);
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn relax(input: &RelaxInput, options: &RelaxOptions) -> Result<Relaxed, Error> {
    relax_with(input, options, &mut Unobserved)
}

/// [`relax()`] with an observer, who is told of both trainings ([`RelaxPhase`]), and of every round
/// with the variation of its predictions. Where it breaks, models of the last round are kept,
/// unless not every node has one yet or the errors on points held out are being found: that is
/// [`Error::Stopped`].
pub fn relax_with(
    input: &RelaxInput,
    options: &RelaxOptions,
    observer: &mut dyn Observer,
) -> Result<Relaxed, Error> {
    let (run, table) = (Run::new(input, options)?, &input.table);
    let held = options.hold_out.rows(table, options.seed);
    let mut validation = None;
    if held.contains(&true) {
        let judged = run.train(RelaxPhase::Validation, |r| held[r], observer)?;
        if judged.stopped {
            return Err(Error::Stopped);
        }
        validation = Validation::new(&judged, table, input.task());
    }
    let trained = run.train(RelaxPhase::Training, |_| false, observer)?;
    run.finish(trained, validation)
}

/// A run: the points in the units of the training.
struct Run<'a> {
    input: &'a RelaxInput,
    options: &'a RelaxOptions,
    scaling: Option<FeatureScaling>,
    x: Vec<f64>,
    public: PublicPoints,
}

impl<'a> Run<'a> {
    fn new(input: &'a RelaxInput, options: &'a RelaxOptions) -> Result<Run<'a>, Error> {
        options.check()?;
        if !input.bears(options.alpha) {
            let expected = "so small that it can be multiplied with the edge weights";
            return Err(Error::BadNumber { name: "alpha", value: options.alpha, expected });
        }
        let (mut x, dim) = (input.table.x().to_vec(), input.table.features().len());
        let mut public = input.public.clone();
        let scaling = options.standardize.then(|| FeatureScaling::standard(&x, dim));
        if let Some(scaling) = &scaling {
            scaling.apply(&mut x);
            public = public.map(|points| scaling.apply(points));
        }
        let public = public.at_hand(dim, &x, options.seed)?;
        Ok(Run { input, options, scaling, x, public })
    }

    fn setup(&self) -> RelaxSetup<'_> {
        let (graph, task) = (&self.input.graph, self.input.task());
        let (alpha, seed) = (self.options.alpha, self.options.seed);
        RelaxSetup { graph, public: &self.public, task, alpha, seed }
    }

    /// The points of every node, of the rows that `keep` chooses.
    fn examples(&self, keep: impl Fn(usize) -> bool) -> Result<Vec<Examples>, Error> {
        let (table, dim) = (&self.input.table, self.input.table.features().len());
        let labels = table.y().unwrap_or(&[]);
        let of_node = |rows: Vec<usize>| {
            let rows = || rows.iter().filter(|&&r| keep(r));
            let points = rows().flat_map(|&r| &self.x[r * dim..(r + 1) * dim]).copied().collect();
            let labels: Vec<f64> = rows().map(|&r| labels[r]).collect();
            Examples::new(dim, points, &labels, &self.input.classes)
        };
        table.rows_of_nodes().into_iter().map(of_node).collect()
    }

    /// Trains on the rows that are not held out.
    fn train(
        &self,
        phase: RelaxPhase,
        held: impl Fn(usize) -> bool,
        observer: &mut dyn Observer,
    ) -> Result<Trained, Error> {
        if observer.observe(Event::Begin { run: phase as usize }).is_break() {
            return Err(Error::Stopped);
        }
        let (own, held) = (self.examples(|r| !held(r))?, self.examples(&held)?);
        let training = Training { setup: self.setup(), kinds: &self.input.kinds, own, held };
        training.run(self.options, observer)
    }

    /// What came of it.
    fn finish(self, trained: Trained, validation: Option<Validation>) -> Result<Relaxed, Error> {
        let Trained { models, rounds, damping, stopped, .. } = trained;
        let (setup, input) = (self.setup(), self.input);
        let coupled = setup.alpha > 0.0 && !setup.graph.edges().is_empty();
        let exchanges = if coupled { rounds.len() - 1 } else { 0 };
        let mut clusters = Vec::new();
        if exchanges > 0 {
            clusters = variations(&setup, &self.examples(|_| true)?, &models)?;
        }
        let settling = Settling::of(&rounds);
        let mut warnings = input.warnings(self.options);
        if go_on_and_on(&rounds) {
            let (change, usual_alpha) = (settling.change, 1.0 / input.heaviest());
            warnings.push(RelaxWarning::DoesNotSettle { change, usual_alpha });
        }
        let status = if stopped {
            Status::Stopped
        } else if exchanges == 0 {
            Status::Done
        } else if settling.is_settled() {
            Status::Settled
        } else {
            Status::MaxRounds
        };
        Ok(Relaxed {
            nodes: input.table.nodes().to_vec(),
            models,
            task: setup.task,
            scaling: self.scaling,
            status,
            exchanges,
            rounds,
            settling,
            damping,
            validation,
            clusters,
            warnings,
        })
    }
}
