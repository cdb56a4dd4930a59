//! Networks on the images of all nodes: training them and counting what they get right.

use std::ops::Range;

use netfed::Matrix;
use netfed::model::{Network, NeuralLoss, Pass, Task, Training};
use netfed_cli::Failure;
use rayon::prelude::*;

use super::super::digits::{Digits, Node};

/// Training and validation accuracy.
pub(crate) type Accuracy = [f64; 2];

/// The images of all nodes.
pub(crate) struct Trial<'a> {
    digits: &'a Digits,
    nodes: &'a [Node],
    /// Pixels of the training and the validation images of each node.
    pixels: Vec<[Matrix; 2]>,
}

/// Training or validation images of a node.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Training = 0,
    Validation = 1,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(digits: &'a Digits, nodes: &'a [Node]) -> Result<Trial<'a>, Failure> {
        let pixels = |n: &Node| Ok([digits.points(&n.training)?, digits.points(&n.validation)?]);
        let pixels = nodes.iter().map(pixels).collect::<Result<Vec<_>, Failure>>()?;
        Ok(Trial { digits, nodes, pixels })
    }

    /// The mean loss of a network on images.
    pub(crate) fn loss(&self, network: &Network, images: &[usize]) -> Result<NeuralLoss, Failure> {
        let classes = network.outputs();
        let (points, targets) = (self.digits.points(images)?, self.digits.targets(images, classes));
        Ok(NeuralLoss::new(network, Task::Classification(classes), &points, &targets)?)
    }

    /// The part of the images that are put into the right class when node i has the parameters
    /// `of(i)`. With `two`, only the two digits of the image's cluster are in question.
    pub(crate) fn right<'p>(
        &self,
        network: &Network,
        of: impl Fn(usize) -> &'p [f64] + Sync,
        part: Part,
        two: bool,
    ) -> f64 {
        let classes = network.outputs();
        let count = |i: usize| {
            let (node, mut pass) = (&self.nodes[i], Pass::default());
            let images = [&node.training, &node.validation][part as usize];
            let pixels = self.pixels[i][part as usize].as_slice();
            let found = network.forward(of(i), pixels, &mut pass).chunks_exact(classes);
            let right = |(image, p): &(&usize, &[f64])| {
                let class = self.digits.class(**image, classes);
                let asked = if two { class / 2 * 2..class / 2 * 2 + 2 } else { 0..classes };
                asked.into_iter().all(|c| p[c] < p[class] || c == class)
            };
            (images.iter().zip(found).filter(right).count(), images.len())
        };
        let counts: Vec<(usize, usize)> =
            (0..self.nodes.len()).into_par_iter().map(count).collect();
        let (right, all) = counts.iter().fold((0, 0), |t, c| (t.0 + c.0, t.1 + c.1));
        right as f64 / all as f64
    }

    /// Training and validation accuracy.
    pub(crate) fn accuracy<'p>(
        &self,
        network: &Network,
        of: impl Fn(usize) -> &'p [f64] + Sync,
        two: bool,
    ) -> Accuracy {
        [Part::Training, Part::Validation].map(|part| self.right(network, &of, part, two))
    }

    /// One network trained on the images of some nodes.
    pub(crate) fn trained(
        &self,
        network: &Network,
        nodes: Range<usize>,
        epochs: usize,
        seed: u64,
    ) -> Result<Vec<f64>, Failure> {
        let images: Vec<usize> =
            self.nodes[nodes.clone()].iter().flat_map(|n| n.training.clone()).collect();
        let mut params = network.start(seed);
        let training = Training { epochs, ..Training::default() };
        self.loss(network, &images)?.train(&training, seed + nodes.start as u64, &mut params);
        Ok(params)
    }
}
