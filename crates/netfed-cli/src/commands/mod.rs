//! One file per command.

pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod federation;
pub(crate) mod fit;
pub(crate) mod graph;
pub(crate) mod path;
pub(crate) mod peer;
pub(crate) mod predict;
pub(crate) mod relax;
pub(crate) mod router;
pub(crate) mod tune;
pub(crate) mod vertical;
