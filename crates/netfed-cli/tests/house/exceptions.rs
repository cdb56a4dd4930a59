//! What is not so yet, and where a rule does not fit: a file, or a file and a function. A name that
//! ends with a slash stands for all in that folder.

/// Functions of more than 60 lines. The first two are kernels, which the compiler is to see as a
/// whole.
pub(crate) const LONG_FUNCTIONS: &[&str] = &[
    "netfed/src/loss/linear_model/newton.rs: newton",
    "netfed/src/solve/sweep/node_steps.rs: call",
    "netfed-cli/src/commands/compare/train.rs: train",
    "netfed-cli/src/commands/explain/open.rs: new",
    "netfed-cli/src/commands/graph/build/flags.rs: new",
    "netfed-cli/src/commands/graph/build/words.rs: text",
    "netfed-cli/src/commands/graph/inspect/words.rs: sentences",
    "netfed-cli/src/commands/graph/learn/silos.rs: run",
    "netfed-cli/src/commands/graph/learn/words.rs: describe",
    "netfed-cli/src/commands/graph/learn/words.rs: describe_silos",
    "netfed-cli/src/commands/peer.rs: under_one_version",
    "netfed-cli/src/commands/tune/files.rs: summary",
    "netfed-cli/tests/federation.rs: members_behind_firewalls_meet_at_a_router",
    "netfed-cli/tests/federation.rs: models_of_any_kind_are_those_of_one_process",
    "netfed-cli/tests/federation.rs: silos_learn_the_graphs_of_one_process",
    "netfed-cli/tests/federation_members.rs: a_member_comes_and_another_goes",
    "netfed-cli/tests/golden/federations.rs: cases",
    "netfed-cli/tests/graph_learn.rs: bad_usage_gets_a_sentence",
    "netfed-cli/tests/relax_faults.rs: every_fault_is_one_clear_sentence",
    "netfed-cli/tests/relax_faults.rs: saved_models_that_were_spoiled_are_refused",
    "netfed-io/src/graph/graphml.rs: bad_graphs",
    "netfed-net/tests/hostile.rs: with_a_liar",
    "netfed/src/path/lambda_max/tighten.rs: tighten",
    "netfed/src/solve/adaptive/mod.rs: look",
    "netfed/src/solve/adaptive/mod.rs: solve",
    "netfed/src/solve/newton/proximal.rs: proximal_newton",
    "netfed/src/solve/sweep/mod.rs: iterate_dim",
    "netfed/tests/exact/learned.rs: refute_precision",
    "netfed/tests/exact/verdict.rs: judge",
];

/// Files of more than 400 lines.
pub(crate) const LONG_FILES: &[&str] = &[
    "netfed-cli/tests/federation.rs",
    "netfed-cli/tests/fit.rs",
    "netfed-cli/tests/graph_tools.rs",
];

/// Comments of more than 100 columns.
pub(crate) const WIDE_COMMENTS: &[&str] = &["netfed-cli/src/commands/"];

/// A `match` on a bool.
pub(crate) const BOOL_MATCHES: &[&str] = &["netfed-cli/src/commands/"];
