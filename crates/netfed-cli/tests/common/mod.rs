//! What the tests of the binary share.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

pub mod graphs;
pub mod peers;

use std::path::{Path, PathBuf};
use std::process::Output;

/// A scratch folder with the binary at hand.
pub struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Runs `netfed` with the words of `line` in this folder.
    pub fn run(&self, line: &str) -> Output {
        command().current_dir(self.dir.path()).args(line.split_whitespace()).output().unwrap()
    }

    /// Names of everything in this folder.
    pub fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Three stations in a row, two features.
    pub fn with_small_data() -> Place {
        let place = Place::new();
        place.write(
            "points.csv",
            "node,x1,x2,y\na,1,0.5,2.1\na,2,-1,3.9\na,0.3,2,0.7\nb,1,1,2.0\nb,-1,0.4,-2.2\nb,0.5,0.1,1.1\nc,1,0,-1\nc,2,1,-2.1\nc,3,-2,-2.9\n",
        );
        place.write("edges.csv", "source,target,weight\na,b,1\nb,c,0.5\n");
        place
    }
}

pub fn command() -> std::process::Command {
    std::process::Command::new(assert_cmd::cargo::cargo_bin!("netfed"))
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// All files of Rust in a folder, and in the folders inside.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The bundled data.
pub fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(path)
}

pub const SMALL: &str = "fit --data points.csv --graph edges.csv --lambda 0.1 --out run";
