//! The shapes of graphs, their settings and the sentences about wrong ones.

use netfed::Graph;
use netfed::generate::{
    chain, cliques, corrupted, erdos_renyi, grid, random_geometric, rbf_graph, star,
    stochastic_block_model,
};
use netfed_report::text::plural;

use super::Common;
use super::data::Model;
use crate::failure::Failure;
use crate::memory;
use crate::settings::{Range, number};

/// Pairs of nodes that are looked at one by one.
const MOST_PAIRED: usize = 20_000;

/// A shape with its settings.
#[derive(clap::Subcommand)]
pub(crate) enum Shape {
    /// Stochastic block model: nodes of one cluster are joined more often than others
    Sbm {
        /// Nodes of every cluster
        #[arg(long, value_name = "A,B,C", value_delimiter = ',', default_value = "100,100")]
        sizes: Vec<usize>,
        /// Probability of an edge inside a cluster
        #[arg(long, value_name = "NUMBER", default_value_t = 0.5, allow_negative_numbers = true)]
        inside: f64,
        /// Probability of an edge between clusters
        #[arg(long, value_name = "NUMBER", default_value_t = 0.01, allow_negative_numbers = true)]
        between: f64,
        #[command(flatten)]
        common: Common,
    },
    /// All nodes of a cluster are joined; with --corruption pairs are flipped at random
    Cliques {
        /// Nodes of every cluster
        #[arg(long, value_name = "A,B,C", value_delimiter = ',', default_value = "20,20,20")]
        sizes: Vec<usize>,
        /// Probability that an edge is dropped, or a missing one is there
        #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_negative_numbers = true)]
        corruption: f64,
        #[command(flatten)]
        common: Common,
    },
    /// A chain of two halves, joined by a weaker edge
    Chain {
        /// Number of nodes, even
        #[arg(long, value_name = "COUNT", default_value_t = 200)]
        nodes: usize,
        /// Weight of the edge between the halves; 0 leaves it out
        #[arg(long, value_name = "NUMBER", default_value_t = 0.1, allow_negative_numbers = true)]
        weak: f64,
        #[command(flatten)]
        common: Common,
    },
    /// One node in the middle, joined with all others
    Star {
        /// Number of nodes
        #[arg(long, value_name = "COUNT", default_value_t = 50)]
        nodes: usize,
        /// Weight of the edges
        #[arg(long, value_name = "NUMBER", default_value_t = 1.0, allow_negative_numbers = true)]
        weight: f64,
        #[command(flatten)]
        common: Common,
    },
    /// Rows and columns, every node joined with the next ones
    Grid {
        /// Number of rows
        #[arg(long, value_name = "COUNT", default_value_t = 10)]
        rows: usize,
        /// Number of columns
        #[arg(long, value_name = "COUNT", default_value_t = 10)]
        columns: usize,
        #[command(flatten)]
        common: Common,
    },
    /// Points in the unit square, near ones joined
    Geometric {
        /// Number of nodes
        #[arg(long, value_name = "COUNT", default_value_t = 200)]
        nodes: usize,
        /// About so many edges
        #[arg(long, value_name = "COUNT", default_value_t = 1000)]
        edges: usize,
        #[command(flatten)]
        common: Common,
    },
    /// Points in the unit square, weights exp(−dist²/(2·.5²)), those below .7 left out
    Rbf {
        /// Number of nodes
        #[arg(long, value_name = "COUNT", default_value_t = 20)]
        nodes: usize,
        #[command(flatten)]
        common: Common,
    },
    /// Every pair of nodes is joined with the same probability
    ErdosRenyi {
        /// Number of nodes
        #[arg(long, value_name = "COUNT", default_value_t = 200)]
        nodes: usize,
        /// Probability of an edge
        #[arg(long, value_name = "NUMBER", default_value_t = 0.05, allow_negative_numbers = true)]
        probability: f64,
        #[command(flatten)]
        common: Common,
    },
}

/// A number between 0 and 1, or an error that names the flag.
pub(super) fn probability(flag: &str, value: f64) -> Result<(), Failure> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Failure::input(format!("{flag} is {value}; it must be between 0 and 1.")))
    }
}

/// A number of at least 1, or an error that names the flag.
pub(super) fn positive(flag: &str, value: usize) -> Result<(), Failure> {
    match value {
        0 => Err(Failure::input(format!("{flag} is 0; it must be at least 1."))),
        _ => Ok(()),
    }
}

/// The sizes of clusters, none of them empty.
fn sizes_of(sizes: &[usize]) -> Result<(), Failure> {
    sizes.iter().try_for_each(|size| positive("a number in --sizes", *size))
}

impl Shape {
    pub(super) fn common(&self) -> &Common {
        match self {
            Shape::Sbm { common, .. }
            | Shape::Cliques { common, .. }
            | Shape::Chain { common, .. }
            | Shape::Star { common, .. }
            | Shape::Grid { common, .. }
            | Shape::Geometric { common, .. }
            | Shape::Rbf { common, .. }
            | Shape::ErdosRenyi { common, .. } => common,
        }
    }

    /// Number of nodes, and about how many edges.
    fn size(&self) -> (usize, f64) {
        let pairs = |n: usize| n as f64 * (n as f64 - 1.0) / 2.0;
        match self {
            Shape::Sbm { sizes, inside, between, .. } => {
                let n = sizes.iter().fold(0, |n: usize, s| n.saturating_add(*s));
                let own: f64 = sizes.iter().map(|s| pairs(*s)).sum();
                (n, inside * own + between * (pairs(n) - own))
            }
            Shape::Cliques { sizes, corruption, .. } => {
                let n = sizes.iter().fold(0, |n: usize, s| n.saturating_add(*s));
                (n, sizes.iter().map(|s| pairs(*s)).sum::<f64>() + corruption * pairs(n))
            }
            Shape::Chain { nodes, .. } | Shape::Star { nodes, .. } => (*nodes, *nodes as f64),
            Shape::Grid { rows, columns, .. } => {
                let n = rows.saturating_mul(*columns);
                (n, 2.0 * n as f64)
            }
            Shape::Geometric { nodes, edges, .. } => (*nodes, *edges as f64),
            Shape::Rbf { nodes, .. } => (*nodes, pairs(*nodes)),
            Shape::ErdosRenyi { nodes, probability, .. } => (*nodes, probability * pairs(*nodes)),
        }
    }

    /// Refuses settings that make no sense, or more than fits into memory.
    pub(super) fn check(&self, model: &Model) -> Result<(), Failure> {
        match self {
            Shape::Sbm { sizes, inside, between, .. } => {
                sizes_of(sizes)?;
                probability("--inside", *inside)?;
                probability("--between", *between)?;
            }
            Shape::Cliques { sizes, corruption, .. } => {
                sizes_of(sizes)?;
                probability("--corruption", *corruption)?;
            }
            Shape::Chain { nodes, weak, .. } => {
                positive("--nodes", *nodes)?;
                number("--weak", *weak, Range::Nonnegative)?;
                if nodes % 2 == 1 {
                    return Err(Failure::input(format!(
                        "--nodes is {nodes}; a chain of two equal halves needs an even number."
                    )));
                }
            }
            Shape::Star { nodes, weight, .. } => {
                positive("--nodes", *nodes)?;
                number("--weight", *weight, Range::Positive)?;
            }
            Shape::Grid { rows, columns, .. } => {
                positive("--rows", *rows)?;
                positive("--columns", *columns)?;
            }
            Shape::Geometric { nodes, edges, .. } => {
                positive("--nodes", *nodes)?;
                let pairs = nodes.saturating_mul(nodes - 1) / 2;
                if *edges > pairs {
                    return Err(Failure::input(format!(
                        "--edges is {edges}, but {} only {}; say a smaller number of --edges.",
                        match nodes {
                            1 => "1 node has".to_owned(),
                            _ => format!("{nodes} nodes have"),
                        },
                        plural(pairs, "pair")
                    )));
                }
            }
            Shape::Rbf { nodes, .. } => positive("--nodes", *nodes)?,
            Shape::ErdosRenyi { nodes, probability: p, .. } => {
                positive("--nodes", *nodes)?;
                probability("--probability", *p)?;
            }
        }
        let (common, (nodes, edges)) = (self.common(), self.size());
        if nodes > MOST_PAIRED && matches!(self, Shape::Rbf { .. }) {
            return Err(Failure::input(format!(
                "--nodes is {nodes}; the shape rbf looks at all pairs and takes {MOST_PAIRED} nodes at most; say geometric."
            )));
        }
        model.check(nodes)?;
        let rows = nodes.saturating_mul(common.points());
        memory::check(nodes, edges as usize, common.features(), rows)
    }

    /// The graph, and the cluster of every node where the shape has clusters.
    pub(super) fn build(&self) -> Result<(Graph, Option<Vec<usize>>), Failure> {
        let seed = self.common().seed;
        let blocks = |sizes: &[usize]| {
            let each = sizes.iter().enumerate();
            Some(each.flat_map(|(c, size)| std::iter::repeat_n(c, *size)).collect::<Vec<_>>())
        };
        Ok(match self {
            Shape::Sbm { sizes, inside, between, .. } => {
                (stochastic_block_model(sizes, *inside, *between, seed)?, blocks(sizes))
            }
            Shape::Cliques { sizes, corruption, .. } => {
                (corrupted(&cliques(sizes)?, *corruption, seed)?, blocks(sizes))
            }
            Shape::Chain { nodes, weak, .. } => {
                (chain(nodes / 2, *weak)?, blocks(&[nodes / 2, nodes / 2]))
            }
            Shape::Star { nodes, weight, .. } => (star(*nodes, *weight)?, None),
            Shape::Grid { rows, columns, .. } => (grid(*rows, *columns)?, None),
            Shape::Geometric { nodes, edges, .. } => {
                (random_geometric(*nodes, *edges, seed)?.0, None)
            }
            Shape::Rbf { nodes, .. } => (rbf_graph(*nodes, seed)?, None),
            Shape::ErdosRenyi { nodes, probability, .. } => {
                (erdos_renyi(*nodes, *probability, seed)?, None)
            }
        })
    }
}
