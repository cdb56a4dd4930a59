//! The files a command leaves behind, written whole or not at all.

mod csv_file;

pub(crate) use csv_file::CsvFile;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::files;
use crate::model_folder;

/// Name of a replaced folder inside its hidden one.
const ASIDE: &str = "old";
/// Files by which a folder with trained models is known.
const TRAINED: [&[&str]; 2] = [&[model_folder::FILE], &["config.toml", "parameters.csv"]];
/// How often a folder is replaced when other runs write to the same place.
const TRIES: usize = 20;

/// A folder that comes into being, complete, when [`Folder::commit`] is called.
pub(crate) struct Folder {
    path: PathBuf,
    parent: PathBuf,
    force: bool,
    stage: tempfile::TempDir,
    /// Results of an earlier run that do not stay.
    outdated: Vec<String>,
}

impl Folder {
    /// Checks that `path` can be written and is not there yet, unless `force`. Models that a run has trained are not replaced by results of
    /// another kind.
    pub(crate) fn new(path: &Path, force: bool) -> Result<Folder, Failure> {
        let is_there = |names: &[&str]| names.iter().all(|name| path.join(name).is_file());
        if force && TRAINED.iter().any(|names| is_there(names)) {
            return Err(Failure::input(format!(
                "{} holds the models of a run, which --force would spoil; give --out another folder.",
                path.display()
            )));
        }
        Folder::of_models(path, force)
    }

    /// The same for a command that trains models: they take the place of those that are there.
    pub(crate) fn of_models(path: &Path, force: bool) -> Result<Folder, Failure> {
        let shown = path.display();
        if path.is_file() {
            return Err(Failure::input(format!("{shown} is a file; --out needs a folder.")));
        }
        check_folders(path)?;
        if path.exists() && !force {
            return Err(Failure::input(format!(
                "{shown} exists already; choose another --out, or say --force to replace the results in it."
            )));
        }
        // A folder that is there is replaced as a whole: follow links to it, and leave the one we stand in alone.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if std::env::current_dir().is_ok_and(|here| here.starts_with(&path)) {
            return Err(Failure::input(format!(
                "{shown} is or holds the current folder; give --out a folder of its own."
            )));
        }
        let parent = parent(&path);
        let cannot = |e: std::io::Error| {
            Failure::input(format!("cannot write to {}: {}.", parent.display(), e.kind()))
        };
        std::fs::create_dir_all(&parent).map_err(cannot)?;
        let stage = hidden(&parent).map_err(cannot)?;
        Ok(Folder { path, parent, force, stage, outdated: vec![model_folder::FILE.to_owned()] })
    }

    /// The same, where these results of an earlier run do not stay.
    pub(crate) fn without(mut self, outdated: Vec<String>) -> Folder {
        self.outdated.extend(outdated);
        self
    }

    /// The same, unless one of these inputs lies in it: a result could take its place.
    pub(crate) fn apart_from<'p>(
        self,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<Folder, Failure> {
        for input in inputs {
            if std::fs::canonicalize(parent(input)).is_ok_and(|folder| folder == self.path) {
                return Err(Failure::input(format!(
                    "{} is an input file in the folder of --out; give --out a folder of its own.",
                    input.display()
                )));
            }
        }
        Ok(self)
    }

    /// Where files are put until the folder is complete.
    pub(crate) fn stage(&self) -> &Path {
        self.stage.path()
    }

    /// Adds a file of text.
    pub(crate) fn add(&self, name: &str, content: &str) -> Result<(), Failure> {
        self.add_bytes(name, content.as_bytes())
    }

    /// Adds a file.
    pub(crate) fn add_bytes(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let write = || {
            let mut file = std::fs::File::create(self.stage.path().join(name))?;
            file.write_all(content)?;
            file.sync_all()
        };
        write().map_err(|e: std::io::Error| self.cannot(name, e))
    }

    /// Puts the folder where it belongs, all files at once. With `force` it takes the place of the one that is there;
    /// files of that one that are not outdated and not replaced move over.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let cannot = |e| self.cannot("", e);
        set_permissions(self.stage.path()).map_err(cannot)?;
        if !self.force {
            if self.path.exists() {
                return Err(Failure::other(format!(
                    "{} has appeared meanwhile, from another run; nothing was written.",
                    self.path.display()
                )));
            }
            return std::fs::rename(self.stage.path(), &self.path).map_err(cannot);
        }
        self.swap()
    }

    /// Takes the place of the folder that is there.
    fn swap(&self) -> Result<(), Failure> {
        // Another run may put its folder there between our two renames; then that one is moved aside, too.
        let mut replaced = Vec::new();
        let names = |path: &Path| -> std::io::Result<Vec<OsString>> {
            std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect()
        };
        let results = names(self.stage.path()).unwrap_or_default();
        for _ in 0..TRIES {
            if self.path.exists() {
                let moved = hidden(&self.parent).and_then(|aside| {
                    std::fs::rename(&self.path, aside.path().join(ASIDE)).map(|()| aside)
                });
                match moved {
                    Ok(aside) => replaced.push(aside),
                    // Another run has just moved it.
                    Err(_) if !self.path.exists() => {}
                    Err(e) => return Err(self.put_back(replaced, e)),
                }
            }
            match std::fs::rename(self.stage.path(), &self.path) {
                Ok(()) => return self.keep_others(replaced, &results),
                Err(e) if !self.path.exists() => return Err(self.put_back(replaced, e)),
                Err(_) => {}
            }
        }
        Err(self.put_back(replaced, std::io::ErrorKind::ResourceBusy.into()))
    }

    /// Moves files that are not results to the new folder; models of another command, and results of an earlier run, would be taken for
    /// those of this one. What cannot be moved stays in the hidden folder.
    fn keep_others(
        &self,
        replaced: Vec<tempfile::TempDir>,
        results: &[OsString],
    ) -> Result<(), Failure> {
        for aside in replaced {
            let old = aside.path().join(ASIDE);
            let move_all = || -> std::io::Result<()> {
                for entry in std::fs::read_dir(&old)? {
                    let entry = entry?;
                    let name = entry.file_name();
                    let place = self.path.join(&name);
                    let outdated = results.contains(&name)
                        || self.outdated.iter().any(|old| name == old.as_str());
                    if !outdated && !place.exists() {
                        std::fs::rename(entry.path(), place)?;
                    }
                }
                Ok(())
            };
            if let Err(e) = move_all() {
                let kept = aside.keep();
                return Err(Failure::other(format!(
                    "the results are in {}, but other files of the old folder are still in {}: {e}.",
                    self.path.display(),
                    kept.display()
                )));
            }
        }
        Ok(())
    }

    /// Undoes a replacement that failed; nothing of the old folders is lost.
    fn put_back(&self, replaced: Vec<tempfile::TempDir>, error: std::io::Error) -> Failure {
        for aside in replaced.into_iter().rev() {
            if std::fs::rename(aside.path().join(ASIDE), &self.path).is_err() {
                let _ = aside.keep();
            }
        }
        self.cannot("", error)
    }

    fn cannot(&self, name: &str, error: std::io::Error) -> Failure {
        Failure::other(format!("cannot write {}: {error}.", self.path.join(name).display()))
    }
}

/// A staging folder is private; the result gets the permissions of any new folder.
#[cfg(unix)]
fn set_permissions(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn set_permissions(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The folder that holds a path.
fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// A private folder beside the result, removed when dropped.
fn hidden(parent: &Path) -> std::io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(".netfed-").tempdir_in(parent)
}

/// Refuses a path inside a file.
fn check_folders(path: &Path) -> Result<(), Failure> {
    match path.ancestors().skip(1).find(|folder| folder.is_file()) {
        Some(file) => Err(Failure::input(format!(
            "{} cannot be written: {} is a file, not a folder.",
            path.display(),
            file.display()
        ))),
        None => Ok(()),
    }
}

/// Refuses an output file that is an input file, is a folder, or exists without `force`.
pub(crate) fn check_place(out: &Path, force: bool, inputs: &[&Path]) -> Result<(), Failure> {
    let shown = out.display();
    check_folders(out)?;
    let same = |a: &Path| std::fs::canonicalize(a).ok() == std::fs::canonicalize(out).ok();
    if out.exists() && inputs.iter().any(|a| same(a)) {
        return Err(Failure::input(format!(
            "{shown} is an input file; choose another name for the output."
        )));
    }
    if out.is_dir() {
        return Err(Failure::input(format!(
            "{shown} is a folder; the output needs the name of a file."
        )));
    }
    if out.exists() && !force {
        return Err(Failure::input(format!("{shown} exists already; say --force to replace it.")));
    }
    Ok(())
}

/// The same, and refuses a name that promises another format than plain text.
pub(crate) fn check_file(out: &Path, force: bool, inputs: &[&Path]) -> Result<(), Failure> {
    check_place(out, force, inputs)?;
    let name = out.to_string_lossy().to_lowercase();
    let others = [".gz", ".parquet", ".pq", ".tsv", ".graphml", ".gexf"];
    if others.iter().any(|end| name.ends_with(end)) {
        return Err(Failure::input(format!(
            "{}: the output is plain CSV; choose a name that ends in .csv.",
            out.display()
        )));
    }
    Ok(())
}

/// Writes one file whole or not at all.
pub(crate) fn write_file(path: &Path, content: &str) -> Result<(), Failure> {
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
        Failure::input(format!("cannot write {}: {}.", path.display(), e.kind()))
    })
}

#[cfg(unix)]
fn set_file_permissions(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_file_permissions(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A CSV text under construction. Numbers are written so that reading them gives the same bits.
pub(crate) struct Csv {
    text: String,
}

impl Csv {
    /// A table with these column names.
    pub(crate) fn new<S: AsRef<str>>(header: impl IntoIterator<Item = S>) -> Csv {
        let mut csv = Csv { text: String::new() };
        csv.row(header.into_iter().map(|c| Cell::Text(c.as_ref().to_owned())));
        csv
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        for (k, cell) in cells.into_iter().enumerate() {
            if k > 0 {
                self.text.push(',');
            }
            let cell = match cell {
                Cell::Text(t) if files::spreadsheet() && files::is_formula(&t) => {
                    Cell::Text(format!("'{t}"))
                }
                cell => cell,
            };
            match cell {
                Cell::Text(t) if t.contains([',', '"', '\n', '\r']) || t.trim() != t => {
                    let _ = write!(self.text, "\"{}\"", t.replace('"', "\"\""));
                }
                Cell::Text(t) => self.text.push_str(&t),
                Cell::Number(v) if v != 0.0 && !(1e-5..1e15).contains(&v.abs()) => {
                    let _ = write!(self.text, "{v:e}");
                }
                Cell::Number(v) => {
                    let _ = write!(self.text, "{v}");
                }
                Cell::Empty => {}
            }
        }
        self.text.push('\n');
    }

    /// The text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// One cell of a [`Csv`].
pub(crate) enum Cell {
    Text(String),
    Number(f64),
    Empty,
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Cell {
        value.map_or(Cell::Empty, Cell::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_needs_quoting() {
        let mut csv = Csv::new(["node", "x,1"]);
        csv.row([Cell::Text("a\"b".into()), Cell::Number(0.1)]);
        csv.row([Cell::Empty, Cell::Number(1e-300)]);
        let text = csv.finish();
        assert!(text.starts_with("node,\"x,1\"\n\"a\"\"b\",0.1\n,1e-300\n"), "{text}");
    }

    #[test]
    fn a_folder_appears_complete_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("run");
        let folder = Folder::new(&out, false).unwrap();
        folder.add("a.txt", "a").unwrap();
        assert!(!out.exists());
        drop(folder);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let folder = Folder::new(&out, false).unwrap();
        folder.add("a.txt", "a").unwrap();
        folder.commit().unwrap();
        assert_eq!(std::fs::read_to_string(out.join("a.txt")).unwrap(), "a");
        assert!(Folder::new(&out, false).is_err());
        std::fs::write(out.join("mine.txt"), "mine").unwrap();
        let folder = Folder::new(&out, true).unwrap();
        folder.add("a.txt", "b").unwrap();
        folder.commit().unwrap();
        assert_eq!(std::fs::read_to_string(out.join("a.txt")).unwrap(), "b");
        assert_eq!(std::fs::read_to_string(out.join("mine.txt")).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_replacement_puts_everything_back() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("run");
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join("mine.txt"), "mine").unwrap();
        let folder = Folder::new(&out, true).unwrap();
        // The staged folder vanishes: the second of the two renames must fail.
        std::fs::remove_dir_all(folder.stage.path()).unwrap();
        assert!(folder.swap().is_err());
        assert_eq!(std::fs::read_to_string(out.join("mine.txt")).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn runs_that_replace_each_other_leave_one_whole_folder() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("run");
        std::thread::scope(|scope| {
            for k in 0..4 {
                let out = &out;
                scope.spawn(move || {
                    for _ in 0..20 {
                        let folder = Folder::new(out, true).unwrap();
                        folder.add("a.txt", &k.to_string()).unwrap();
                        folder.add("b.txt", &k.to_string()).unwrap();
                        // Too many others at once is an answer, a mixed folder is not.
                        let _ = folder.commit();
                    }
                });
            }
        });
        let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
        assert_eq!(read("a.txt"), read("b.txt"));
    }
}
