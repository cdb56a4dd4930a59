//! What all peers of `netfed federation up` have left, put together.

use std::path::{Path, PathBuf};

use netfed::natural_order;
use netfed_io::model_folder::FILE;
use netfed_io::{Folder, ModelFolder};
use netfed_net::description::{Federation, Member};
use serde_json::Value;

use crate::failure::Failure;
use crate::member::GRAPH;
use crate::settings::Settings;

/// What one peer has left.
struct Left<'a> {
    member: &'a Member,
    folder: PathBuf,
    /// Its nodes, in their order.
    nodes: Vec<String>,
}

impl<'a> Left<'a> {
    fn of(member: &'a Member, work: &Path) -> Left<'a> {
        let mut nodes = member.nodes.clone();
        nodes.sort_by(|a, b| natural_order(a, b));
        Left { member, folder: work.join(format!("{}.out", member.name)), nodes }
    }

    fn read(&self, file: &str) -> Result<String, Failure> {
        let name = &self.member.name;
        std::fs::read_to_string(self.folder.join(file))
            .map_err(|e| Failure::other(format!("the peer {name} left no {file}: {e}.")))
    }

    fn summary(&self) -> Result<Value, Failure> {
        serde_json::from_str(&self.read("summary.json")?)
            .map_err(|e| Failure::other(format!("the summary of {}: {e}.", self.member.name)))
    }
}

/// Puts the models of all members together; gives the summary.
pub(super) fn collect(
    folder: Folder,
    federation: &Federation,
    settings: &Settings,
    work: &Path,
) -> Result<Value, Failure> {
    let d = &federation.description;
    let all: Vec<Left<'_>> = d.members.iter().map(|member| Left::of(member, work)).collect();
    if d.relax.is_some() {
        let models = all.iter().map(|left| Ok(ModelFolder::open(&left.folder)?));
        let models = models.collect::<Result<Vec<_>, Failure>>()?;
        if let Some(file) = ModelFolder::joined(models)? {
            folder.add_bytes(FILE, &file)?;
        }
    } else if d.learning.is_some() {
        add_graphs(&folder, federation, &all)?;
    } else {
        folder.add("parameters.csv", &parameters(federation, &all)?)?;
    }
    let summary = summary(&all)?;
    folder.add("summary.json", &format!("{summary:#}\n"))?;
    folder.add("config.toml", &settings.to_toml()?)?;
    folder.commit()?;
    Ok(summary)
}

/// The graphs of all silos, and their consensus.
fn add_graphs(folder: &Folder, federation: &Federation, all: &[Left<'_>]) -> Result<(), Failure> {
    let server = federation.description.server.as_ref();
    for left in all {
        for node in &left.nodes {
            let file = if left.nodes.len() == 1 { GRAPH.into() } else { format!("{node}.csv") };
            let consensus = server.is_some_and(|s| s.node == *node);
            let name = if consensus { "consensus.csv".into() } else { format!("{node}.csv") };
            folder.add(&name, &left.read(&file)?)?;
        }
    }
    Ok(())
}

/// The parameters of all nodes, in their order.
fn parameters(federation: &Federation, all: &[Left<'_>]) -> Result<String, Failure> {
    let mut header = String::new();
    let mut lines: Vec<(usize, String)> = Vec::new();
    for left in all {
        let text = left.read("parameters.csv")?;
        let mut rows = text.lines();
        header = rows.next().unwrap_or_default().to_owned();
        for (node, line) in left.nodes.iter().zip(rows) {
            let place = federation.nodes.iter().position(|n| n == node).unwrap_or(0);
            lines.push((place, line.to_owned()));
        }
    }
    lines.sort_unstable();
    let rows: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
    Ok(format!("{header}\n{rows}"))
}

/// The summary of a member that knows the gap of all, without what is its own.
fn summary(all: &[Left<'_>]) -> Result<Value, Failure> {
    let mut summary = Value::Null;
    for left in all {
        let own = left.summary()?;
        if summary.is_null() || summary["relative_gap"].is_null() {
            summary = own;
        }
    }
    if let Some(object) = summary.as_object_mut() {
        for own in ["member", "nodes", "own_objective", "own_gap"] {
            object.remove(own);
        }
    }
    Ok(summary)
}
