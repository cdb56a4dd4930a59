//! Three views of four objects of COIL-20 as silos, and the methods of Table IV on them.

use std::path::Path;
use std::sync::Arc;

use netfed::generate::random;
use netfed::learning::{
    Algorithm1, Candidates, Exact, GraphMethod, LocalWork, LogDegree, Model, SiloGraphs, Silos,
    Step, algorithm1, run_graph_method,
};
use netfed::{Agreement, Communities, Matrix};
use netfed_cli::Failure;
use rand::RngExt;

use super::go_on;
use crate::idx::Array;
use crate::runs::seed;

pub(super) const ORIGIN: &str = "coil20-images-32x32-idx3-ubyte.gz and coil20-labels-idx1-ubyte.gz, the 1440 images of COIL-20 (Columbia University, https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php) at 32 × 32 pixels as idx files, by object, then by angle";
const OBJECTS: usize = 4;
/// Views of 12 images each; the first three are used.
const VIEWS: usize = 3;
const PER_VIEW: usize = 12;
const ROUNDS: u64 = 300;
const ZETA: f64 = 0.01;
/// An edge is a weight above this.
pub(super) const THRESHOLD: f64 = 1e-4;
pub(super) const POOLED: &str = "all signals (28), exact";
pub(super) const EXACT_L: &str = "PPGL-L, exact";
pub(super) const EXACT_C: &str = "PPGL-C, exact";

/// Four objects, seen by three silos.
pub(super) struct Draw {
    silos: Vec<LogDegree>,
    objects: Vec<usize>,
}

/// NMI, RI, FMI.
pub(super) type Indices = [f64; 3];

/// Random draws of four objects.
pub(super) fn draws(folder: &Path, count: u64, base: u64) -> Result<Vec<Draw>, Failure> {
    let images = Array::read(&folder.join("coil20-images-32x32-idx3-ubyte.gz"), 3, ORIGIN)?;
    let labels = Array::read(&folder.join("coil20-labels-idx1-ubyte.gz"), 1, ORIGIN)?.values();
    let (count_of_images, pixels) = (images.lengths[0], images.lengths[1] * images.lengths[2]);
    let images = images.values();
    let mut objects: Vec<Vec<usize>> = Vec::new();
    for (k, label) in labels.iter().enumerate() {
        if k > 0 && labels[k - 1] == *label {
            objects.last_mut().into_iter().for_each(|o| o.push(k))
        } else {
            objects.push(vec![k])
        }
    }
    let needed = VIEWS * PER_VIEW;
    let short = objects.iter().any(|o| o.len() < needed);
    if labels.len() != count_of_images || objects.len() < OBJECTS || short {
        return Err(Failure::input(format!(
            "{}: expected at least {OBJECTS} objects with at least {needed} images each, in order, and a label for each; --data needs {ORIGIN}.",
            folder.display()
        )));
    }
    let image = |k: usize| &images[k * pixels..(k + 1) * pixels];
    (0..count).map(|run| Draw::new(&objects, image, pixels, seed(base, 70, run))).collect()
}

impl Draw {
    fn new<'a>(
        objects: &[Vec<usize>],
        image: impl Fn(usize) -> &'a [f64],
        pixels: usize,
        seed: u64,
    ) -> Result<Draw, Failure> {
        let mut random = random(seed);
        let mut order: Vec<usize> = (0..objects.len()).collect();
        (0..OBJECTS).for_each(|k| order.swap(k, random.random_range(k..objects.len())));
        let chosen = &order[..OBJECTS];
        let vertices = OBJECTS * PER_VIEW;
        let candidates = Arc::new(Candidates::all(vertices)?);
        let mut distances = Vec::new();
        for view in 0..VIEWS {
            let part = |o: &usize| &objects[*o][view * PER_VIEW..(view + 1) * PER_VIEW];
            let rows = chosen.iter().flat_map(part).flat_map(|&k| image(k));
            let signals = Matrix::from_rows(pixels, rows.map(|x| x / 255.0).collect())?;
            distances.push(candidates.distances(&signals)?);
        }
        let mut all: Vec<f64> = distances.concat();
        all.sort_unstable_by(f64::total_cmp);
        let median = all[all.len() / 2].max(f64::MIN_POSITIVE);
        let silo = |z: Vec<f64>| {
            let z = z.iter().map(|z| z / median).collect();
            LogDegree::of_distances(Arc::clone(&candidates), z, pixels, Model::default())
        };
        let silos = distances.into_iter().map(silo).collect::<Result<_, _>>()?;
        Ok(Draw { silos, objects: (0..vertices).map(|v| v / PER_VIEW).collect() })
    }

    fn at(&self, beta: f64, zeta: f64) -> Result<Vec<LogDegree>, Failure> {
        let model = Model { alpha: 1.0, beta, zeta };
        Ok(self.silos.iter().map(|s| s.with_model(model)).collect::<Result<_, _>>()?)
    }

    /// The mean agreement of the communities of some graphs with the objects.
    fn agreement(&self, graphs: &[&[f64]]) -> Result<Indices, Failure> {
        let mut mean = [0.0; 3];
        for weights in graphs {
            let graph = self.silos[0].candidates().graph(weights, THRESHOLD)?;
            let found = Communities::find(&graph, 0);
            let a = Agreement::new(&found.of_node, &self.objects)?;
            for (m, v) in mean.iter_mut().zip([a.nmi, a.rand_index, a.fowlkes_mallows]) {
                *m += v / graphs.len() as f64;
            }
        }
        Ok(mean)
    }

    fn locals(&self, locals: &Matrix) -> Result<Indices, Failure> {
        self.agreement(&(0..locals.rows()).map(|i| locals.row(i)).collect::<Vec<_>>())
    }

    /// (8), solved exactly or by rounds.
    fn coupled(
        &self,
        name: &str,
        beta: f64,
        (nu, lambda): (f64, f64),
    ) -> Result<SiloGraphs, Failure> {
        if name == EXACT_L || name == EXACT_C {
            let silos = Silos::new(self.at(beta, 0.0)?, nu, lambda)?;
            let settings = Exact { tolerance: 1e-8, max_rounds: 3000 };
            return Ok(settings.solve(&silos).graphs);
        }
        let silos = Silos::new(self.at(beta, ZETA)?, nu, lambda)?;
        let settings = Algorithm1 { rounds: ROUNDS, work: work(), ..Algorithm1::default() };
        Ok(algorithm1(&silos, &settings)?.0)
    }

    /// A method with β and what else it has: μ, or ν and λ.
    pub(super) fn run(
        &self,
        name: &str,
        beta: f64,
        (first, second): (f64, f64),
    ) -> Result<Indices, Failure> {
        go_on()?;
        let method = match name {
            "FedProx" => GraphMethod::FedProx(first),
            "MR-MTL" => GraphMethod::MrMtl(first),
            "Ditto" => GraphMethod::Ditto(first),
            "IGL" => {
                let graphs: Vec<Vec<f64>> =
                    self.at(beta, 0.0)?.iter().map(|s| s.solve().weights).collect();
                return self.agreement(&graphs.iter().map(Vec::as_slice).collect::<Vec<_>>());
            }
            "FedAvg" => GraphMethod::FedAvg,
            POOLED => {
                return self
                    .agreement(&[&LogDegree::pooled(&self.at(beta, 0.0)?)?.solve().weights]);
            }
            _ => {
                let graphs = self.coupled(name, beta, (first, second))?;
                return match name {
                    "PPGL-C" | EXACT_C => self.agreement(&[&graphs.consensus]),
                    _ => self.locals(&graphs.locals),
                };
            }
        };
        let silos = self.at(beta, ZETA)?;
        self.locals(&run_graph_method(method, &silos, &work(), ROUNDS, 0.1)?)
    }
}

/// The paper's local work with the pull implicit.
fn work() -> LocalWork {
    LocalWork { step: Step::Implicit(0.005), ..LocalWork::published() }
}

#[cfg(test)]
mod tests {
    use super::super::coil::search;
    use super::*;
    use std::io::Write;

    fn pack(path: &Path, bytes: &[u8]) {
        let file = std::fs::File::create(path).unwrap();
        let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap();
    }

    /// Made-up images: five objects of 36 images with three pixels, which wander around a color of
    /// their own.
    #[test]
    fn communities_are_the_objects_where_these_are_unlike() {
        let dir = tempfile::tempdir().unwrap();
        let (mut images, mut labels) = (vec![0, 0, 8, 3], vec![0, 0, 8, 1]);
        for length in [180u32, 1, 3] {
            images.extend(length.to_be_bytes());
        }
        labels.extend(180u32.to_be_bytes());
        for k in 0..180u8 {
            let (object, angle) = (k / 36, k % 36);
            images.extend([40 * object, 20 + angle % 9, 60 + (7 * angle) % 11]);
            labels.push(object + 1);
        }
        pack(&dir.path().join("coil20-images-32x32-idx3-ubyte.gz"), &images);
        pack(&dir.path().join("coil20-labels-idx1-ubyte.gz"), &labels);
        let draws = draws(dir.path(), 2, 1).unwrap();
        assert_eq!((draws.len(), draws[0].silos.len(), draws[0].objects.len()), (2, 3, 48));
        for name in ["IGL", POOLED, EXACT_L, EXACT_C] {
            let found = search(&draws, name, &[0.1]).unwrap();
            assert!(found.iter().all(|i| i[0] > 0.95), "{name} {found:?}");
        }
        assert!(draws[0].run("MR-MTL", 0.1, (3.0, 0.0)).unwrap()[0] > 0.9);
        pack(&dir.path().join("coil20-labels-idx1-ubyte.gz"), &labels[..20]);
        assert!(super::draws(dir.path(), 2, 1).is_err());
    }
}
