//! FedRelax between peers: the section of the description, the halves of a member, and its models in the end.

use netfed::model::{LocalModel, ModelKind, Task};
use netfed::relax::{Examples, RelaxHalf};
use netfed::{Dataset, Half, Matrix};
use netfed_io::model_folder::Saved;
use netfed_io::{PointColumns, PointTable, check_classes};
use netfed_net::Outcome;
use netfed_net::description::{Federation, Relaxing};

use super::init::Init;
use crate::commands::relax::{PublicRows, model_kind, node};
use crate::failure::Failure;
use crate::memory::check_models;
use crate::progress::warn;
use crate::settings::Settings;

/// The section of the description, for a federation of some nodes.
pub(super) fn describe(args: &Init, nodes: &[String]) -> Result<Relaxing, Failure> {
    let Some(path) = &args.public else {
        return Err(Failure::input("fed-relax needs public points; say --public FILE.".into()));
    };
    let classes = classes(&args.classes)?;
    let features = args.given.features.clone().unwrap_or_default();
    let given = |name: &Option<String>, usual: &str| name.clone().unwrap_or_else(|| usual.into());
    let columns = PointColumns {
        node: given(&args.given.node_column, "node"),
        target: given(&args.given.target, "y"),
        ..PointColumns::default()
    };
    let (public, ignored) =
        PublicRows::read(path, &columns, (&features, "--features"), (nodes, "the federation"))?;
    warn(ignored.as_slice());
    let usual = if args.classes.is_empty() { "linear" } else { "logistic" };
    let relaxing = Relaxing {
        model: args.model.clone().unwrap_or_else(|| usual.into()),
        classes,
        public: public.x.chunks_exact(features.len()).map(<[f64]>::to_vec).collect(),
        public_of: public.owners,
    };
    let (task, dim) = (task(&relaxing), features.len());
    let kind = model_kind("--model", &relaxing.model, task, dim)?;
    check_models(std::iter::once((&kind, kind.size(task, dim, relaxing.public.len()))))?;
    Ok(relaxing)
}

/// The labels of the classes in increasing order.
fn classes(given: &[f64]) -> Result<Vec<f64>, Failure> {
    let mut classes = given.to_vec();
    classes.sort_by(f64::total_cmp);
    let wrong = |what: String| Err(Failure::input(format!("--classes has {what}.")));
    if let Some(label) = classes.iter().find(|c| !c.is_finite()) {
        return wrong(format!("{label}; labels are finite numbers"));
    }
    if let Some(pair) = classes.windows(2).find(|pair| pair[0] == pair[1]) {
        return wrong(format!("{} twice", pair[0]));
    }
    match classes[..] {
        [one] => wrong(format!("{one} only; give all labels, two or more, or none for numbers")),
        _ => Ok(classes),
    }
}

/// Refuses labels that are none of the classes of the federation, where it has some.
pub(crate) fn check_labels(
    federation: &Federation,
    settings: &Settings,
    points: &PointTable,
) -> Result<(), Failure> {
    let (path, column) = (&settings.data, &settings.columns.target);
    match &federation.description.relax {
        Some(Relaxing { classes, .. }) if !classes.is_empty() => {
            Ok(check_classes(path, column, points, (classes, "the federation"))?)
        }
        _ => Ok(()),
    }
}

fn task(relaxing: &Relaxing) -> Task {
    match relaxing.classes.len() {
        0 => Task::Regression,
        count => Task::Classification(count),
    }
}

/// The models of a member.
pub(crate) struct Relaxed<'a> {
    relaxing: &'a Relaxing,
    federation: &'a Federation,
    settings: &'a Settings,
    kind: ModelKind,
    task: Task,
}

impl<'a> Relaxed<'a> {
    /// With the member's own choice of a model, if it has one.
    pub(crate) fn new(
        relaxing: &'a Relaxing,
        federation: &'a Federation,
        settings: &'a Settings,
        own: Option<&str>,
    ) -> Result<Relaxed<'a>, Failure> {
        let (task, dim) = (task(relaxing), relaxing.public.first().map_or(0, Vec::len));
        let kind = match own {
            Some(text) => model_kind("--model", text, task, dim)?,
            None => model_kind("the model of the federation", &relaxing.model, task, dim)?,
        };
        Ok(Relaxed { relaxing, federation, settings, kind, task })
    }

    /// The halves of the nodes, and the numbers of a message.
    pub(crate) fn halves(
        &self,
        nodes: &[usize],
        data: Vec<Dataset>,
    ) -> Result<(Vec<Box<dyn Half>>, usize), Failure> {
        let width = self.relaxing.public.first().map_or(0, Vec::len);
        if let Some(odd) = data.iter().find(|d| d.dim() != width) {
            return Err(Failure::input(format!(
                "the public points have {width} features, the data {}; ask the organizer.",
                odd.dim()
            )));
        }
        let (x, owners) = (self.relaxing.public.concat(), self.relaxing.public_of.clone());
        let public = PublicRows { x, owners }.sets(width, &self.federation.nodes)?;
        let length = RelaxHalf::length(public.most(), self.task.outputs());
        let (settings, graph) = (self.settings, &self.federation.graph);
        let size = |(&i, d): (&usize, &Dataset)| {
            self.kind.size(self.task, width, d.points() + public.in_a_fit(graph, i))
        };
        check_models(nodes.iter().zip(&data).map(|node| (&self.kind, size(node))))?;
        let mut halves: Vec<Box<dyn Half>> = Vec::new();
        for (&i, data) in nodes.iter().zip(data) {
            let model = (&self.kind, self.task);
            let coupling = (settings.lambda, settings.seed);
            let own = self.examples(&data)?;
            let node = node(graph, i, own, &public, model, coupling)?;
            halves.push(Box::new(RelaxHalf::new(node, length)));
        }
        Ok((halves, length))
    }

    /// Points with their targets.
    fn examples(&self, data: &Dataset) -> Result<Examples, Failure> {
        let classes = &self.relaxing.classes;
        let targets: Vec<f64> = match self.task {
            Task::Regression => data.labels().to_vec(),
            Task::Classification(_) => {
                let one = |y: &f64| {
                    let y = *y;
                    classes.iter().map(move |c| f64::from(u8::from(*c == y)))
                };
                data.labels().iter().flat_map(one).collect()
            }
        };
        Ok(Examples {
            points: Matrix::from_rows(data.dim(), data.features().to_vec())?,
            targets: Matrix::from_rows(self.task.outputs(), targets)?,
        })
    }

    /// The file with the models of the nodes.
    pub(crate) fn file(&self, nodes: &[String], outcome: &Outcome) -> Result<Vec<u8>, Failure> {
        let columns = &self.settings.columns;
        let features = columns.features.clone().unwrap_or_default();
        let mut models: Vec<Box<dyn LocalModel>> = Vec::new();
        for memory in &outcome.memory {
            let mut model = self.kind.build(self.task, features.len(), 0);
            let parts = RelaxHalf::parts(memory).unwrap_or_default();
            if !parts.is_empty() {
                model.restore(&parts)?;
            }
            models.push(model);
        }
        let saved = Saved {
            task: self.task,
            classes: self.relaxing.classes.clone(),
            node_column: columns.node.clone(),
            target: columns.target.clone(),
            features,
            nodes: nodes.to_vec(),
            kinds: vec![self.kind.clone(); nodes.len()],
            scaling: None,
        };
        Ok(saved.to_bytes(&models)?)
    }
}
