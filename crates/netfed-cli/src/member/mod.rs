//! A member of a federation as several commands see it: description, certificate, settings, data.

mod exposure;
mod log;
mod relaxing;
mod settings;
mod silos;
mod work;

pub(crate) use exposure::{travels, warnings};
pub(crate) use log::start_log;
pub(crate) use relaxing::{Relaxed, check_labels};
pub(crate) use settings::settings_of;
pub(crate) use silos::{GRAPH, SiloWork};
pub(crate) use work::Work;

use std::path::{Path, PathBuf};

use netfed::Table;
use netfed_io::has_column;
use netfed_net::{authority, description, proof};

use crate::failure::Failure;
use crate::progress::say;
use crate::settings::Settings;

/// The description in a folder, if the authority has signed it.
pub(crate) fn read(folder: &Path) -> Result<description::Federation, Failure> {
    let federation = description::Federation::read(folder).map_err(damaged)?;
    authority::check_signature(folder).map_err(damaged)?;
    Ok(federation)
}

/// Whatever is wrong with a folder of a federation is wrong with what the user gave.
pub(crate) fn damaged(error: netfed_net::Error) -> Failure {
    let mut failure = Failure::from(error);
    failure.exit = 2;
    failure
}

/// The certificate in the folder of the organizer's observer, a member or a router, with a key that
/// belongs to it.
pub(crate) fn identity(folder: &Path) -> Result<authority::Identity, Failure> {
    let identity = proof::check(folder).map_err(damaged)?;
    if identity.days_left < 0 {
        return Err(Failure::input(format!(
            "{}: the certificate of \"{}\" has expired; ask the organizer for a new invitation.",
            folder.display(),
            identity.name
        )));
    }
    Ok(identity)
}

/// The name in the certificate of an invitation that is good.
pub(crate) fn own_name(folder: &Path) -> Result<String, Failure> {
    let identity = identity(folder)?;
    let key = folder.join(authority::KEY);
    if authority::is_exposed(&key) {
        say(&format!("warning: {} can be read by others; say: chmod 600 {0}", key.display()));
    }
    Ok(identity.name)
}

/// Numbers of a message about one node.
pub(crate) fn numbers(
    federation: &description::Federation,
    settings: &Settings,
) -> Result<usize, Failure> {
    let d = &federation.description;
    if let Some(relax) = &d.relax {
        let (_, size) = Relaxed::new(relax, federation, settings, None)?.halves(&[], Vec::new())?;
        return Ok(size);
    }
    if let Some(silos) = SiloWork::new(federation, settings)? {
        return Ok(silos.size());
    }
    let features = settings.columns.features.as_ref().map_or(0, Vec::len);
    let dim = features + usize::from(settings.spec.intercept);
    Ok(match &d.server {
        Some(serving) => Work { serving, federation, settings, dim }.size(),
        None => dim,
    })
}

/// Without a column all points belong to the one node.
pub(crate) fn one_node(points: Table, nodes: &[String], settings: &Settings) -> Table {
    let numbered = points.nodes().iter().enumerate().all(|(k, n)| *n == (k + 1).to_string());
    let named = |path: &PathBuf| has_column(path, &settings.columns.node);
    let has_column = settings.data.as_ref().is_some_and(named);
    match nodes {
        [only] if numbered && !has_column => points.pooled(only),
        _ => points,
    }
}
