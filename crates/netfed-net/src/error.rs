//! What can go wrong for a member, in sentences for its user.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// An error.
#[derive(Debug, Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("{path}: cannot {action}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A file or a field of it is not as it must be.
    #[error("{0}")]
    Invalid(String),
    /// The settings of a federation are not as they must be.
    #[error("{0}.")]
    Settings(netfed::Error),
    /// The network engine refused.
    #[error("the network engine: {0}")]
    Engine(String),
    /// Two ends of an edge do not agree on its dual any more.
    #[error(
        "{member} and this member no longer agree on the duals of their edges (round {round}): one of them runs other code, has lost its state, or lies"
    )]
    Diverged {
        /// The other member.
        member: String,
        /// The round.
        round: u64,
    },
    /// A neighbor has been away for too long.
    #[error(
        "{member} has been away for {seconds:.0} s, and the federation's policy is to stop; start this peer again to go on from round {round}"
    )]
    Away {
        /// The neighbor.
        member: String,
        /// For how long.
        seconds: f64,
        /// The round that was reached.
        round: u64,
    },
}

impl Error {
    /// For `map_err` after an operation on a file.
    pub fn file(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::File { path: path.to_path_buf(), action, source }
    }
}
