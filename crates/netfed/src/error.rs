//! What can be wrong with the input of the library.
//!
//! Not converging is a [`Status`](crate::Status), not an error.

/// What was wrong with the input. Each message is a sentence that a user can act on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An edge names a node that does not exist.
    #[error("edge {edge} names node {node}, but the graph has only {nodes} nodes")]
    NodeOutOfRange {
        /// Position of the edge in the given list.
        edge: usize,
        /// The node that was named.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// An edge from a node to itself.
    #[error("edge {edge} connects node {node} with itself; remove it")]
    SelfLoop {
        /// Position of the edge in the given list.
        edge: usize,
        /// The node.
        node: usize,
    },
    /// Two edges between the same pair of nodes.
    #[error("the edge between nodes {tail} and {head} is given twice; add up the weights yourself")]
    DuplicateEdge {
        /// The smaller node.
        tail: usize,
        /// The larger node.
        head: usize,
    },
    /// An edge weight that is not a positive finite number.
    #[error("edge {edge} has weight {weight}; a weight must be positive and finite")]
    BadWeight {
        /// Position of the edge in the given list.
        edge: usize,
        /// The weight.
        weight: f64,
    },
    /// A number that must be finite, nonnegative or positive is not.
    #[error("{name} is {}; it must be {expected}", short(*value))]
    BadNumber {
        /// What the number is.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A loss without a second derivative where one is needed.
    #[error(
        "a test of equal models needs a loss that is twice differentiable: squared, logistic, huber or mean"
    )]
    NotSmooth,
    /// A loss with kinks where models are compared by their predictions.
    #[error(
        "models that are compared by predictions need losses that are differentiable: squared, logistic, huber or mean, without lasso"
    )]
    Kinks,
    /// A name that is none of the known ones.
    #[error("unknown {what} \"{name}\"; known are {known}{tip}")]
    UnknownName {
        /// What it should name.
        what: String,
        /// The name.
        name: String,
        /// The known names.
        known: String,
        /// The nearest of them, as a question.
        tip: String,
    },
    /// A setting, or settings that do not go together; their names stand between backquotes.
    #[error("{problem}")]
    Setting {
        /// What is wrong.
        problem: String,
    },
    /// Signals from which no graph can be learned.
    #[error("the values are too large or too unlike in size to learn a graph from")]
    Overflow,
    /// A fit that was ended from outside.
    #[error("stopped before the end")]
    Stopped,
    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, found {found}")]
    Size {
        /// What was counted.
        what: &'static str,
        /// The count that was expected.
        expected: usize,
        /// The count that was found.
        found: usize,
    },
    /// A table, or the edges beside it, that are not what they should be.
    #[error("{reason}")]
    BadTable {
        /// What is wrong with it.
        reason: String,
    },
    /// Models cannot be trained on a part of the data.
    #[error("training without fold {fold} of {folds}: {reason}")]
    WithoutFold {
        /// The part that was left out, counted from 1.
        fold: usize,
        /// Number of parts.
        folds: usize,
        /// Why.
        reason: Box<Error>,
    },
    /// A graph that was built from data, and has no edge.
    #[error("the graph of variant {variant} has no edge; its rule joins no two nodes")]
    NoEdges {
        /// Which of the variants.
        variant: usize,
    },
    /// A feature without a single value other than 0.
    #[error(
        "the feature \"{name}\" is 0 in every row, so no parameter can be learned for it; leave it out"
    )]
    ZeroFeature {
        /// Its name.
        name: String,
    },
    /// A feature with the name of the constant one.
    #[error("there is a feature \"intercept\" already; rename it or leave the intercept out")]
    InterceptTaken,
    /// Settings without λ, where nothing chooses it.
    #[error(
        "no λ given; set `lambda`: 0 trains every node alone, larger values couple neighbors more; or let a flavor choose it"
    )]
    NoLambda,
    /// A data point that is not finite or too large.
    #[error(
        "data point {row} of a local dataset has a value that is not finite or larger than 1e100"
    )]
    NotFinite {
        /// The row.
        row: usize,
    },
    /// A class label other than −1 and 1.
    #[error("data point {row} has label {label}; this loss takes labels −1 and 1")]
    BadLabel {
        /// The row.
        row: usize,
        /// The label.
        label: f64,
    },
    /// The matrix of a quadratic penalty is not symmetric positive semidefinite.
    #[error(
        "the matrix Q of the quadratic penalty must be symmetric positive semidefinite: {reason}"
    )]
    BadQuadratic {
        /// What is wrong with it.
        reason: String,
    },
    /// A matrix factorization did not converge.
    #[error("the singular value decomposition of a local dataset did not converge")]
    Factorization,
    /// The model of a node cannot be trained.
    #[error("node {node}: {reason}")]
    AtNode {
        /// The node.
        node: usize,
        /// Why.
        reason: Box<Error>,
    },
    /// The words for a model are not understood.
    #[error("model \"{text}\": {reason}")]
    ModelText {
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The numbers of a saved model do not make a model.
    #[error("the saved model cannot be used: {reason}")]
    SavedModel {
        /// What is wrong with it.
        reason: String,
    },
}

/// A number without rows of zeros.
fn short(value: f64) -> String {
    if value != 0.0 && value.is_finite() && !(1e-5..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// A number that must be positive.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::BadNumber { name, value, expected: "positive and finite" })
}

/// A number that must not be negative.
pub(crate) fn nonnegative(name: &'static str, value: f64) -> Result<(), Error> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::BadNumber { name, value, expected: "nonnegative and finite" })
}

/// Two sizes that must agree.
pub(crate) fn same_size(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Size { what, expected, found }) }
}
