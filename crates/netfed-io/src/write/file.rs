//! One file, written whole or not at all; and names that cannot be written.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Refuses an output file that is an input file, is a folder, or exists without `force`.
pub fn check_place(out: &Path, force: bool, inputs: &[&Path]) -> Result<(), Error> {
    let shown = out.display();
    check_folders(out)?;
    let same = |a: &Path| std::fs::canonicalize(a).ok() == std::fs::canonicalize(out).ok();
    if out.exists() && inputs.iter().any(|a| same(a)) {
        return Err(Error::input(format!(
            "{shown} is an input file; choose another name for the output."
        )));
    }
    if out.is_dir() {
        return Err(Error::input(format!(
            "{shown} is a folder; the output needs the name of a file."
        )));
    }
    if out.exists() && !force {
        return Err(Error::input(format!("{shown} exists already; say --force to replace it.")));
    }
    Ok(())
}

/// The same, and refuses a name that promises another format than plain text.
pub fn check_file(out: &Path, force: bool, inputs: &[&Path]) -> Result<(), Error> {
    check_place(out, force, inputs)?;
    let name = out.to_string_lossy().to_lowercase();
    let others = [".gz", ".parquet", ".pq", ".tsv", ".graphml", ".gexf"];
    if others.iter().any(|end| name.ends_with(end)) {
        return Err(Error::input(format!(
            "{}: the output is plain CSV; choose a name that ends in .csv.",
            out.display()
        )));
    }
    Ok(())
}

/// Writes one file whole or not at all.
pub fn write_file(path: &Path, content: &str) -> Result<(), Error> {
    let parent = parent(path);
    let write = || {
        std::fs::create_dir_all(&parent)?;
        let mut file = tempfile::NamedTempFile::new_in(&parent)?;
        file.write_all(content.as_bytes())?;
        file.as_file().sync_all()?;
        set_file_permissions(file.path())?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    write().map_err(|e: std::io::Error| {
        Error::input(format!("cannot write {}: {}.", path.display(), e.kind()))
    })
}

#[cfg(unix)]
pub(crate) fn set_file_permissions(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
pub(crate) fn set_file_permissions(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Refuses a path inside a file.
pub(crate) fn check_folders(path: &Path) -> Result<(), Error> {
    match path.ancestors().skip(1).find(|folder| folder.is_file()) {
        Some(file) => Err(Error::input(format!(
            "{} cannot be written: {} is a file, not a folder.",
            path.display(),
            file.display()
        ))),
        None => Ok(()),
    }
}

/// The folder that holds a path.
pub(crate) fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    }
}
