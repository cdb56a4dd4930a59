//! The handwritten digits of section VI-D: 40 nodes, of which 20 have images of 0 and 1 and 20 have
//! images of 2 and 3; and the empirical graph on them.
//!
//! Images are read in the format of MNIST ([`crate::idx`]). Pixels are divided by 255.
//!
//! Graph: A = exp(−W) over the edges from each node to its three nearest, with W the squared
//! 2-Wasserstein distance of the normal distributions fitted to the nodes' training images, after
//! these are made smaller (means of 4 × 4 pixels) and reduced to ten principal components. The
//! paper compares scatter plots made by t-SNE instead.

use std::collections::BTreeMap;
use std::path::Path;

use netfed::discrepancy::Gaussian;
use netfed::generate::random;
use netfed::{Graph, Matrix, principal_components};
use netfed_cli::Failure;
use rand::RngExt;

use crate::idx::Array;

const IMAGES: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/data/mnist/digits0123-images-idx3-ubyte.gz"
));
const LABELS: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/data/mnist/digits0123-labels-idx1-ubyte.gz"
));
/// Pixels along one side.
const SIDE: usize = 28;
pub(crate) const PIXELS: usize = SIDE * SIDE;
/// Nodes of a cluster; there are two.
pub(crate) const CLUSTER: usize = 20;
const NEIGHBORS: usize = 3;

/// Images of the digits 0 to 3.
pub(crate) struct Digits {
    images: Vec<u8>,
    labels: Vec<u8>,
}

/// The images of one node, by their numbers.
pub(crate) struct Node {
    pub(crate) training: Vec<usize>,
    pub(crate) validation: Vec<usize>,
}

/// What the images need.
const ORIGIN: &str = "the training files of MNIST, train-images-idx3-ubyte and train-labels-idx1-ubyte, plain or with .gz";

/// A file of a folder, plain or with the ending .gz.
fn open(folder: &Path, name: &str, axes: usize) -> Result<Array, Failure> {
    let packed = folder.join(format!("{name}.gz"));
    let path = if packed.exists() { packed } else { folder.join(name) };
    Array::read(&path, axes, ORIGIN)
}

impl Digits {
    /// The images that are built in, 1500 of each digit, or those of a folder with the training
    /// files of MNIST.
    pub(crate) fn load(folder: Option<&Path>) -> Result<Digits, Failure> {
        let (images, labels, place) = match folder {
            None => (
                Array::new(IMAGES.to_vec(), 3, "the built-in images")?,
                Array::new(LABELS.to_vec(), 1, "the built-in labels")?,
                "the built-in images".into(),
            ),
            Some(folder) => (
                open(folder, "train-images-idx3-ubyte", 3)?,
                open(folder, "train-labels-idx1-ubyte", 1)?,
                folder.display().to_string(),
            ),
        };
        let (found, expected) = (images.lengths.clone(), [labels.lengths[0], SIDE, SIDE]);
        let (Some(all), Some(names)) = (images.into_bytes(), labels.into_bytes()) else {
            return Err(Failure::input(format!("{place}: expected arrays of bytes.")));
        };
        if found != expected {
            return Err(Failure::input(format!(
                "{place}: expected {} images of {SIDE} by {SIDE} pixels, as there are labels; found an array of {found:?}.",
                expected[0]
            )));
        }
        let few = |(_, label): &(&[u8], &u8)| **label < 4;
        let (images, labels): (Vec<&[u8]>, Vec<u8>) =
            all.chunks_exact(PIXELS).zip(&names).filter(few).map(|(i, l)| (i, *l)).unzip();
        Ok(Digits { images: images.concat(), labels })
    }

    /// So many training and validation images for each node, at random, no image twice.
    pub(crate) fn deal(
        &self,
        training: usize,
        validation: usize,
        seed: u64,
    ) -> Result<Vec<Node>, Failure> {
        let (mut random, mut nodes) = (random(seed), Vec::new());
        for cluster in 0..2 {
            let mut own: Vec<usize> =
                (0..self.labels.len()).filter(|i| self.labels[*i] / 2 == cluster).collect();
            let (needed, found) = (CLUSTER * (training + validation), own.len());
            if found < needed {
                let digits = ["0 and 1", "2 and 3"][usize::from(cluster)];
                return Err(Failure::input(format!(
                    "there are {found} images of {digits}; {needed} are needed. Name a folder with all of MNIST: --data FOLDER."
                )));
            }
            (1..own.len()).rev().for_each(|k| own.swap(k, random.random_range(0..=k)));
            for images in own.chunks(training + validation).take(CLUSTER) {
                let (training, validation) = images.split_at(training);
                nodes.push(Node { training: training.to_vec(), validation: validation.to_vec() });
            }
        }
        Ok(nodes)
    }

    fn pixels(&self, image: usize) -> &[u8] {
        &self.images[image * PIXELS..(image + 1) * PIXELS]
    }

    /// Pixels from 0 to 1, one row per image.
    pub(crate) fn points(&self, images: &[usize]) -> Result<Matrix, Failure> {
        let values = images.iter().flat_map(|i| self.pixels(*i)).map(|b| f64::from(*b) / 255.0);
        Ok(Matrix::from_rows(PIXELS, values.collect())?)
    }

    /// The class of an image among so many: the digit, or with two classes which of the two digits
    /// of its cluster.
    pub(crate) fn class(&self, image: usize, classes: usize) -> usize {
        usize::from(self.labels[image]) % classes
    }

    /// The classes of images as probabilities.
    pub(crate) fn targets(&self, images: &[usize], classes: usize) -> Matrix {
        let mut targets = Matrix::zeros(images.len(), classes);
        images
            .iter()
            .enumerate()
            .for_each(|(r, i)| targets.row_mut(r)[self.class(*i, classes)] = 1.0);
        targets
    }

    /// An image of 7 × 7 means.
    fn small(&self, image: usize) -> impl Iterator<Item = f64> + '_ {
        let pixel = move |row: usize, col: usize| f64::from(self.pixels(image)[row * SIDE + col]);
        (0..49).map(move |k| {
            let (row, col) = (k / 7 * 4, k % 7 * 4);
            (0..16).map(|p| pixel(row + p / 4, col + p % 4)).sum::<f64>() / (16.0 * 255.0)
        })
    }

    /// The empirical graph of the nodes, from their training images.
    pub(crate) fn graph(&self, nodes: &[Node]) -> Result<Graph, Failure> {
        let images = nodes.iter().flat_map(|node| &node.training);
        let small = Matrix::from_rows(49, images.flat_map(|i| self.small(*i)).collect())?;
        let components = principal_components(&small, 10)?.0;
        let (mut normal, mut at) = (Vec::new(), 0);
        for node in nodes {
            let next = at + 10 * node.training.len();
            normal.push(Gaussian::fit(&Matrix::from_rows(
                10,
                components.as_slice()[at..next].to_vec(),
            )?)?);
            at = next;
        }
        let mut edges = BTreeMap::new();
        for i in 0..nodes.len() {
            let mut others = Vec::new();
            for j in (0..nodes.len()).filter(|j| *j != i) {
                others.push((normal[i].squared_distance(&normal[j])?, j));
            }
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (distance, j) in others.into_iter().take(NEIGHBORS) {
                edges.insert((i.min(j), i.max(j)), (-distance).exp());
            }
        }
        let edges: Vec<(usize, usize, f64)> =
            edges.into_iter().map(|((i, j), weight)| (i, j, weight)).collect();
        Ok(Graph::new(nodes.len(), &edges)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_dealt_without_overlap_and_neighbors_have_the_same_digits() {
        let digits = Digits::load(None).unwrap();
        assert_eq!((digits.labels.len(), digits.images.len()), (6000, 6000 * PIXELS));
        let nodes = digits.deal(100, 50, 1).unwrap();
        let mut all: Vec<usize> = nodes
            .iter()
            .flat_map(|n| [n.training.clone(), n.validation.clone()].concat())
            .collect();
        assert_eq!((nodes.len(), all.len()), (40, 6000));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6000);
        let cluster = |i: usize| digits.labels[nodes[i].training[0]] / 2;
        assert!((0..40).all(|i| usize::from(cluster(i)) == i / CLUSTER));
        let graph = digits.graph(&nodes).unwrap();
        assert!(graph.edges().iter().all(|e| cluster(e.tail) == cluster(e.head)));
        assert!((0..40).all(|i| graph.degree(i) >= NEIGHBORS));
        assert!(digits.deal(400, 100, 1).is_err());
    }

    #[test]
    fn folders_without_images_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let message = |images: &[u8], labels: &[u8]| {
            std::fs::write(folder.path().join("train-images-idx3-ubyte"), images).unwrap();
            std::fs::write(folder.path().join("train-labels-idx1-ubyte"), labels).unwrap();
            Digits::load(Some(folder.path())).err().unwrap().to_string()
        };
        let small = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9];
        let one = [0, 0, 8, 1, 0, 0, 0, 1, 0];
        assert!(message(&small, &one).contains("expected 1 images of 28 by 28 pixels"));
        assert!(message(&one, &one).contains("expected an idx file with 3 axes"));
        let short = [0, 0, 11, 1, 0, 0, 0, 1, 0, 0];
        assert!(message(&small, &short).contains("expected arrays of bytes"));
        let nothing = Digits::load(Some(&folder.path().join("nothing"))).err().unwrap().to_string();
        assert!(nothing.contains("--data needs the training files of MNIST"), "{nothing}");
    }
}
