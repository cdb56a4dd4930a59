//! FedRelax between peers: the section of the description.

use netfed::model::Task;
use netfed_io::PointColumns;
use netfed_net::description::Relaxing;

use super::init::Init;
use crate::failure::Failure;
use crate::memory::check_models;
use crate::progress::warn;
use crate::relaxing::{PublicRows, model_kind};

/// The section of the description, for a federation of some nodes.
pub(super) fn describe(args: &Init, nodes: &[String]) -> Result<Relaxing, Failure> {
    let Some(path) = &args.public else {
        return Err(Failure::input("fed-relax needs public points; say --public FILE.".into()));
    };
    let classes = classes(&args.classes)?;
    let features = args.given.columns.features.clone().unwrap_or_default();
    let given = |name: &Option<String>, usual: &str| name.clone().unwrap_or_else(|| usual.into());
    let columns = PointColumns {
        node: given(&args.given.columns.node_column, "node"),
        target: given(&args.given.columns.target, "y"),
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
    let (task, dim) = (Task::of_classes(&relaxing.classes), features.len());
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
