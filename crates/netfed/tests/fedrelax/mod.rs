//! The reference instances of `data/fedrelax`, and how they are run.

#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test file uses its part")]

use netfed::loss::Loss;
use netfed::relax::linear::{
    Coupling, LocalUpdate, RelaxOptions, Relaxation, Relaxed, Sides, Sweep, relax,
};
use netfed::{Dataset, Graph, LossKind, Matrix};

/// All numbers of a file of `data/fedrelax`.
pub fn numbers(name: &str) -> Vec<f64> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/fedrelax");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.split(['\n', ',']).filter(|c| !c.is_empty()).map(|c| c.trim().parse().unwrap()).collect()
}

pub fn matrix(name: &str, cols: usize) -> Matrix {
    Matrix::from_rows(cols, numbers(name)).unwrap()
}

pub fn graph(weights: &[f64]) -> Graph {
    let n = weights.len().isqrt();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let edges: Vec<_> =
        pairs.map(|(i, j)| (i, j, weights[i * n + j])).filter(|e| e.2 != 0.0).collect();
    Graph::new(n, &edges).unwrap()
}

/// An instance: graph, data, public points, start.
pub struct Instance {
    pub graph: Graph,
    pub data: Vec<Dataset>,
    pub start: Matrix,
    folder: &'static str,
}

impl Instance {
    pub fn new(folder: &'static str, dim: usize) -> Instance {
        let file = |name: &str| numbers(&format!("{folder}/{name}"));
        let graph = graph(&file("A.csv"));
        let (x, y) = (file("X.csv"), file("y.csv"));
        let m = y.len() / graph.nodes();
        let node = |i: usize| {
            let x = x[i * m * dim..(i + 1) * m * dim].to_vec();
            Dataset::new(dim, x, y[i * m..(i + 1) * m].to_vec()).unwrap()
        };
        let data = (0..graph.nodes()).map(node).collect();
        Instance { data, start: matrix(&format!("{folder}/w0.csv"), dim), graph, folder }
    }

    pub fn dim(&self) -> usize {
        self.start.cols()
    }

    pub fn losses(&self, kind: LossKind) -> Vec<Box<dyn Loss>> {
        self.data.iter().map(|d| kind.build(d.clone(), 0.0, 0.0).unwrap()).collect()
    }

    pub fn public(&self) -> Matrix {
        matrix(&format!("{}/P.csv", self.folder), self.dim())
    }

    pub fn private(&self) -> Vec<Matrix> {
        let (all, n, d) = (self.public(), self.graph.nodes(), self.dim());
        let size = all.as_slice().len() / n;
        all.as_slice().chunks(size).map(|p| Matrix::from_rows(d, p.to_vec()).unwrap()).collect()
    }

    pub fn problem(&self, alpha: f64, coupling: &Coupling, sides: Sides) -> Relaxation {
        let losses = self.losses(LossKind::Squared);
        Relaxation::new(self.graph.clone(), losses, alpha, coupling, sides).unwrap()
    }

    pub fn expect(&self, name: &str) -> Matrix {
        matrix(&format!("{}/{name}.csv", self.folder), self.dim())
    }
}

pub fn shared() -> Instance {
    Instance::new("linear_shared_public_set", 3)
}

pub fn divergent() -> Instance {
    Instance::new("linear_divergent_jacobi", 2)
}

pub fn run(problem: &Relaxation, start: &Matrix, options: RelaxOptions) -> Relaxed {
    relax(problem, start, &options).unwrap()
}

pub fn rounds(max_rounds: u64, sweep: Sweep, update: LocalUpdate) -> RelaxOptions {
    RelaxOptions { max_rounds, sweep, update, tolerance: 0.0 }
}

pub fn to_the_end(sweep: Sweep) -> RelaxOptions {
    RelaxOptions { sweep, tolerance: 1e-13, ..RelaxOptions::default() }
}

pub fn off(a: &Matrix, b: &Matrix) -> f64 {
    a.as_slice().iter().zip(b.as_slice()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

pub const SWEEPS: [Sweep; 3] = [Sweep::Simultaneous, Sweep::Colored, Sweep::Sequential];
pub const ALPHAS: [(f64, &str); 3] = [(0.01, "0.01"), (0.05, "0.05"), (1.0, "1")];
