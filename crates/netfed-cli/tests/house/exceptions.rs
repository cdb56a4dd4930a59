//! What is not so yet, and where a rule does not fit: a file, or a file and a function. A name
//! that ends with a slash stands for all in that folder.

/// Functions of more than 60 lines. The first two are kernels, which the compiler is to see as a
/// whole.
pub(crate) const LONG_FUNCTIONS: &[&str] = &[
    "netfed/src/loss/linear_model/newton.rs: newton",
    "netfed/src/solve/sweep/node_steps.rs: call",
    "netfed-cli/src/commands/explain/open.rs: new",
    "netfed-cli/src/commands/graph/learn/words.rs: describe",
    "netfed-cli/src/commands/graph/learn/words.rs: describe_silos",
    "netfed-cli/src/commands/peer.rs: under_one_version",
    "netfed-cli/src/commands/tune/files.rs: summary",
    "netfed/tests/exact/learned.rs: refute_precision",
];

/// Files of more than 400 lines.
pub(crate) const LONG_FILES: &[&str] = &[];

/// Comments of more than 100 columns.
pub(crate) const WIDE_COMMENTS: &[&str] = &[];

/// A `match` on a bool.
pub(crate) const BOOL_MATCHES: &[&str] = &[];
