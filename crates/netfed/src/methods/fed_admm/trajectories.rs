//! Fed-ADMM step by step against recorded trajectories.

use super::*;
use crate::penalty::{Norm1, Norm2};
use crate::{Dataset, Graph, LossKind};

const NODES: usize = 8;
const POINTS: usize = 12;
const DIM: usize = 3;
const ROUNDS: usize = 60;

fn table(name: &str) -> Vec<Vec<f64>> {
    let path = format!("{}/../../data/fed_admm/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect()
}

fn assert_near(what: &str, found: impl Iterator<Item = f64>, name: &str) {
    let expected = table(name).concat();
    let found: Vec<f64> = found.collect();
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(&expected) {
        assert!((f - e).abs() <= 1e-10 * e.abs().max(1.0), "{what}, {name}: {f} {e}");
    }
}

/// The instance of data/fed_admm.
struct Instance {
    /// Edges from the smaller to the larger node; theirs run the other way.
    list: Vec<(usize, usize, f64)>,
    graph: Graph,
    losses: Vec<Box<dyn Loss>>,
    points: Vec<Sampled>,
    batches: Vec<Vec<f64>>,
    online: Vec<Vec<f64>>,
    there: Vec<f64>,
}

impl Instance {
    fn load() -> Instance {
        let (x, y) = (table("X").concat(), table("y").concat());
        let data = |i: usize| {
            let features = x[i * POINTS * DIM..][..POINTS * DIM].to_vec();
            Dataset::new(DIM, features, y[i * POINTS..][..POINTS].to_vec()).unwrap()
        };
        let edges = table("edges");
        let list: Vec<(usize, usize, f64)> =
            edges.iter().map(|e| (e[1] as usize, e[0] as usize, 1.0)).collect();
        let loss = |i: usize| LossKind::Squared.build(data(i), 0.0, 0.0).unwrap();
        let sampled = |i: usize| Sampled::new(LossKind::Squared, data(i), 0.0, 0.0).unwrap();
        Instance {
            graph: Graph::new(NODES, &list).unwrap(),
            list,
            losses: (0..NODES).map(loss).collect(),
            points: (0..NODES).map(sampled).collect(),
            batches: table("batches"),
            online: table("online"),
            there: table("p_online").concat(),
        }
    }

    /// Their loss has a factor ½, netfed's has not: λ, ρ and the duals are twice as large here, the
    /// steps half as long.
    fn nodes<'a>(
        &'a self,
        penalty: &'a dyn Penalty,
        local: LocalStep,
        weighting: Weighting,
    ) -> Vec<FedAdmmNode<'a>> {
        let settings =
            FedAdmm { rho: 2.0 * 0.5, kappa: 0.5 * 1.5, local, weighting, ..FedAdmm::default() };
        let node = |i: usize| {
            let device = Device {
                node: i,
                loss: self.losses[i].as_ref(),
                points: Some(&self.points[i]),
                availability: self.there[i],
            };
            FedAdmmNode::new(device, penalty, Link::of_node(&self.graph, 2.0 * 0.05, i), settings)
        };
        (0..NODES).map(node).collect()
    }

    /// Round t with the devices and batches of a case.
    fn round(&self, name: &str, t: usize, nodes: &mut [FedAdmmNode<'_>]) {
        for (i, node) in nodes.iter_mut().enumerate() {
            let rows: Vec<usize> =
                self.batches[t][4 * i..][..4].iter().map(|r| *r as usize).collect();
            let rows = (!name.starts_with("full")).then_some(rows);
            let present = !name.starts_with("offline") || self.online[t][i] == 1.0;
            node.advance(None, present, rows.as_deref());
        }
        let messages: Vec<Vec<f64>> = nodes.iter().map(|n| n.params.clone()).collect();
        for (i, node) in nodes.iter_mut().enumerate() {
            for (slot, inc) in self.graph.incident(i).iter().enumerate() {
                node.absorb(slot, &messages[i], &messages[inc.neighbor()]);
            }
        }
    }

    /// α at the larger end: the head of the edge here, where α = u; half of it in their scale.
    fn alphas(&self, nodes: &[FedAdmmNode<'_>]) -> Vec<f64> {
        let dual = |&(tail, head, _): &(usize, usize, f64)| {
            let slot = self.graph.incident(tail).iter().position(|s| s.neighbor() == head);
            nodes[tail].dual(slot.unwrap()).iter().map(|u| 0.5 * u).collect::<Vec<_>>()
        };
        self.list.iter().flat_map(dual).collect()
    }
}

/// The trajectories of data/fed_admm, made by plain loops over (17)-(19) and (21).
#[test]
fn the_trajectories_of_the_reference() {
    let instance = Instance::load();
    let cases: [(&str, &dyn Penalty, LocalStep, Weighting); 6] = [
        ("full_explicit_l1", &Norm1, LocalStep::Explicit, Weighting::None),
        ("full_prox_l1", &Norm1, LocalStep::Proximal, Weighting::None),
        ("full_prox_l2", &Norm2, LocalStep::Proximal, Weighting::None),
        ("mini_prox_l1", &Norm1, LocalStep::Proximal, Weighting::None),
        ("offline_known_prox_l1", &Norm1, LocalStep::Proximal, Weighting::Known),
        ("offline_est_prox_l1", &Norm1, LocalStep::Proximal, Weighting::Estimated),
    ];
    for (name, penalty, local, weighting) in cases {
        let mut nodes = instance.nodes(penalty, local, weighting);
        for t in 0..ROUNDS {
            instance.round(name, t, &mut nodes);
            if t + 1 == 5 {
                let models = nodes.iter().flat_map(|n| n.params.iter().copied());
                assert_near("theta(5)", models, &format!("{name}_theta_t5"));
                if name.starts_with("full") {
                    let file = format!("{name}_alpha_ij_t5");
                    assert_near("alpha(5)", instance.alphas(&nodes).into_iter(), &file);
                }
            }
        }
        let models = nodes.iter().flat_map(|n| n.params.iter().copied());
        assert_near("theta(T)", models, &format!("{name}_theta_T"));
        let means = nodes.iter().flat_map(|n| n.answer().to_vec());
        assert_near("mean", means, &format!("{name}_avg_T"));
    }
}
