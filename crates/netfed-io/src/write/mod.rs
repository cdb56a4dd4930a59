//! What is left behind: written whole or not at all.

pub(crate) mod csv;
pub(crate) mod csv_file;
pub(crate) mod file;
pub(crate) mod folder;
