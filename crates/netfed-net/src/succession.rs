//! What a member takes along into a later version of its federation.
//!
//! Nodes that stay keep their models, and edges that stay the copies of their duals at both ends;
//! an edge that goes takes its duals away, and a new one begins at zero. Nodes are known by their
//! names. A new node begins at zero here, and then from the mean of its neighbors' models when the
//! members meet (`peer/meeting.rs`).
//!
//! A state says under which version it was made, by its id; the description of that version lies
//! beside it. So a peer goes on under it until it takes over, whatever lies in its folder by then.

use std::fs;
use std::path::{Path, PathBuf};

use netfed::Half;

use crate::authority;
use crate::description::{DESCRIPTION, Federation};
use crate::error::Error;
use crate::plan::Plan;
use crate::signed::{Signed, hex};
use crate::state::{State, Store};
use crate::wire::FederationId;

/// The version of a federation that a member goes by now, and, where it takes that over, the one
/// before with the state that it came to.
pub struct Stage {
    /// The version to go by.
    pub federation: Federation,
    /// What is taken along into it.
    pub before: Option<(Federation, State)>,
    /// Its description, where it does not lie beside the state yet.
    signed: Option<Signed>,
}

impl Stage {
    /// Finds out from the member's folder and from the folder of its state. A later version is
    /// taken over once this member has made way for it (`made_way`) or has finished.
    pub fn of(folder: &Path, state: &Path, made_way: bool) -> Result<Stage, Error> {
        authority::check_signature(folder)?;
        let newest = Federation::read(folder)?;
        let id = match Store::version_in(state)? {
            Some(id) if id != newest.id => id,
            _ if made_way => {
                return Err(Error::Invalid(format!(
                    "{}: the later version that this member has made way for is not there; get it from the organizer.",
                    folder.join(DESCRIPTION).display()
                )));
            }
            _ => {
                let signed = Some(Signed::read(&folder.join(DESCRIPTION))?);
                return Ok(Stage { federation: newest, before: None, signed });
            }
        };
        let earlier = kept_version(folder, state, id, &newest)?;
        if newest.takes_over(&earlier).is_none() {
            // An older description was put back into the folder: the state knows better.
            return Ok(Stage { federation: earlier, before: None, signed: None });
        }
        let taken = Store::open(state, id)?.load()?;
        match taken.filter(|taken| made_way || taken.finished) {
            Some(taken) => {
                let signed = Some(Signed::read(&folder.join(DESCRIPTION))?);
                Ok(Stage { federation: newest, before: Some((earlier, taken)), signed })
            }
            None => Ok(Stage { federation: earlier, before: None, signed: None }),
        }
    }

    /// Keeps the description beside the state that will be made under it.
    pub fn keep(&self, state: &Path) -> Result<(), Error> {
        fs::create_dir_all(state).map_err(Error::file(state, "make the folder"))?;
        let path = kept(state, self.federation.id);
        match &self.signed {
            Some(signed) if !path.exists() => signed.write(&path),
            _ => Ok(()),
        }
    }
}

/// The description of an earlier version, which lies beside the state that was made under it.
fn kept_version(
    folder: &Path,
    state: &Path,
    id: FederationId,
    newest: &Federation,
) -> Result<Federation, Error> {
    let path = kept(state, id);
    let foreign = || {
        Error::Invalid(format!(
            "{}: this state belongs to another federation, or to another version of its description.",
            state.join("state").display()
        ))
    };
    if !path.exists() {
        return Err(foreign());
    }
    let signed = Signed::read(&path)?;
    let earlier = Federation::parse(&signed.text)
        .map_err(|e| Error::Invalid(format!("{}: {e}", path.display())))?;
    if signed.is_by(&authority::public_key(folder)?) && earlier.root == newest.root {
        Ok(earlier)
    } else {
        Err(foreign())
    }
}

fn kept(state: &Path, id: FederationId) -> PathBuf {
    state.join(hex(&id) + ".toml")
}

/// Brings the halves of a member's nodes to where they were in an earlier version. False: the state
/// does not fit that version.
pub fn carry_over(
    state: &State,
    earlier: &Federation,
    (later, new): (&Federation, &Plan),
    member: &str,
    halves: &mut [Box<dyn Half + '_>],
) -> bool {
    let Some(member) = earlier.member(member) else { return false };
    let old = &Plan::new(&earlier.graph, &earlier.host, member);
    let Some(dim) = halves.first().map(|half| half.params().len()) else { return true };
    let degree = |&node: &usize| earlier.graph.incident(node).len();
    let slots: usize = old.nodes.iter().map(degree).sum();
    if state.params.len() != dim * old.nodes.len() || state.duals.len() != dim * slots {
        return false;
    }
    let mut duals: Vec<Vec<f64>> = Vec::new();
    let mut params: Vec<Vec<f64>> = Vec::new();
    for &node in &new.nodes {
        let named = |&at: &usize| earlier.nodes[at] == later.nodes[node];
        let place = old.nodes.iter().position(named);
        let before = place.map(|k| old.nodes[..k].iter().map(degree).sum::<usize>());
        let model = place.map(|k| state.params[k * dim..][..dim].to_vec());
        params.push(model.unwrap_or_else(|| vec![0.0; dim]));
        let mut own = Vec::new();
        for edge in later.graph.incident(node) {
            let to = &later.nodes[edge.neighbor()];
            let same = place.zip(before).and_then(|(k, first)| {
                let slots = earlier.graph.incident(old.nodes[k]).iter();
                let slot = slots.clone().position(|e| earlier.nodes[e.neighbor()] == *to)?;
                Some(&state.duals[(first + slot) * dim..][..dim])
            });
            match same {
                Some(dual) => own.extend(dual),
                None => own.extend(std::iter::repeat_n(0.0, dim)),
            }
        }
        duals.push(own);
    }
    // An edge between two nodes here, one of which was elsewhere.
    for &[(a, slot_a), (b, slot_b)] in &new.inner {
        let (at_a, at_b) = (slot_a * dim..(slot_a + 1) * dim, slot_b * dim..(slot_b + 1) * dim);
        if duals[a][at_a.clone()] != duals[b][at_b.clone()] {
            duals[a][at_a].fill(0.0);
            duals[b][at_b].fill(0.0);
        }
    }
    for (half, (params, duals)) in halves.iter_mut().zip(params.iter().zip(&duals)) {
        // A new node without edges is best where its half begins.
        if params.iter().any(|w| *w != 0.0) || !duals.is_empty() {
            half.begin(params, duals);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use netfed::penalty::Norm2;
    use netfed::{Dataset, Link, LossKind, PrimalDualNode};

    fn text(members: &str, edges: &str) -> String {
        let mut text = format!(
            "name = \"t\"\nmethod = \"primal-dual\"\nrounds = 10\ntolerance = 1e-6\ntell_gap = true\naway = \"wait\"\npatience_seconds = 5.0\n[problem]\n[graph]\nedges = [{edges}]\n"
        );
        for (k, nodes) in members.split('|').enumerate() {
            let quoted: Vec<String> = nodes.split(',').map(|n| format!("\"{n}\"")).collect();
            let (port, nodes) = (k + 1, quoted.join(", "));
            let name = if quoted.len() > 1 { "m".into() } else { format!("m{port}") };
            text += &format!(
                "[[members]]\nname = \"{name}\"\nendpoint = \"quic/h:{port}\"\nnodes = [{nodes}]\n"
            );
        }
        text
    }

    #[test]
    fn models_and_duals_go_along_by_name() {
        // One member holds b and c; d goes, a comes, and c gets an edge to a.
        let one = Federation::parse(&text(
            "b,c|d",
            "[\"b\", \"c\", 1.0], [\"b\", \"d\", 1.0], [\"c\", \"d\", 1.0]",
        ))
        .unwrap();
        let two = Federation::parse(&text(
            "a|b,c",
            "[\"a\", \"c\", 1.0], [\"b\", \"c\", 2.0], [\"a\", \"b\", 1.0]",
        ))
        .unwrap();
        let new = Plan::new(&two.graph, &two.host, 1);
        let loss = LossKind::Squared.build(Dataset::empty(1), 0.0, 0.0).unwrap();
        let node = |&i: &usize| -> Box<dyn Half> {
            let links = Link::of_node(&two.graph, 1.0, i);
            Box::new(PrimalDualNode::new(loss.as_ref(), &Norm2, links, 1.0))
        };
        let mut kept: Vec<Box<dyn Half>> = new.nodes.iter().map(node).collect();
        let state = State {
            params: vec![1.0, 2.0],
            // b: to c, d; c: to b, d.
            duals: vec![0.25, 0.5, 0.25, 0.75],
            ..State::default()
        };
        assert!(carry_over(&state, &one, (&two, &new), "m", &mut kept));
        let seen: Vec<(f64, Vec<f64>)> =
            kept.iter().map(|h| (h.params()[0], h.duals().to_vec())).collect();
        let dual = |k: usize, other: &str| {
            let mut edges = two.graph.incident(new.nodes[k]).iter();
            seen[k].1[edges.position(|e| two.nodes[e.neighbor()] == other).unwrap()]
        };
        assert_eq!((seen[0].0, seen[1].0), (1.0, 2.0));
        assert_eq!((dual(0, "c"), dual(0, "a")), (0.25, 0.0));
        assert_eq!((dual(1, "b"), dual(1, "a")), (0.25, 0.0));
        let short = State { params: vec![1.0], ..state };
        assert!(!carry_over(&short, &one, (&two, &new), "m", &mut kept));
    }
}
