//! The problem that is left when groups of nodes share a model:
//!
//!   minimize over z   Σ_g L_g(z_g) + λ Σ_b A_b φ(z_tail − z_head),   L_g = Σ_{i∈g} Lᵢ,   A_b = Σ Aₑ over the edges between two groups
//!
//! a problem of the same kind, on the graph whose nodes are the groups and whose edges are the
//! *bonds* between them. Its solution is that of the whole if no group would rather come apart:
//! duals inside of the groups tell.

mod bonds;
mod level;
mod lift;

pub(crate) use level::Level;

use crate::numeric::linalg::axpy;
use crate::{Graph, Matrix, Problem, Start, loss};

/// A problem on groups of nodes.
struct Contraction {
    small: Problem,
    /// The group of every node.
    group: Vec<u32>,
    /// The part of every edge in the weight of its bond, negative if that has the other direction;
    /// zero inside of a group.
    share: Vec<f64>,
    /// The edges of each bond, one after the other, and where those of each begin.
    edges: Vec<u32>,
    first: Vec<u32>,
}

impl Contraction {
    /// Neighbors share a model if `equal` is true for their edge. None where there are more groups
    /// than `most`, or the losses of a group have no sum in closed form.
    fn new(problem: &Problem, equal: impl Fn(usize) -> bool, most: usize) -> Option<Contraction> {
        let graph = problem.graph();
        let of_node = graph.components(equal);
        let count = of_node.iter().max().map_or(0, |g| g + 1);
        if count > most {
            return None;
        }
        let group: Vec<u32> = of_node.iter().map(|&g| g as u32).collect();
        let mut pairs: Vec<((u32, u32), u32)> = Vec::new();
        for (e, edge) in graph.edges().iter().enumerate() {
            let (tail, head) = (group[edge.tail], group[edge.head]);
            if tail != head {
                pairs.push(((tail.min(head), tail.max(head)), e as u32));
            }
        }
        pairs.sort_unstable();
        let mut share = vec![0.0; graph.edges().len()];
        let (mut bonds, mut first) = (Vec::new(), vec![0]);
        for edges in pairs.chunk_by(|a, b| a.0 == b.0) {
            let of = |e: u32| graph.edges()[e as usize];
            let weight: f64 = edges.iter().map(|&(_, e)| of(e).weight).sum();
            let (low, high) = edges[0].0;
            for &(_, e) in edges {
                let sign = if group[of(e).tail] == low { 1.0 } else { -1.0 };
                share[e as usize] = sign * of(e).weight / weight;
            }
            bonds.push((low as usize, high as usize, weight));
            first.push(first[first.len() - 1] + edges.len() as u32);
        }
        let edges = pairs.iter().map(|&(_, e)| e).collect();
        let mut members = vec![Vec::new(); count];
        group.iter().enumerate().for_each(|(i, &g)| members[g as usize].push(problem.loss(i)));
        let sum = |losses: &Vec<_>| loss::sum(problem.dim(), losses);
        let losses = members.iter().map(sum).collect::<Option<Vec<_>>>()?;
        let small = problem.contracted(Graph::new(count, &bonds).ok()?, losses);
        Some(Contraction { small, group, share, edges, first })
    }

    /// The edges of a bond.
    fn edges_of(&self, bond: usize) -> &[u32] {
        &self.edges[self.first[bond] as usize..self.first[bond + 1] as usize]
    }

    /// The sum of the rows of all nodes of a group.
    fn sums(&self, rows: &Matrix) -> Matrix {
        let mut sums = Matrix::zeros(self.small.nodes(), rows.cols());
        for (i, &g) in self.group.iter().enumerate() {
            axpy(1.0, rows.row(i), sums.row_mut(g as usize));
        }
        sums
    }

    /// The mean of the models of a group, and the sum of the duals of a bond.
    fn restrict(&self, whole: &Start) -> Start {
        let dim = self.small.dim();
        let mut params = self.sums(&whole.params);
        let mut sizes = vec![0.0; self.small.nodes()];
        self.group.iter().for_each(|&g| sizes[g as usize] += 1.0);
        for (g, size) in sizes.iter().enumerate() {
            params.row_mut(g).iter_mut().for_each(|w| *w /= size);
        }
        let mut duals = Matrix::zeros(self.small.graph().edges().len(), dim);
        for bond in 0..duals.rows() {
            for &e in self.edges_of(bond) {
                let sign = self.share[e as usize].signum();
                axpy(sign, whole.duals.row(e as usize), duals.row_mut(bond));
            }
        }
        Start { params, duals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Noise, linear_data, random_geometric};
    use crate::numeric::linalg::distance;
    use crate::penalty::{Norm2, Penalty};
    use crate::{Dataset, LossKind, Options, solve};

    /// Two halves of a square with models of their own; every fifth node has no data.
    pub(super) fn problem(nodes: usize, penalty: Box<dyn Penalty>, lambda: f64) -> Problem {
        let (graph, places) = random_geometric(nodes, 4 * nodes, 3).unwrap();
        let side = |i: usize| if places.row(i)[0] < 0.5 { 1.0 } else { -1.0 };
        let truth = Matrix::from_rows(2, (0..2 * nodes).map(|k| side(k / 2)).collect()).unwrap();
        let data = linear_data(&truth, 4, Noise::PerPoint(0.5), 4).unwrap();
        let of = |(i, d)| if i % 5 == 0 { Dataset::empty(2) } else { d };
        let build = |d| LossKind::Squared.build(d, 0.0, 0.0).unwrap();
        let losses = data.into_iter().enumerate().map(of).map(build).collect();
        Problem::new(graph, losses, penalty, lambda).unwrap()
    }

    #[test]
    fn a_contracted_problem_is_the_problem_on_equal_models() {
        let problem = problem(120, Box::new(Norm2), 0.3);
        let edges = problem.graph().edges();
        let equal = |e: usize| e.is_multiple_of(9);
        let contraction = Contraction::new(&problem, equal, 119).unwrap();
        let groups = contraction.small.nodes();
        assert!((20..100).contains(&groups), "{groups}");
        assert!(Contraction::new(&problem, equal, groups - 1).is_none());
        let value = |k: usize| (k as f64).sin();
        let models = Matrix::from_rows(2, (0..2 * groups).map(value).collect()).unwrap();
        let spread = |k: usize| models.row(contraction.group[k / 2] as usize)[k % 2];
        let params = Matrix::from_rows(2, (0..240).map(spread).collect()).unwrap();
        let (a, b) = (contraction.small.objective(&models), problem.objective(&params));
        assert!((a - b).abs() < 1e-12 * a, "{a} {b}");
        // What the bonds pull at a group is what its edges pull at its nodes, added up.
        let values = (0..2 * edges.len()).map(value).collect();
        let duals = Matrix::from_rows(2, values).unwrap();
        let small = contraction.restrict(&Start { params, duals: duals.clone() });
        assert!(distance(small.params.as_slice(), models.as_slice()) < 1e-12);
        let pull = |graph: &Graph, duals: &Matrix, i: usize| {
            graph.incident(i).iter().fold([0.0; 2], |mut sum, inc| {
                axpy(inc.sign(), duals.row(inc.edge()), &mut sum);
                sum
            })
        };
        let mut whole = vec![[0.0; 2]; groups];
        for i in 0..120 {
            let own = pull(problem.graph(), &duals, i);
            axpy(1.0, &own, &mut whole[contraction.group[i] as usize]);
        }
        for (g, whole) in whole.iter().enumerate() {
            let own = pull(contraction.small.graph(), &small.duals, g);
            assert!(distance(&own, whole) < 1e-12);
        }
    }

    #[test]
    fn with_the_right_groups_the_solution_is_that_of_the_whole() {
        let problem = problem(120, Box::new(Norm2), 0.5);
        let options = Options { tolerance: 1e-10, ..Options::default() };
        let solution = solve(&problem, &options).unwrap();
        let row = |i: usize| solution.params.row(i);
        let edges = problem.graph().edges();
        let equal = |e: usize| row(edges[e].tail) == row(edges[e].head);
        let contraction = Contraction::new(&problem, equal, 60).unwrap();
        let small = solve(&contraction.small, &options).unwrap();
        let (a, b) = (small.certificate.objective, solution.certificate.objective);
        assert!((a - b).abs() < 1e-9 * b, "{a} {b}");
    }
}
