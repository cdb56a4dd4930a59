//! The baselines against reference iterates, against Table I of "Networked Federated Learning" as
//! it was run, and driven by hand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

use netfed::Status;
use netfed::baselines::{
    Answer, Client, Clients, GossipNode, IfcaClient, IfcaServer, LocalSteps, Rate, Rounds, Server,
    Weighting, fed_avg, gossip, ifca, ifca_from_random, oracle, pooled, random_start,
};
use netfed::generate::{Noise, clustered, linear_data, random, stochastic_block_model};
use netfed::loss::Sampled;
use netfed::penalty::Norm2;
use netfed::{Dataset, Graph, Half, LossKind, Matrix, Problem};
use rand::RngExt;

fn problem(graph: Graph, data: &[Dataset]) -> Problem {
    let losses = data.iter().map(|d| LossKind::Squared.build(d.clone(), 0.0, 0.0).unwrap());
    Problem::new(graph, losses.collect(), Box::new(Norm2), 0.0).unwrap()
}

/// All numbers of a file of `data/fedavg_ifca`.
fn numbers(name: &str) -> Vec<f64> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/fedavg_ifca");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.split(['\n', ',']).filter(|c| !c.is_empty()).map(|c| c.trim().parse().unwrap()).collect()
}

fn reference() -> Problem {
    let (x, y) = (numbers("X.csv"), numbers("y.csv"));
    let node = |i: usize| {
        Dataset::new(4, x[48 * i..48 * (i + 1)].to_vec(), y[12 * i..12 * (i + 1)].to_vec())
    };
    let data: Vec<Dataset> = (0..15).map(|i| node(i).unwrap()).collect();
    problem(Graph::new(15, &[]).unwrap(), &data)
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off <= tolerance, "{what}: {off:e}");
}

fn fixed(max_rounds: u64) -> Rounds {
    Rounds { max_rounds, tolerance: 0.0, ..Rounds::default() }
}

#[test]
fn fed_avg_has_the_reference_iterates() {
    let problem = reference();
    let clients = Clients::new(&problem);
    let start = numbers("w0_fedavg.csv");
    let run = |rounds| fed_avg(&clients, &start, &LocalSteps::default(), &fixed(rounds)).unwrap();
    assert_near(run(100).params.row(7), &numbers("fedavg_gd_100.csv"), 1e-12, "after 100 steps");
    let limit = numbers("fedavg_limit.csv");
    assert_near(run(5000).params.row(0), &limit, 1e-10, "after 5000 steps");
    let exact = pooled(&problem, Weighting::Points).unwrap();
    assert_near(exact.params.row(0), &limit, 1e-12, "pooled");
}

#[test]
fn ifca_has_the_reference_iterates_and_choices() {
    let problem = reference();
    let clients = Clients::new(&problem);
    let start = Matrix::from_rows(4, numbers("w0_ifca.csv")).unwrap();
    let run = |rounds| ifca(&clients, &start, &LocalSteps::default(), &fixed(rounds)).unwrap();
    for step in [1, 50, 2000] {
        let models = numbers(&format!("ifca_gd_w_{step}.csv"));
        assert_near(run(step).models.as_slice(), &models, 1e-10, &format!("step {step}"));
        // The choices at the start of a step are those for the models before it.
        let choices: Vec<f64> = run(step - 1).of_node.iter().map(|&k| k as f64).collect();
        assert_eq!(choices, numbers(&format!("ifca_gd_assign_{step}.csv")), "step {step}");
    }
}

/// Mean over all points of (y − wᵢᵀx)².
fn label_error(data: &[Dataset], params: &Matrix) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for (i, d) in data.iter().enumerate() {
        for (x, y) in d.rows().zip(d.labels()) {
            let t: f64 = x.iter().zip(params.row(i)).map(|(x, w)| x * w).sum();
            sum += (y - t).powi(2);
            count += 1;
        }
    }
    sum / f64::from(count)
}

/// What Table I is about: FedAvg's and IFCA's label errors, and the number of parameters in which
/// the two clusters differ.
struct Table1 {
    fed_avg: f64,
    /// FedAvg with the local steps of the authors: the mean of prox_{τL}(w) over all nodes, τ =
    /// m/25 with about 25 neighbors.
    proximal: f64,
    ifca: Option<f64>,
    differing: f64,
}

/// Table I as the authors ran it: two clusters of 50 nodes, w̄ ∈ {0, 1}^d with d = 1000, m = 100,
/// noise .001 per node.
fn table1(draw: u64, first_start: u64, starts: u64) -> Table1 {
    let dim = 1000;
    let mut random = random(draw);
    let entries = (0..2 * dim).map(|_| f64::from(u8::from(random.random_bool(0.5)))).collect();
    let centers = Matrix::from_rows(dim, entries).unwrap();
    let differing: f64 =
        centers.row(0).iter().zip(centers.row(1)).map(|(a, b)| (a - b).abs()).sum();
    let truth = clustered(&[50, 50], &centers).unwrap();
    let data = linear_data(&truth, 100, Noise::PerNode(1e-3), draw + 1000).unwrap();
    let problem = problem(Graph::new(100, &[]).unwrap(), &data);
    let clients = Clients::new(&problem);
    let work = LocalSteps { rate: Rate::Constant(0.25), ..LocalSteps::default() };
    let rounds =
        Rounds { max_rounds: 1000, tolerance: 1e-9, seed: first_start, ..Rounds::default() };
    let common = fed_avg(&clients, &vec![0.0; dim], &work, &rounds).unwrap();
    assert_eq!(common.trace.status, Status::Settled);
    let ifca = (starts > 0).then(|| {
        let found = ifca_from_random(&clients, 2, starts, &work, &rounds).unwrap();
        assert_eq!(found.outcome.trace.status, Status::Settled);
        label_error(&data, &found.outcome.params)
    });
    let (mut model, mut step) = (common.params.row(0).to_vec(), vec![0.0; dim]);
    for _ in 0..100 {
        let mut mean = vec![0.0; dim];
        for i in 0..data.len() {
            problem.loss(i).prox(&model, 4.0, &mut step);
            mean.iter_mut().zip(&step).for_each(|(m, w)| *m += w / data.len() as f64);
        }
        model = mean;
    }
    let everywhere = Matrix::from_rows(dim, model.repeat(data.len())).unwrap();
    Table1 {
        proximal: label_error(&data, &everywhere),
        fed_avg: label_error(&data, &common.params),
        ifca,
        differing,
    }
}

/// One model for two clusters is off by ±½(w̄₁ − w̄₂)ᵀx, of which the fit of 1000 parameters to
/// 10,000 points takes a tenth: about .225 times the number of differing parameters, 112.5 on
/// average. The paper's 117.09 is that of a draw with 520. IFCA is left with the noise, less the
/// fifth that 1000 parameters take of 5000 points: about 8e-7.
#[test]
fn table_1_as_it_was_run() {
    // A start that separates the clusters; about half of them do.
    let found = table1(3, 3, 1);
    let expected = 0.225 * found.differing;
    assert!((found.fed_avg / expected - 1.0).abs() < 0.03, "{} {expected}", found.fed_avg);
    assert!((100.0..125.0).contains(&found.fed_avg), "{}", found.fed_avg);
    // Least squares has the least label error; proximal steps come near it.
    assert!((1.0..1.02).contains(&(found.proximal / found.fed_avg)), "{}", found.proximal);
    let ifca = found.ifca.unwrap();
    assert!(NOISE_LEFT.contains(&ifca), "{ifca:e}");
}

/// About 8e-7, and three standard deviations of the mean square of 100 draws of noise.
const NOISE_LEFT: std::ops::Range<f64> = 4.6e-7..11.4e-7;

/// The figures of docs/baselines.md: cargo test -p netfed --test baselines draws_of_table_1 --
/// --ignored --nocapture
#[test]
#[ignore = "takes minutes"]
fn draws_of_table_1() {
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for draw in 0..24 {
        let Table1 { fed_avg, proximal, differing, .. } = table1(draw, 0, 0);
        eprintln!("{draw}: {differing} differ, FedAvg {fed_avg:.2}, {proximal:.2}");
        all.iter_mut().zip([differing, fed_avg, proximal]).for_each(|(v, x)| v.push(x));
    }
    // The one draw of the paper is not known; its 117.09 lies within ours, for both kinds of steps.
    for errors in &all[1..] {
        assert!(errors.iter().any(|e| *e < 117.09) && errors.iter().any(|e| *e > 117.09));
    }
    for values in all {
        let mean = values.iter().sum::<f64>() / 24.0;
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 23.0;
        eprintln!("mean {mean:.2}, standard deviation {:.2}", square.sqrt());
    }
}

/// IFCA on eight of them; takes longer.
#[test]
#[ignore = "takes many minutes"]
fn eight_draws_of_table_1_with_ifca() {
    for draw in 0..8 {
        let Table1 { fed_avg, ifca, differing, .. } = table1(draw, 0, 10);
        eprintln!("{draw}: {differing} differ, FedAvg {fed_avg:.2}, IFCA {ifca:?}");
        assert!(ifca.is_some_and(|error| NOISE_LEFT.contains(&error)));
    }
}

/// Nodes of two kinds, with 3 to 9 points and 5 parameters.
fn small() -> (Vec<Dataset>, Graph) {
    let centers = random_start(2, 5, 3).unwrap();
    let truth = clustered(&[8, 8], &centers).unwrap();
    let full = linear_data(&truth, 9, Noise::PerPoint(0.3), 4).unwrap();
    let cut = |(i, d): (usize, &Dataset)| {
        let m = if i == 5 { 0 } else { 3 + i % 7 };
        Dataset::new(5, d.features()[..5 * m].to_vec(), d.labels()[..m].to_vec()).unwrap()
    };
    let data = full.iter().enumerate().map(cut).collect();
    (data, stochastic_block_model(&[8, 8], 0.6, 0.2, 5).unwrap())
}

fn points(data: &[Dataset]) -> Vec<Sampled> {
    data.iter().map(|d| Sampled::new(LossKind::Squared, d.clone(), 0.0, 0.0).unwrap()).collect()
}

const WORK: LocalSteps =
    LocalSteps { steps: 3, rate: Rate::InverseRoot(0.05), batch: Some(2), seed: 8 };

#[test]
fn halves_driven_by_hand_give_the_same_bits() {
    let (data, graph) = small();
    let (problem, points) = (problem(graph.clone(), &data), points(&data));
    let clients = Clients::with_points(&problem, &points).unwrap();
    let weights: Vec<f64> = (0..16).map(|i| Weighting::Points.of(problem.loss(i))).collect();
    let rounds = Rounds { fraction: 0.4, seed: 11, ..fixed(12) };

    // With a server: IFCA. Whoever takes part is known to everyone from the seed.
    let start = random_start(3, 5, 1).unwrap();
    let driven = ifca(&clients, &start, &WORK, &rounds).unwrap();
    let mut server = IfcaServer::new(weights.clone(), start.clone());
    let able: Vec<usize> = (0..16).filter(|&i| weights[i] > 0.0).collect();
    for round in 0..12 {
        let chosen = netfed::sampling::participants(11, round, &able, 6);
        let answer = |&node: &usize| {
            let mut client = IfcaClient::new(clients.data(node), WORK);
            Answer { node, values: client.answer(round, server.message()).0 }
        };
        let answers: Vec<Answer> = chosen.iter().map(answer).collect();
        server.absorb(round, &answers);
    }
    assert_eq!(server.message(), driven.models.as_slice());
    let last = IfcaClient::new(clients.data(9), WORK).model(server.message());
    assert_eq!(last, driven.outcome.params.row(9));

    // Between neighbors: gossip, nodes in reverse order.
    let driven = gossip(&clients, &[0.1; 5], &WORK, 12, 0.0).unwrap();
    let node = |i: usize| {
        let slots = graph.incident(i).iter();
        let degrees: Vec<usize> = slots.map(|s| graph.degree(s.neighbor())).collect();
        GossipNode::new(clients.data(i), WORK, &degrees, vec![0.1; 5])
    };
    let mut nodes: Vec<GossipNode<'_>> = (0..16).map(node).collect();
    for _ in 0..12 {
        let mut messages = vec![vec![0.0; 5]; 16];
        (0..16).rev().for_each(|i| nodes[i].compute(&mut messages[i]));
        for i in (0..16).rev() {
            // Half way, the node is started again from what it remembers.
            let mut other = node(i);
            for (slot, inc) in graph.incident(i).iter().enumerate().rev() {
                other.set(nodes[i].params(), &[]);
                assert!(other.remember(&nodes[i].memory()));
                std::mem::swap(&mut nodes[i], &mut other);
                nodes[i].absorb(slot, &messages[i], &messages[inc.neighbor()]);
            }
        }
    }
    (0..16).for_each(|i| assert_eq!(nodes[i].params(), driven.params.row(i), "{i}"));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    // Large enough for several threads to be used: 20 nodes with 60 · 40 entries.
    let truth = clustered(&[10, 10], &random_start(2, 60, 3).unwrap()).unwrap();
    let data = linear_data(&truth, 40, Noise::PerPoint(0.3), 4).unwrap();
    let graph = stochastic_block_model(&[10, 10], 0.6, 0.2, 5).unwrap();
    let (problem, points) = (problem(graph, &data), points(&data));
    let clients = Clients::with_points(&problem, &points).unwrap();
    let work = LocalSteps { rate: Rate::Constant(0.002), ..WORK };
    let all = || {
        let rounds = Rounds { fraction: 0.5, ..fixed(8) };
        let a = fed_avg(&clients, &[0.0; 60], &work, &rounds).unwrap();
        let b = ifca(&clients, &random_start(2, 60, 2).unwrap(), &work, &rounds).unwrap();
        let c = gossip(&clients, &[0.0; 60], &work, 8, 0.0).unwrap();
        let clusters: Vec<usize> = (0..20).map(|i| i / 10).collect();
        (a, b, c, oracle(&problem, &clusters, Weighting::Points).unwrap())
    };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(all)
    };
    let one = with(1);
    assert_eq!(one.0.trace.status, Status::MaxRounds);
    assert_eq!(one, with(4));
}
