//! The largest message. It follows from the description, so that nobody can make a member, a router
//! or the organizer put together more: the engine drops the pieces of a message as soon as they are
//! too many.

use crate::description::Federation;
use crate::plan::{LinkPlan, Plan};
use crate::sealed::OVERHEAD;
use crate::wire::HEAD;

/// Room for all that does not grow with the models: certificates and signatures, what the engine
/// itself says.
const ROOM: usize = 64 << 10;
/// Bytes of a status about one neighbor, at most.
const STATUS: usize = 256;
/// Bytes of messages that wait to be read, about.
const WAITING_BYTES: usize = 64 << 20;

/// Bytes of the largest message to a member with models of `size` numbers; signed texts are no
/// longer than twice the description.
pub(super) fn of_member(federation: &Federation, plan: &Plan, size: usize) -> usize {
    let vectors = plan.links.iter().map(LinkPlan::copied).max().unwrap_or(0);
    let models = HEAD + OVERHEAD + 8 * vectors * size;
    models.max(2 * federation.bytes) + ROOM
}

/// Bytes of the largest message that a router passes on.
pub(super) fn of_router(federation: &Federation, size: usize) -> usize {
    let members = 0..federation.description.members.len();
    let plan = |m| Plan::new(&federation.graph, &federation.host, m);
    let most = members.map(|m| of_member(federation, &plan(m), size)).max().unwrap_or(0);
    most.max(of_observer(federation))
}

/// Bytes of the largest answer about a status.
pub(super) fn of_observer(federation: &Federation) -> usize {
    STATUS * federation.description.members.len() + ROOM
}

/// Messages of at most this many bytes that may wait to be read; more are dropped, and asked for
/// again.
pub(super) fn waiting(most: usize) -> usize {
    (WAITING_BYTES / most).clamp(16, 256)
}
