//! How well the nodes of a group hold together: λ₂ of its weighted Laplacian, and its spectral gap.
//!
//! The spectral gap is the second smallest eigenvalue of S⁻¹LS⁻¹, S² the diagonal of L: one less
//! the second eigenvalue of the walk that goes to a neighbor with probability proportional to the
//! weight.
//!
//! Both come from all eigenvalues for up to 500 nodes. Beyond, Lanczos' method on the pseudoinverse
//! (conjugate gradients with the degrees as preconditioner) gives a value with a residual, which is
//! taken off: an estimate.

use crate::numeric::conjugate_gradients::ConjugateGradients;
use crate::numeric::linalg::{axpy, dot, norm, symmetric_eigen};
use crate::{Error, Graph};
use rand_distr::{Distribution, StandardNormal};

/// Up to this size all eigenvalues are computed.
const DENSE: usize = 500;
/// The most steps of Lanczos' method, and of conjugate gradients in each.
const STEPS: usize = 40;
const INNER_STEPS: usize = 3000;

/// λ₂ of the Laplacian of the edges inside a set of nodes (in order). None for a single node, and
/// where a large set is so badly connected that the iterations do not settle. Zero if the set falls
/// apart.
pub fn algebraic_connectivity(graph: &Graph, nodes: &[usize]) -> Result<Option<f64>, Error> {
    second_eigenvalue(graph, nodes, |n, edges| Laplacian::new(n, edges))
}

/// The spectral gap of the edges inside a set of nodes (in order), between 0 and 2. None and zero
/// as for [`algebraic_connectivity`].
pub fn spectral_gap(graph: &Graph, nodes: &[usize]) -> Result<Option<f64>, Error> {
    second_eigenvalue(graph, nodes, |n, edges| Laplacian::normalized(n, edges))
}

fn second_eigenvalue(
    graph: &Graph,
    nodes: &[usize],
    laplacian: impl for<'a> Fn(usize, &'a [(usize, usize, f64)]) -> Laplacian<'a>,
) -> Result<Option<f64>, Error> {
    let n = nodes.len();
    if n < 2 {
        return Ok(None);
    }
    let edges = graph.inside_and_leaving(nodes).0;
    if Graph::new(n, &edges)?.components(|_| true).iter().any(|c| *c > 0) {
        return Ok(Some(0.0));
    }
    let laplacian = laplacian(n, &edges);
    if n > DENSE {
        return laplacian.lanczos();
    }
    let scale = &laplacian.scale;
    let mut dense = vec![0.0; n * n];
    for &(a, b, weight) in &edges {
        dense[a * n + b] -= weight / (scale[a] * scale[b]);
        dense[b * n + a] -= weight / (scale[a] * scale[b]);
        dense[a * n + a] += weight / (scale[a] * scale[a]);
        dense[b * n + b] += weight / (scale[b] * scale[b]);
    }
    let (values, _) = symmetric_eigen(&dense, n)?;
    Ok(Some(values[1].max(0.0)))
}

/// S⁻¹LS⁻¹
struct Laplacian<'a> {
    edges: &'a [(usize, usize, f64)],
    degree: Vec<f64>,
    /// The diagonal of S, which spans the kernel.
    scale: Vec<f64>,
}

impl<'a> Laplacian<'a> {
    fn new(n: usize, edges: &'a [(usize, usize, f64)]) -> Laplacian<'a> {
        let mut degree = vec![0.0; n];
        for &(a, b, weight) in edges {
            degree[a] += weight;
            degree[b] += weight;
        }
        Laplacian { edges, degree, scale: vec![1.0; n] }
    }

    fn normalized(n: usize, edges: &'a [(usize, usize, f64)]) -> Laplacian<'a> {
        let plain = Laplacian::new(n, edges);
        Laplacian { scale: plain.degree.iter().map(|d| d.sqrt()).collect(), ..plain }
    }

    /// Takes off the part in the kernel.
    fn project(&self, x: &mut [f64]) {
        axpy(-dot(x, &self.scale) / dot(&self.scale, &self.scale), &self.scale, x);
    }

    /// The pseudoinverse times x, for x without a part in the kernel.
    fn inverse_times(&self, x: &[f64]) -> Option<Vec<f64>> {
        let scaled = |x: &[f64]| x.iter().zip(&self.scale).map(|(x, s)| x * s).collect::<Vec<_>>();
        let mut out = scaled(&self.solve(&scaled(x))?);
        self.project(&mut out);
        Some(out)
    }

    fn times(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for &(a, b, weight) in self.edges {
            let flow = weight * (x[a] - x[b]);
            out[a] += flow;
            out[b] -= flow;
        }
    }

    /// The solution of Lx = b with mean zero, for b without its mean; None if it does not settle.
    fn solve(&self, b: &[f64]) -> Option<Vec<f64>> {
        let invert = |r: &[f64], z: &mut [f64]| {
            z.iter_mut().zip(r).zip(&self.degree).for_each(|((z, r), d)| *z = r / d);
            dot(r, z)
        };
        let mut rhs = b.to_vec();
        center(&mut rhs);
        let goal = 1e-10 * norm(b);
        let mut system = ConjugateGradients::new(&rhs, invert);
        for _ in 0..INNER_STEPS {
            let curvature = system.multiply(|p, image| {
                self.times(p, image);
                dot(p, image)
            });
            system.advance(&curvature);
            if norm(&system.residual) <= goal {
                center(&mut system.solution);
                return Some(system.solution);
            }
            let product = system.precondition(invert);
            system.turn(product);
        }
        None
    }

    /// 1/λ₂ is the largest eigenvalue of the pseudoinverse.
    fn lanczos(&self) -> Result<Option<f64>, Error> {
        let n = self.degree.len();
        let mut random = crate::numeric::sampling::random(0);
        let mut q: Vec<f64> = (0..n).map(|_| StandardNormal.sample(&mut random)).collect();
        self.project(&mut q);
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let (mut diagonal, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        loop {
            let length = norm(&q);
            q.iter_mut().for_each(|v| *v /= length);
            let Some(mut next) = self.inverse_times(&q) else { return Ok(None) };
            diagonal.push(dot(&q, &next));
            basis.push(std::mem::take(&mut q));
            // Twice is enough to keep the basis orthogonal.
            for _ in 0..2 {
                for b in &basis {
                    axpy(-dot(b, &next), b, &mut next);
                }
            }
            let rest = norm(&next);
            let k = diagonal.len();
            let mut small = vec![0.0; k * k];
            for i in 0..k {
                small[i * k + i] = diagonal[i];
                if i + 1 < k {
                    small[i * k + i + 1] = beside[i];
                    small[(i + 1) * k + i] = beside[i];
                }
            }
            let (values, vectors) = symmetric_eigen(&small, k)?;
            let (top, vector) = (values[k - 1], &vectors[(k - 1) * k..]);
            if rest * vector[k - 1].abs() <= 1e-9 * top || k == STEPS {
                let mut x = vec![0.0; n];
                basis.iter().zip(vector).for_each(|(b, c)| axpy(*c, b, &mut x));
                return Ok(self.checked(&x));
            }
            beside.push(rest);
            q = next;
        }
    }

    /// The Rayleigh quotient of a vector less its residual, where that is small.
    fn checked(&self, x: &[f64]) -> Option<f64> {
        let unscaled =
            |x: &[f64]| x.iter().zip(&self.scale).map(|(x, s)| x / s).collect::<Vec<_>>();
        let mut image = vec![0.0; x.len()];
        self.times(&unscaled(x), &mut image);
        let mut image = unscaled(&image);
        let square = dot(x, x);
        let value = dot(x, &image) / square;
        axpy(-value, x, &mut image);
        let residual = norm(&image) / square.sqrt();
        (residual <= 1e-3 * value).then_some(value - residual)
    }
}

/// Takes the mean off.
fn center(x: &mut [f64]) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter_mut().for_each(|v| *v -= mean);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{chain, stochastic_block_model};

    fn all(graph: &Graph) -> Vec<usize> {
        (0..graph.nodes()).collect()
    }

    #[test]
    fn known_graphs_have_their_known_values() {
        // A path of n nodes has 2 − 2cos(π/n), a complete graph n times the weight.
        for half in [1, 5, 40, 400] {
            let path = chain(half, 1.0).unwrap();
            let expected = 2.0 - 2.0 * (std::f64::consts::PI / (2 * half) as f64).cos();
            let found = algebraic_connectivity(&path, &all(&path)).unwrap().unwrap();
            assert!((found - expected).abs() < 1e-6 * expected, "{half}: {found} {expected}");
        }
        let complete = stochastic_block_model(&[7], 1.0, 0.0, 1).unwrap();
        let found = algebraic_connectivity(&complete, &all(&complete)).unwrap().unwrap();
        assert!((found - 7.0).abs() < 1e-12);
        // A part of it: four nodes.
        let found = algebraic_connectivity(&complete, &[0, 2, 3, 6]).unwrap().unwrap();
        assert!((found - 4.0).abs() < 1e-12);
    }

    #[test]
    fn known_graphs_have_their_gaps() {
        // A complete graph has n/(n − 1), a star 1, two nodes 2, whatever the weight.
        let gap = |graph: &Graph| spectral_gap(graph, &all(graph)).unwrap().unwrap();
        assert!(
            (gap(&stochastic_block_model(&[7], 1.0, 0.0, 1).unwrap()) - 7.0 / 6.0).abs() < 1e-12
        );
        assert!((gap(&crate::generate::star(9, 0.3).unwrap()) - 1.0).abs() < 1e-12);
        assert!((gap(&crate::generate::star(2, 5.0).unwrap()) - 2.0).abs() < 1e-12);
        // A path of n nodes has 1 − cos(π/(n − 1)).
        for half in [5, 400] {
            let expected = 1.0 - (std::f64::consts::PI / (2 * half - 1) as f64).cos();
            let found = gap(&chain(half, 1.0).unwrap());
            assert!((found - expected).abs() < 1e-6 * expected, "{half}: {found} {expected}");
        }
    }

    #[test]
    fn both_ways_agree() {
        let graph = stochastic_block_model(&[120, 130], 0.2, 0.02, 3).unwrap();
        let dense = algebraic_connectivity(&graph, &all(&graph)).unwrap().unwrap();
        let edges = graph.inside_and_leaving(&all(&graph)).0;
        let iterated = Laplacian::new(graph.nodes(), &edges).lanczos().unwrap().unwrap();
        assert!(dense > 0.0 && (dense - iterated).abs() < 1e-7 * dense, "{dense} {iterated}");
        let dense = spectral_gap(&graph, &all(&graph)).unwrap().unwrap();
        let iterated = Laplacian::normalized(graph.nodes(), &edges).lanczos().unwrap().unwrap();
        assert!(dense > 0.0 && (dense - iterated).abs() < 1e-7 * dense, "{dense} {iterated}");
    }

    #[test]
    fn groups_that_fall_apart_have_zero_and_single_nodes_none() {
        let graph = chain(3, 0.0).unwrap();
        assert_eq!(algebraic_connectivity(&graph, &all(&graph)).unwrap(), Some(0.0));
        assert_eq!(algebraic_connectivity(&graph, &[1]).unwrap(), None);
    }
}
