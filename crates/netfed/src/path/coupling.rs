//! A λ for a flavor of federated learning (`methods/flavor.rs`): from λ_max down to where hardly
//! any models are equal.

use super::lambda_max_with;
use crate::methods::flavor::Coupling;
use crate::outcome::{Observer, Unobserved};
use crate::path::first_lambda_with;
use crate::{Error, Options, Problem};

/// Models are equal at this multiple of λ_max for sure, whatever rounding did to it.
const ABOVE: f64 = 1.01;

impl Coupling {
    /// A λ that brings it about for the problem of the preset; none where there is no coupling.
    /// `options` holds for the solves on the way.
    pub fn lambda(self, problem: &Problem, options: &Options) -> Result<Option<f64>, Error> {
        self.lambda_with(problem, options, &mut Unobserved)
    }

    /// [`Coupling::lambda`] with an observer of the solves on the way.
    pub fn lambda_with(
        self,
        problem: &Problem,
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Result<Option<f64>, Error> {
        if self == Coupling::None {
            return Ok(None);
        }
        let most = lambda_max_with(problem, options, observer)?.upper;
        // Where all local models agree, or there are no edges, every λ does the same.
        if most == 0.0 || self == Coupling::Equal {
            return Ok(Some(ABOVE * most));
        }
        let least = first_lambda_with(problem, most, options, observer)?;
        Ok(Some(match self {
            Coupling::Local => least,
            _ => least.sqrt() * most.sqrt(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Loss;
    use crate::methods::Weighting;
    use crate::methods::flavor::Flavor;
    use crate::numeric::linalg::distance;
    use crate::solve::exact::{local, pooled};
    use crate::{Dataset, Graph, LossKind, Matrix, solve};

    const ALL: [Flavor; 6] = [
        Flavor::Centralized,
        Flavor::Decentralized,
        Flavor::Clustered,
        Flavor::Horizontal,
        Flavor::Vertical,
        Flavor::Personalized,
    ];

    /// Means of the nodes in two groups; the fourth node has half as many points.
    fn losses(count: usize) -> Vec<Box<dyn Loss>> {
        let data = |i: usize| match [0.0, 0.02, 5.0, 5.03, 5.1].get(i) {
            Some(mean) if i == 3 => Dataset::new(1, vec![*mean], vec![]),
            Some(mean) => Dataset::new(1, vec![mean - 1.0, mean + 1.0], vec![]),
            None => Ok(Dataset::empty(1)),
        };
        (0..count).map(|i| LossKind::Mean.build(data(i).unwrap(), 0.0, 0.0).unwrap()).collect()
    }

    /// The models of a flavor on two components: a path of four, and one node alone.
    fn models(flavor: Flavor) -> (Problem, Matrix) {
        let graph = Graph::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
        let preset = flavor.preset(&graph).unwrap();
        let problem = preset.problem(losses(5)).unwrap();
        let options = Options { tolerance: 1e-11, ..Options::default() };
        let lambda = preset.coupling.lambda(&problem, &options).unwrap().unwrap();
        let problem = problem.at_lambda(lambda).unwrap();
        let params = solve(&problem, &options).unwrap().params;
        (problem, params)
    }

    #[test]
    fn flavors_do_what_their_sentences_say() {
        let (problem, all) = models(Flavor::Centralized);
        let best = pooled(&problem, Weighting::Nodes).unwrap().params;
        assert_eq!((all.rows(), problem.loss(5).points()), (6, 0));
        assert!(distance(all.as_slice(), best.as_slice()) < 1e-6);
        let w = models(Flavor::Decentralized).1;
        assert!((0..4).all(|i| (w.row(i)[0] - 2.5125).abs() < 1e-6) && w.row(4)[0] == 5.1, "{w:?}");
        let w = models(Flavor::Horizontal).1;
        assert!((0..5).all(|i| (w.row(i)[0] - 25.27 / 9.0).abs() < 1e-6), "{w:?}");
        let w = models(Flavor::Clustered).1;
        assert!(w.row(0) == w.row(1) && w.row(2) == w.row(3) && w.row(2)[0] > w.row(0)[0] + 3.0);
        let (problem, w) = models(Flavor::Personalized);
        assert!(distance(w.as_slice(), local(&problem).as_slice()) < 0.1, "{w:?}");
        assert!((0..3).all(|i| w.row(i) != w.row(i + 1)));
    }

    #[test]
    fn every_graph_has_every_flavor() {
        for (nodes, edges) in [(0, vec![]), (1, vec![]), (3, vec![]), (3, vec![(0, 2, 0.5)])] {
            let graph = Graph::new(nodes, &edges).unwrap();
            for flavor in ALL {
                let preset = flavor.preset(&graph).unwrap();
                let server = usize::from(flavor == Flavor::Centralized);
                assert_eq!(preset.graph.nodes(), nodes + server);
                assert_eq!(preset.server.is_some(), server == 1);
                let name = format!("{flavor:?}:");
                assert!(preset.sentence.starts_with(&name) && preset.sentence.ends_with('.'));
                if nodes > 0 {
                    let one = preset.problem(losses(nodes)).unwrap();
                    let lambda = preset.coupling.lambda(&one, &Options::default()).unwrap();
                    assert_eq!(lambda.is_none(), flavor == Flavor::Vertical);
                    assert!(lambda.is_none_or(|l| l >= 0.0 && l.is_finite()));
                }
            }
        }
    }
}
