//! A CSV file of any length, written as it comes, that appears whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::csv::{Cell, Csv};
use super::file::{parent, set_file_permissions};
use crate::error::Error;

/// Text is passed on in pieces of this size.
const PIECE: usize = 1 << 16;

/// A CSV file under construction; nothing is left of it unless [`CsvFile::finish`] is called.
pub struct CsvFile {
    csv: Csv,
    file: tempfile::NamedTempFile,
    path: PathBuf,
}

impl CsvFile {
    /// A file with these column names.
    pub fn new(path: &Path, header: &[&str]) -> Result<CsvFile, Error> {
        let parent = parent(path);
        let file = std::fs::create_dir_all(&parent)
            .and_then(|()| tempfile::NamedTempFile::new_in(&parent))
            .map_err(|e| cannot(path, &e))?;
        Ok(CsvFile { csv: Csv::new(header), file, path: path.to_path_buf() })
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> Result<(), Error> {
        self.csv.row(cells);
        if self.csv.text.len() >= PIECE { self.pass_on() } else { Ok(()) }
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<(), Error> {
        self.pass_on()?;
        let CsvFile { file, path, .. } = self;
        file.as_file().sync_all().map_err(|e| cannot(&path, &e))?;
        set_file_permissions(file.path()).map_err(|e| cannot(&path, &e))?;
        file.persist(&path).map(|_| ()).map_err(|e| cannot(&path, &e.error))
    }

    fn pass_on(&mut self) -> Result<(), Error> {
        let written = self.file.write_all(self.csv.text.as_bytes());
        self.csv.text.clear();
        written.map_err(|e| cannot(&self.path, &e))
    }
}

fn cannot(path: &Path, error: &std::io::Error) -> Error {
    Error::input(format!("cannot write {}: {}.", path.display(), error.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_appears_at_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/long.csv");
        let rows = 20_000;
        for finish in [false, true] {
            let mut file = CsvFile::new(&path, &["a", "b"]).unwrap();
            for k in 0..rows {
                file.row([Cell::Number(f64::from(k)), Cell::Empty]).unwrap();
            }
            assert!(!path.exists());
            if finish {
                file.finish().unwrap();
            }
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("a,b\n0,\n1,\n") && text.ends_with("\n19999,\n"));
        assert_eq!(std::fs::read_dir(dir.path().join("new")).unwrap().count(), 1);
    }
}
