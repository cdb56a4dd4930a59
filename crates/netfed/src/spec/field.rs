//! What is known about a setting beside its value: for flags, forms and documents.

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// true or false.
    Switch,
    /// A number.
    Number,
    /// A whole number, 0 or more.
    Count,
    /// One of some names.
    Name,
    /// Data of some size.
    Data,
}

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// Its name, in files and as a flag.
    pub key: &'static str,
    /// Its name as an identifier: that of its field in [`Spec`](super::Spec).
    pub name: &'static str,
    /// Other names under which it is read.
    pub aliases: &'static [&'static str],
    /// What it takes.
    pub kind: Kind,
    /// What it takes, as a flag shows it.
    pub value_name: &'static str,
    /// What it is about.
    pub heading: &'static str,
    pub(super) lines: &'static str,
}

impl Field {
    /// What it does, with its default.
    pub fn help(&self) -> &'static str {
        self.lines.trim_start()
    }
}
