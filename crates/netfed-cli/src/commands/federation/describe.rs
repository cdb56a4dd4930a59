//! The description of a federation, from the flags of the one who founds it.

use netfed::{Edges, Spec};
use netfed_io::read_edges;
use netfed_net::description::{self, Description, Learning, Method, Problem, Serving};

use super::init::Init;
use super::{founders, relaxing};
use crate::failure::Failure;
use crate::given::{Columns, Given};

/// The description.
pub(super) fn describe(args: &Init, given: Given, method: Method) -> Result<Description, Failure> {
    let served = method.serves();
    let graph = match &args.given.files.graph {
        Some(graph) => read_edges(graph)?,
        None if served && args.members.is_some() => Edges::default(),
        None => return Err(Failure::input("no file of edges given; say --graph FILE.".into())),
    };
    let graph = graph.and_nodes(args.server.clone());
    let rows = founders::rows(args, &graph)?;
    let routers = args.routers.iter().map(|r| founders::router(r)).collect::<Result<_, _>>()?;
    let clients: Vec<String> = rows.iter().map(|r| r.node.clone()).collect();
    let relaxes = method == Method::FedRelax;
    let relax = relaxes.then(|| relaxing::describe(args, &clients)).transpose()?;
    let members = founders::members(rows)?;
    let coupled = !served && !relaxes;
    let tolerance = given.spec.tol.filter(|_| coupled).unwrap_or(0.0);
    let rounds = given.spec.max_iter.unwrap_or(match method {
        Method::FedRelax => 10,
        Method::Ppgl => 50,
        _ if served || tolerance == 0.0 => 1000,
        _ => 100_000,
    });
    Ok(Description {
        name: args.name.clone(),
        version: 1,
        follows: None,
        // Round 0 of FedRelax trains everyone alone.
        rounds: match method {
            _ if served => 2 * rounds + 1,
            Method::FedRelax => rounds + 1,
            _ => rounds,
        },
        tolerance,
        method,
        settings: Spec::VERSION,
        relax,
        learning: (method == Method::Ppgl).then_some(Learning {
            alpha: 1.0,
            beta: args.beta.unwrap_or(0.01),
            zeta: 0.01,
            nu: args.nu.unwrap_or(3.0),
        }),
        server: args.server.as_ref().map(|node| serving(args, node, method)),
        // Nothing travels that nobody asks for.
        tell_gap: coupled && (args.tell_gap || (tolerance > 0.0 && !args.hide_gap)),
        away: args.away.clone(),
        patience_seconds: args.patience,
        staleness: args.staleness.unwrap_or(0),
        problem: problem(given)?,
        graph: edges(args.server.as_ref().filter(|_| served), clients, &graph),
        routers,
        members,
    })
}

/// The work of a round with a server.
fn serving(args: &Init, node: &str, method: Method) -> Serving {
    let learns = method == Method::Ppgl;
    Serving {
        node: node.to_owned(),
        rate: args.rate.or((!learns).then_some(0.01)),
        steps: args.steps.unwrap_or(if learns { 5 } else { 1 }),
        models: args.models.unwrap_or(2),
        fraction: args.fraction.unwrap_or(1.0),
    }
}

/// The edges by names; with a server everyone is joined to it.
fn edges(server: Option<&String>, clients: Vec<String>, graph: &Edges) -> description::Edges {
    let name_of = |i: u32| graph.nodes()[i as usize].clone();
    let edges = match server {
        Some(server) => {
            let others = clients.into_iter().filter(|node| node != server);
            others.map(|node| (server.clone(), node, 1.0)).collect()
        }
        None => graph.pairs().iter().map(|&(a, b, w)| (name_of(a), name_of(b), w)).collect(),
    };
    description::Edges { edges }
}

/// What members solve together. Tolerance and rounds stand beside it.
fn problem(given: Given) -> Result<Problem, Failure> {
    let Given { files, columns, mut spec, .. } = given;
    (spec.tol, spec.max_iter) = (None, None);
    if let Some(text) = &files.availability {
        spec.availability = Some(text.parse().map_err(|_| {
            Failure::input("in a federation --availability is one number, and goes with fed-admm; for real drop-outs there are --away and --async.".into())
        })?);
    }
    if files.penalty_matrix.is_some() {
        return Err(Failure::input(
            "the quadratic penalty is not there for federations yet.".into(),
        ));
    }
    let Columns { node_column, target, features } = columns;
    let columns = description::Columns { node_column, target, features };
    Ok(Problem::new(columns, spec))
}
