//! FedRelax between peers: the halves of a member, and its models in the end.

use netfed::model::{LocalModel, ModelKind, Task};
use netfed::relax::{Examples, RelaxHalf, RelaxSetup};
use netfed::{Dataset, Half, Table};
use netfed_io::check_classes;
use netfed_io::model_folder::Saved;
use netfed_net::Outcome;
use netfed_net::description::{Federation, Relaxing};

use crate::failure::Failure;
use crate::memory::check_models;
use crate::relaxing::{PublicRows, model_kind};
use crate::settings::Settings;

/// Refuses labels that are none of the classes of the federation, where it has some.
pub(crate) fn check_labels(
    federation: &Federation,
    settings: &Settings,
    points: &Table,
) -> Result<(), Failure> {
    let (path, column) = (settings.data_path()?, &settings.columns.target);
    match &federation.description.relax {
        Some(Relaxing { classes, .. }) if !classes.is_empty() => {
            Ok(check_classes(path, column, points, (classes, "the federation"))?)
        }
        _ => Ok(()),
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
        let (task, dim) =
            (Task::of_classes(&relaxing.classes), relaxing.public.first().map_or(0, Vec::len));
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
        let length = RelaxHalf::length(public.range().1, self.task.outputs());
        let (task, graph) = (self.task, &self.federation.graph);
        let (alpha, seed) = (self.settings.lambda(), self.settings.spec.seed);
        let setup = RelaxSetup { graph, public: &public, task, alpha, seed };
        let size = |(&i, d): (&usize, &Dataset)| {
            self.kind.size(task, width, d.points() + public.in_a_fit(graph, i))
        };
        check_models(nodes.iter().zip(&data).map(|node| (&self.kind, size(node))))?;
        let mut halves: Vec<Box<dyn Half>> = Vec::new();
        for (&i, data) in nodes.iter().zip(data) {
            let (x, y) = (data.features().to_vec(), data.labels());
            let own = Examples::new(data.dim(), x, y, &self.relaxing.classes)?;
            let node = setup.node(i, &self.kind, own)?;
            halves.push(Box::new(RelaxHalf::new(node, length)));
        }
        Ok((halves, length))
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
