//! A folder of results, written whole or not at all.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::file::{check_folders, parent};
use crate::error::Error;
use crate::model_folder;

/// Name of a replaced folder inside its hidden one.
const ASIDE: &str = "old";
/// Files by which a folder with trained models is known.
const TRAINED: [&[&str]; 2] = [&[model_folder::FILE], &["config.toml", "parameters.csv"]];
/// How often a folder is replaced when other runs write to the same place.
const TRIES: usize = 20;

/// A folder that comes into being, complete, when [`Folder::commit`] is called.
pub struct Folder {
    path: PathBuf,
    parent: PathBuf,
    force: bool,
    stage: tempfile::TempDir,
    /// Results of an earlier run that do not stay.
    outdated: Vec<String>,
}

impl Folder {
    /// Checks that `path` can be written and is not there yet, unless `force`. Models that a run
    /// has trained are not replaced by results of another kind.
    pub fn new(path: &Path, force: bool) -> Result<Folder, Error> {
        let is_there = |names: &[&str]| names.iter().all(|name| path.join(name).is_file());
        if force && TRAINED.iter().any(|names| is_there(names)) {
            return Err(Error::input(format!(
                "{} holds the models of a run, which --force would spoil; give --out another folder.",
                path.display()
            )));
        }
        Folder::of_models(path, force)
    }

    /// The same for a command that trains models: they take the place of those that are there.
    pub fn of_models(path: &Path, force: bool) -> Result<Folder, Error> {
        let shown = path.display();
        if path.is_file() {
            return Err(Error::input(format!("{shown} is a file; --out needs a folder.")));
        }
        check_folders(path)?;
        if path.exists() && !force {
            return Err(Error::input(format!(
                "{shown} exists already; choose another --out, or say --force to replace the results in it."
            )));
        }
        // A folder that is there is replaced as a whole: follow links to it, and leave the one we
        // stand in alone.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if std::env::current_dir().is_ok_and(|here| here.starts_with(&path)) {
            return Err(Error::input(format!(
                "{shown} is or holds the current folder; give --out a folder of its own."
            )));
        }
        let parent = parent(&path);
        let cannot = |e: std::io::Error| {
            Error::input(format!("cannot write to {}: {}.", parent.display(), e.kind()))
        };
        std::fs::create_dir_all(&parent).map_err(cannot)?;
        let stage = hidden(&parent).map_err(cannot)?;
        Ok(Folder { path, parent, force, stage, outdated: vec![model_folder::FILE.to_owned()] })
    }

    /// The same, where these results of an earlier run do not stay.
    pub fn without(mut self, outdated: Vec<String>) -> Folder {
        self.outdated.extend(outdated);
        self
    }

    /// The same, unless one of these inputs lies in it: a result could take its place.
    pub fn apart_from<'p>(
        self,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<Folder, Error> {
        for input in inputs {
            if std::fs::canonicalize(parent(input)).is_ok_and(|folder| folder == self.path) {
                return Err(Error::input(format!(
                    "{} is an input file in the folder of --out; give --out a folder of its own.",
                    input.display()
                )));
            }
        }
        Ok(self)
    }

    /// Where files are put until the folder is complete.
    pub fn stage(&self) -> &Path {
        self.stage.path()
    }

    /// Adds a file of text.
    pub fn add(&self, name: &str, content: &str) -> Result<(), Error> {
        self.add_bytes(name, content.as_bytes())
    }

    /// Adds a file.
    pub fn add_bytes(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        let write = || {
            let mut file = std::fs::File::create(self.stage.path().join(name))?;
            file.write_all(content)?;
            file.sync_all()
        };
        write().map_err(|e: std::io::Error| self.cannot(name, e))
    }

    /// Puts the folder where it belongs, all files at once. With `force` it takes the place of the
    /// one that is there; files of that one that are not outdated and not replaced move over.
    pub fn commit(self) -> Result<(), Error> {
        let cannot = |e| self.cannot("", e);
        set_permissions(self.stage.path()).map_err(cannot)?;
        if !self.force {
            if self.path.exists() {
                return Err(Error::system(format!(
                    "{} has appeared meanwhile, from another run; nothing was written.",
                    self.path.display()
                )));
            }
            return std::fs::rename(self.stage.path(), &self.path).map_err(cannot);
        }
        self.swap()
    }

    /// Takes the place of the folder that is there.
    fn swap(&self) -> Result<(), Error> {
        // Another run may put its folder there between our two renames; then that one is moved
        // aside, too.
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

    /// Moves files that are not results to the new folder; models of another command, and results
    /// of an earlier run, would be taken for those of this one. What cannot be moved stays in the
    /// hidden folder.
    fn keep_others(
        &self,
        replaced: Vec<tempfile::TempDir>,
        results: &[OsString],
    ) -> Result<(), Error> {
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
                return Err(Error::system(format!(
                    "the results are in {}, but other files of the old folder are still in {}: {e}.",
                    self.path.display(),
                    kept.display()
                )));
            }
        }
        Ok(())
    }

    /// Undoes a replacement that failed; nothing of the old folders is lost.
    fn put_back(&self, replaced: Vec<tempfile::TempDir>, error: std::io::Error) -> Error {
        for aside in replaced.into_iter().rev() {
            if std::fs::rename(aside.path().join(ASIDE), &self.path).is_err() {
                let _ = aside.keep();
            }
        }
        self.cannot("", error)
    }

    fn cannot(&self, name: &str, error: std::io::Error) -> Error {
        Error::system(format!("cannot write {}: {error}.", self.path.join(name).display()))
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

/// A private folder beside the result, removed when dropped.
fn hidden(parent: &Path) -> std::io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(".netfed-").tempdir_in(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

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
