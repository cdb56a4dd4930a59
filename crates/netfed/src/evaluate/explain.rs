//! What is known about the groups of trained models: how many models they have, what is guaranteed
//! about them, how far their nodes may be apart.

use crate::graph::spectral::algebraic_connectivity;
use crate::theory::guarantee::{Guarantee, guarantees};
use crate::theory::variation::{Variation, variation};
use crate::{Clusters, Error, Matrix, Problem};

/// A group of nodes: a cluster, or for penalties that do not fuse a connected part of the graph.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Group {
    /// What is proven about it.
    pub guarantee: Guarantee,
    /// Number of different models in it: 1 is fused exactly.
    pub models: usize,
    /// λ₂ of the group.
    pub connectivity: Option<f64>,
    /// How far its nodes may be apart, for penalties that grow quadratically.
    pub variation: Option<Variation>,
}

/// What is known about the groups of trained models.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explained {
    /// Whether the penalty fuses neighbors, so that the groups are clusters.
    pub fusing: bool,
    /// The groups of at least two nodes, the largest first.
    pub groups: Vec<Group>,
    /// Groups of at least two nodes that were not looked at.
    pub further: usize,
    /// Single nodes.
    pub singles: usize,
}

/// Looks at the groups of some models of a problem, `most` of them. `params` are in the units of
/// the problem, `models` those that users see, in the units of the data: which of them are equal to
/// the last bit is counted.
///
/// ```
/// use netfed::evaluate::explain;
/// use netfed::fit::fit;
/// use netfed::{Edges, Table};
///
/// let x = [1.0, 2.0].repeat(3);
/// let y = vec![2.1, 4.0, 1.9, 4.1, -1.0, -2.1];
/// let nodes = ["a", "a", "b", "b", "c", "c"];
/// let table = Table::from_rows(nodes, vec!["x".into()], x, Some(y))?;
/// let edges = Edges::from_names([("a", "b", 1.0), ("b", "c", 0.1)])?;
/// let fitted = fit(&table, Some(&edges), &"lambda=0.5".parse()?)?;
/// let (problem, params) = (&fitted.prepared.problem, &fitted.solution.params);
/// let found = explain(problem, params, &fitted.params, &fitted.clusters, 10)?;
/// assert_eq!((found.groups.len(), found.groups[0].models, found.singles), (1, 1, 1));
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn explain(
    problem: &Problem,
    params: &Matrix,
    models: &Matrix,
    clusters: &Clusters,
    most: usize,
) -> Result<Explained, Error> {
    let fusing = problem.penalty().norm().is_some();
    let clusters = if fusing {
        clusters.clone()
    } else {
        Clusters::by_size(&problem.graph().components(|_| true))
    };
    let several = clusters.sizes.iter().filter(|size| **size > 1).count();
    let groups: Vec<Group> = guarantees(problem, &clusters, params, most)?
        .into_iter()
        .filter(|guarantee| guarantee.nodes.len() > 1)
        .map(|guarantee| group(problem, params, models, guarantee))
        .collect::<Result<_, Error>>()?;
    let (further, singles) = (several - groups.len(), clusters.sizes.len() - several);
    Ok(Explained { fusing, groups, further, singles })
}

fn group(
    problem: &Problem,
    params: &Matrix,
    models: &Matrix,
    guarantee: Guarantee,
) -> Result<Group, Error> {
    let connectivity = algebraic_connectivity(problem.graph(), &guarantee.nodes)?;
    let common = match &guarantee.optimum {
        Some(optimum) => optimum.params.clone(),
        None => mean(params, &guarantee.nodes),
    };
    let variation = variation(problem, &guarantee.nodes, params, &common, connectivity);
    let mut different: Vec<Vec<u64>> = (guarantee.nodes.iter())
        .map(|&i| models.row(i).iter().map(|v| (v + 0.0).to_bits()).collect())
        .collect();
    different.sort_unstable();
    different.dedup();
    Ok(Group { models: different.len(), guarantee, connectivity, variation })
}

fn mean(params: &Matrix, nodes: &[usize]) -> Vec<f64> {
    let share = 1.0 / nodes.len() as f64;
    (0..params.cols()).map(|j| nodes.iter().map(|&i| share * params.row(i)[j]).sum()).collect()
}
