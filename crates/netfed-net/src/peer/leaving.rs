//! Looks that do not come to their end: left because a member is away, begun anew, or passed by.

use tracing::debug;

use super::looks::GO_ON;
use super::nodes::set_nodes;
use super::{Look, Peer};
use crate::state::Posted;
use crate::transport::Transport;
use crate::wire::Kind;

impl<T: Transport> Peer<'_, T> {
    /// Leaves a look that cannot come to its end, because a neighbor is away or another member says
    /// so; whether it did. The others are told, and leave it, too. (Out of lock step every exchange
    /// that one end has begun is brought to its end during a look, so that both ends look at the
    /// same duals.)
    pub(super) fn leave_look(&mut self) -> bool {
        let Some(round) = self.look.as_ref().map(|look| look.point.round) else { return false };
        if self.rules.lock_step() {
            return false;
        }
        let told = self.links.iter().find_map(|l| l.inbox.get(&(Kind::Leave, round)));
        let away = (0..self.links.len()).find(|&l| self.misses(l) && self.excused(l));
        let away = away.map(|l| self.plan.links[l].member as f64);
        let Some(member) = told.map(|told| told.numbers[0]).or(away) else { return false };
        self.leave(round, member);
        true
    }

    /// Leaves the look of a round, and tells the others because of which member.
    fn leave(&mut self, round: u64, member: f64) {
        debug!(round, "leaves a look that someone is missing from");
        for link in 0..self.links.len() {
            self.post(link, Kind::Leave, round, Posted { check: 0, numbers: vec![member] });
        }
        if round >= self.rules.rounds {
            if let Some(Look { point, .. }) = &self.look {
                set_nodes(&mut self.nodes, self.rules.dim, &point.params, &point.duals);
            }
            self.finished = true;
        }
        self.drop_look();
    }

    /// A link has a new beginning. A look is about that, too, or it is left if this member has
    /// already summed it up.
    pub(super) fn look_anew(&mut self, link: usize) {
        match self.look.as_ref().map(|look| (look.point.round, look.point.summed)) {
            Some((round, true)) => self.leave(round, self.plan.links[link].member as f64),
            _ => self.look_again(link),
        }
    }

    /// Goes on from a look that is open. If this member has summed it up, the root may still say
    /// that it was met. If not, the root never will, and the members below are told so.
    fn drop_look(&mut self) {
        let Some(look) = self.look.take() else { return };
        if look.point.summed && self.plan.parent.is_some() {
            self.undecided = Some(look);
        } else if !self.is_passed_on(look.point.round) {
            self.pass_on(look.point.round, &[GO_ON]);
        }
    }

    /// Whether a member has gone to a look of this round, or left it.
    fn furthest_look(&self) -> u64 {
        let looks = self.links.iter().flat_map(|l| l.inbox.keys());
        let looks = looks.filter(|k| matches!(k.0, Kind::Look | Kind::Leave)).map(|k| k.1);
        looks.filter(|&round| round <= self.rules.rounds).max().unwrap_or(0)
    }

    /// Where members are not in lock step, the first one to reach a look takes the others along,
    /// also from an earlier look; whether it did.
    pub(super) fn catch_up(&mut self) -> bool {
        let ahead = self.furthest_look();
        // Not before it has told everyone where it begins.
        let to_meet = self.rules.meets && self.round == 0;
        if to_meet || self.rules.lock_step() || ahead <= self.round {
            return false;
        }
        self.drop_look();
        (self.round, self.next_look) = (ahead, ahead);
        true
    }
}
