//! Which parameters of neighbors are equal, and one unknown for every group of equal ones.
//!
//! At a solution the difference over an edge is zero where the dual lies strictly inside the domain
//! of the conjugate penalty. Read off a point (w, u) near a solution this gives the groups exactly;
//! a wrong guess shows in the certificate.

use crate::numeric::union_find::UnionFind;
use crate::penalty::Kinks;
use crate::{Matrix, Problem};

/// How far inside, relative to the coupling, a dual must be.
const INSIDE: f64 = 1e-7;

/// Groups of equal parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fusion {
    /// The unknown of every parameter, node by node.
    pub(crate) unknown: Vec<u32>,
    /// Number of unknowns.
    pub(crate) count: usize,
}

impl Fusion {
    /// Every parameter is an unknown of its own.
    pub(crate) fn none(problem: &Problem) -> Fusion {
        let count = problem.nodes() * problem.dim();
        Fusion { unknown: (0..count as u32).collect(), count }
    }

    /// The groups that the duals tell: none where the penalty has no kinks.
    pub(crate) fn read(problem: &Problem, duals: &Matrix) -> Fusion {
        if problem.penalty().kinks() == Kinks::None {
            Fusion::none(problem)
        } else {
            Fusion::of(problem, duals)
        }
    }

    /// The groups that the duals tell of a penalty with kinks.
    pub(crate) fn of(problem: &Problem, duals: &Matrix) -> Fusion {
        let (nodes, dim) = (problem.nodes(), problem.dim());
        let edges = problem.graph().edges();
        if problem.penalty().kinks() == Kinks::Coordinates {
            let mut groups = UnionFind::new(nodes * dim);
            for (k, e) in edges.iter().enumerate() {
                let most = problem.coupling(k) * (1.0 - INSIDE);
                for (j, u) in duals.row(k).iter().enumerate() {
                    if u.abs() < most {
                        groups.join(e.tail * dim + j, e.head * dim + j);
                    }
                }
            }
            let (unknown, count) = groups.numbered();
            return Fusion { unknown, count };
        }
        let mut groups = UnionFind::new(nodes);
        let mut grown = vec![0.0; dim];
        for (k, e) in edges.iter().enumerate() {
            grown.iter_mut().zip(duals.row(k)).for_each(|(g, u)| *g = u * (1.0 + INSIDE));
            if problem.penalty().conjugate(&grown, problem.coupling(k)) == 0.0 {
                groups.join(e.tail, e.head);
            }
        }
        let (group, count) = groups.numbered();
        Fusion::whole(&group, count, dim)
    }

    /// The groups of neighbors whose parameters are exactly equal.
    pub(crate) fn of_equal(problem: &Problem, params: &Matrix) -> Fusion {
        let (nodes, dim) = (problem.nodes(), problem.dim());
        let by_coordinate = problem.penalty().kinks() == Kinks::Coordinates;
        let mut groups = UnionFind::new(if by_coordinate { nodes * dim } else { nodes });
        for e in problem.graph().edges() {
            let (tail, head) = (params.row(e.tail), params.row(e.head));
            if !by_coordinate && tail == head {
                groups.join(e.tail, e.head);
            }
            for j in (0..dim).filter(|&j| by_coordinate && tail[j] == head[j]) {
                groups.join(e.tail * dim + j, e.head * dim + j);
            }
        }
        let (group, count) = groups.numbered();
        if by_coordinate {
            Fusion { unknown: group, count }
        } else {
            Fusion::whole(&group, count, dim)
        }
    }

    /// Groups of whole models.
    fn whole(group: &[u32], count: usize, dim: usize) -> Fusion {
        let wide = dim as u32;
        let unknown = group.iter().flat_map(|g| (0..wide).map(move |j| g * wide + j)).collect();
        Fusion { unknown, count: count * dim }
    }

    /// The same groups with some of them joined.
    pub(crate) fn joined(&self, pairs: &[(u32, u32)]) -> Fusion {
        let mut groups = UnionFind::new(self.count);
        for &(a, b) in pairs {
            groups.join(a as usize, b as usize);
        }
        let (number, count) = groups.numbered();
        let unknown = self.unknown.iter().map(|&k| number[k as usize]).collect();
        Fusion { unknown, count }
    }

    /// The unknowns of a node.
    pub(crate) fn row(&self, node: usize, dim: usize) -> &[u32] {
        &self.unknown[node * dim..(node + 1) * dim]
    }

    /// out ← the sum of `values` over every group.
    pub(crate) fn sum(&self, values: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.unknown.iter().zip(values).for_each(|(&k, v)| out[k as usize] += v);
    }

    /// out ← the value of the unknown, for every parameter.
    pub(crate) fn spread(&self, unknowns: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.unknown).for_each(|(o, &k)| *o = unknowns[k as usize]);
    }

    /// Whether `values` are equal in every group.
    pub(crate) fn is_constant(&self, values: &[f64]) -> bool {
        let mut of_group = vec![f64::NAN; self.count];
        self.unknown.iter().zip(values).for_each(|(&k, v)| of_group[k as usize] = *v);
        self.unknown.iter().zip(values).all(|(&k, v)| of_group[k as usize] == *v)
    }

    /// The mean of `values` over every group.
    pub(crate) fn mean(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        let mut sizes = vec![0.0; self.count];
        for (&k, v) in self.unknown.iter().zip(values) {
            sums[k as usize] += v;
            sizes[k as usize] += 1.0;
        }
        sums.iter().zip(&sizes).map(|(s, n)| s / n).collect()
    }

    /// Parameters that should be equal are replaced by their mean, unless the objective is better
    /// as it is. Gives whether they are equal now.
    pub(crate) fn equalize(&self, problem: &Problem, params: &mut Matrix) -> bool {
        if self.is_constant(params.as_slice()) {
            return true;
        }
        let mut equal = params.clone();
        self.spread(&self.mean(params.as_slice()), equal.as_mut_slice());
        let better = problem.objective(&equal) <= problem.objective(params);
        if better {
            *params = equal;
        }
        better
    }
}
