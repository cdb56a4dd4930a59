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

/// The trajectories of data/fed_admm, made by plain loops over (17)-(19) and (21). Their loss has a
/// factor ½, netfed's has not: λ, ρ and the duals are twice as large here, the steps half as long.
#[test]
fn the_trajectories_of_the_reference() {
    let (x, y) = (table("X").concat(), table("y").concat());
    let data = |i: usize| {
        let features = x[i * POINTS * DIM..][..POINTS * DIM].to_vec();
        Dataset::new(DIM, features, y[i * POINTS..][..POINTS].to_vec()).unwrap()
    };
    let edges = table("edges");
    // Theirs run from the larger node to the smaller one.
    let list: Vec<(usize, usize, f64)> =
        edges.iter().map(|e| (e[1] as usize, e[0] as usize, 1.0)).collect();
    let graph = Graph::new(NODES, &list).unwrap();
    let losses: Vec<_> =
        (0..NODES).map(|i| LossKind::Squared.build(data(i), 0.0, 0.0).unwrap()).collect();
    let points: Vec<_> =
        (0..NODES).map(|i| Sampled::new(LossKind::Squared, data(i), 0.0, 0.0).unwrap()).collect();
    let (batches, online) = (table("batches"), table("online"));
    let there = table("p_online").concat();
    let cases: [(&str, &dyn Penalty, LocalStep, Weighting); 6] = [
        ("full_explicit_l1", &Norm1, LocalStep::Explicit, Weighting::None),
        ("full_prox_l1", &Norm1, LocalStep::Proximal, Weighting::None),
        ("full_prox_l2", &Norm2, LocalStep::Proximal, Weighting::None),
        ("mini_prox_l1", &Norm1, LocalStep::Proximal, Weighting::None),
        ("offline_known_prox_l1", &Norm1, LocalStep::Proximal, Weighting::Known),
        ("offline_est_prox_l1", &Norm1, LocalStep::Proximal, Weighting::Estimated),
    ];
    for (name, penalty, local, weighting) in cases {
        let settings =
            FedAdmm { rho: 2.0 * 0.5, kappa: 0.5 * 1.5, local, weighting, ..FedAdmm::default() };
        let mut nodes: Vec<FedAdmmNode<'_>> = (0..NODES)
            .map(|i| {
                let device = Device {
                    node: i,
                    loss: losses[i].as_ref(),
                    points: Some(&points[i]),
                    availability: there[i],
                };
                let links = Link::of_node(&graph, 2.0 * 0.05, i);
                FedAdmmNode::new(device, penalty, links, settings)
            })
            .collect();
        for t in 0..ROUNDS {
            for (i, node) in nodes.iter_mut().enumerate() {
                let rows: Vec<usize> =
                    batches[t][4 * i..][..4].iter().map(|r| *r as usize).collect();
                let rows = (!name.starts_with("full")).then_some(rows);
                let present = !name.starts_with("offline") || online[t][i] == 1.0;
                node.advance(None, present, rows.as_deref());
            }
            let messages: Vec<Vec<f64>> = nodes.iter().map(|n| n.params.clone()).collect();
            for (i, node) in nodes.iter_mut().enumerate() {
                for (slot, inc) in graph.incident(i).iter().enumerate() {
                    node.absorb(slot, &messages[i], &messages[inc.neighbor()]);
                }
            }
            let models = || nodes.iter().flat_map(|n| n.params.iter().copied());
            if t + 1 == 5 {
                assert_near("theta(5)", models(), &format!("{name}_theta_t5"));
                if name.starts_with("full") {
                    // α at the larger end: the head of the edge here, where α = u; half of it in
                    // their scale.
                    let dual = |&(tail, head, _): &(usize, usize, f64)| {
                        let slot = graph.incident(tail).iter().position(|s| s.neighbor() == head);
                        nodes[tail].dual(slot.unwrap()).iter().map(|u| 0.5 * u).collect::<Vec<_>>()
                    };
                    let duals: Vec<Vec<f64>> = list.iter().map(dual).collect();
                    assert_near(
                        "alpha(5)",
                        duals.into_iter().flatten(),
                        &format!("{name}_alpha_ij_t5"),
                    );
                }
            }
        }
        let models = nodes.iter().flat_map(|n| n.params.iter().copied());
        assert_near("theta(T)", models, &format!("{name}_theta_T"));
        let means = nodes.iter().flat_map(|n| n.answer().to_vec());
        assert_near("mean", means, &format!("{name}_avg_T"));
    }
}
