//! The bundled data of the demo; `data/weather/README.md` says where they come from.

use std::path::Path;

use netfed_io::Folder;

use crate::failure::Failure;

/// A file of the package.
macro_rules! bundled {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/weather/", $name)))
    };
}

const FILES: [(&str, &str); 4] =
    [bundled!("train.csv"), bundled!("test.csv"), bundled!("stations.csv"), bundled!("README.md")];

/// Writes the data into a folder.
pub(super) fn write(out: &Path, force: bool) -> Result<(), Failure> {
    let folder = Folder::new(out, force)?;
    for (name, text) in FILES {
        folder.add(name, text)?;
    }
    Ok(folder.commit()?)
}
