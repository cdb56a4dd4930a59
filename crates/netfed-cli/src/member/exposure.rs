//! What taking part tells the neighbors about the own data, where it is more than a member may
//! expect. The experiment `leak` of netfed-papers measures it.

use netfed::{Dataset, LossKind};
use netfed_net::description::{Description, Federation, Method};

use crate::settings::Settings;

/// What travels, in one sentence.
pub(crate) fn travels(d: &Description) -> String {
    let rounds = match (&d.server, &d.relax, &d.learning) {
        (_, Some(_), _) => {
            "what models predict on the public points, to the neighbors in every round"
        }
        (_, _, Some(_)) => "graphs to the server and their consensus back, in every round",
        (Some(_), ..) => "models to the server and from it, in every round",
        _ => "models to the neighbors in every round",
    };
    let certified = d.server.is_none() && d.relax.is_none() && (d.tolerance > 0.0 || d.tell_gap);
    let told = if d.tell_gap {
        "everyone is told the sums"
    } else {
        "only the last of them is told the sums"
    };
    if certified {
        format!(
            "what travels: {rounds}; and for the certificate the loss of each member, its loss at 0 and its gap, summed up from member to member; {told}"
        )
    } else {
        format!("what travels: {rounds}; nothing else")
    }
}

/// Warnings for a member; with its data, in the order of its nodes, also about these.
pub(crate) fn warnings(
    federation: &Federation,
    settings: &Settings,
    member: usize,
    data: &[Dataset],
) -> Vec<String> {
    let d = &federation.description;
    let own: Vec<usize> =
        (0..federation.host.len()).filter(|&i| federation.host[i] == member).collect();
    let mut warnings = Vec::new();
    // Of FedRelax and PPGL predictions and graphs travel, whoever else there is.
    if d.relax.is_none() && d.learning.is_none() {
        for &node in &own {
            let Some(them) = only_neighbor(federation, node) else { continue };
            let what = match d.method {
                Method::PrimalDual if settings.spec.loss_kind() == LossKind::Squared => {
                    "XᵀX/m and Xᵀy/m of its data from the messages, and a single data point itself"
                }
                Method::PrimalDual => "the gradients of its loss from the messages",
                _ => "from the messages what its data do to its model in every round",
            };
            warnings.push(format!(
                "all edges of \"{}\" lead to \"{}\", which can compute {what}; see the threat model in docs/federation.md",
                federation.nodes[node], d.members[them].name
            ));
        }
    }
    for (&node, data) in own.iter().zip(data) {
        let (points, dim) = (data.points(), data.dim());
        if (1..dim).contains(&points) {
            warnings.push(format!(
                "\"{}\" has {points} data {} for {dim} parameters; what is trained on so few tells much about each of them",
                federation.nodes[node],
                if points == 1 { "point" } else { "points" }
            ));
        }
    }
    warnings
}

/// The member to whom all edges of a node lead, if it is another one than its own.
fn only_neighbor(federation: &Federation, node: usize) -> Option<usize> {
    let mut hosts =
        federation.graph.incident(node).iter().map(|inc| federation.host[inc.neighbor()]);
    let first = hosts.next().filter(|host| *host != federation.host[node])?;
    hosts.all(|host| host == first).then_some(first)
}
