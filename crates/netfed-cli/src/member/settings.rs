//! The settings of a federation, with a member's own data.

use std::path::Path;

use netfed::spec;
use netfed_io::Target;
use netfed_net::description::{DESCRIPTION, Federation, Method};

use crate::failure::Failure;
use crate::given::{Columns, Given, InputFiles};
use crate::settings::Settings;

/// The settings of a federation, with a member's own data, if it has some. The graph stands in the
/// description.
pub(crate) fn settings_of(
    federation: &Federation,
    folder: &Path,
    data: Option<&Path>,
) -> Result<Settings, Failure> {
    let path = folder.join(DESCRIPTION);
    let d = &federation.description;
    let spec = d.spec().map_err(|error| match error {
        netfed_net::Error::Invalid(what) => Failure::input(format!("{}, {what}", path.display())),
        other => other.into(),
    })?;
    let columns = d.problem.columns.clone();
    let given = Given {
        files: InputFiles {
            data: data.map(Path::to_path_buf),
            graph: Some(path),
            availability: spec.availability.map(|chance| chance.to_string()),
            ..InputFiles::default()
        },
        columns: Columns {
            node_column: columns.node_column,
            target: columns.target,
            features: columns.features,
        },
        spec: spec::Given::default(),
        ..Given::default()
    };
    let mut settings = Settings::complete(given, spec)?;
    if d.method == Method::Ppgl {
        // Signals have no labels.
        settings.columns.kind = Target::None;
    }
    Ok(settings)
}
