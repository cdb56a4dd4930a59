//! Looks at the certificate: models of the border are exchanged, sums go up the tree, the verdict
//! comes down.

use netfed::Share;
use tracing::{debug, info};

use super::nodes::{answers, duals, params, set_nodes};
use super::{Look, Peer, TELL};
use crate::state::{LookState, Posted};
use crate::transport::Transport;
use crate::wire::Kind;

impl<T: Transport> Peer<'_, T> {
    pub(super) fn begin_look(&mut self) {
        let round = self.round.min(self.rules.rounds);
        self.next_look = round
            + if self.rules.lock_step() {
                if self.rules.is_certified() {
                    self.rules.check_every.max(round / 20)
                } else {
                    // Only the end is left to agree on.
                    self.rules.rounds - round
                }
            } else {
                // Looks make everyone stand still.
                (10 * self.rules.check_every).max(round / 4)
            };
        let point = LookState {
            round,
            params: answers(&self.nodes),
            duals: duals(&self.nodes),
            summed: false,
        };
        self.look = Some(Look { point, own: None });
        let first = self.look_round();
        for link in &mut self.links {
            link.inbox.retain(|(kind, at), _| *kind == Kind::Step || *at >= first);
        }
        for l in 0..self.links.len() {
            if !self.links[l].pending {
                self.post_look(l);
            }
        }
        self.progress_look();
        self.be_eager();
        self.flush();
    }

    /// Tells a neighbor after how many exchanges it looks and, for a certificate, the models at the
    /// border.
    pub(super) fn post_look(&mut self, link: usize) {
        let Some(look) = &self.look else { return };
        let (dim, round) = (self.rules.dim, look.point.round);
        let sent = self.plan.links[link].sent.iter().filter(|_| self.rules.is_certified());
        let models = sent.flat_map(|&p| look.point.params[p * dim..][..dim].iter().copied());
        let numbers = models.chain([self.links[link].sequence as f64]).collect();
        let check = self.dual_hash(link);
        self.post(link, Kind::Look, round, Posted { check, numbers });
    }

    /// Goes on with the look as far as what has come allows.
    pub(super) fn progress_look(&mut self) {
        self.decide();
        let open = self.look.as_ref().filter(|look| !look.point.summed).map(|l| l.point.round);
        if let Some(round) = open.filter(|_| self.undecided.is_none()) {
            let has = |kind: Kind, l: usize| self.links[l].inbox.contains_key(&(kind, round));
            let complete = (0..self.links.len()).all(|l| self.agrees(l, round))
                && self.plan.children.iter().all(|&l| has(Kind::Sum, l));
            if complete {
                self.sum_up(round);
            }
        }
        // A verdict before one's own sum says that the look was given up.
        let due = self.look.as_ref().filter(|l| l.point.summed || !self.rules.lock_step());
        if let Some(verdict) = due.map(|l| l.point.round).and_then(|round| self.verdict(round))
            && let Some(look) = self.look.take()
        {
            self.follow(look, &verdict);
        }
    }

    /// Takes the verdict about a look that was left, if it has come. One about a later look says
    /// that it was not met.
    fn decide(&mut self) {
        let (Some(parent), Some(left)) = (self.plan.parent, &self.undecided) else { return };
        let round = left.point.round;
        let verdict = self.verdict(round);
        let later = ((Kind::Verdict, round + 1), (Kind::Verdict, u64::MAX));
        let later = self.links[parent].inbox.range(later.0..=later.1).next().is_some();
        if verdict.is_none() && !later {
            return;
        }
        let left = self.undecided.take();
        if let (Some(left), Some(verdict)) = (left, verdict.filter(|verdict| verdict[0] > GO_ON)) {
            self.look = None;
            self.follow(left, &verdict);
        }
    }

    /// The parent's verdict about a look, if it has come.
    pub(super) fn verdict(&mut self, round: u64) -> Option<Vec<f64>> {
        let parent = self.plan.parent?;
        self.links[parent].inbox.remove(&(Kind::Verdict, round)).map(|posted| posted.numbers)
    }

    /// Whether a neighbor's models for a look have come; out of lock step, about the same duals of
    /// the common edges.
    pub(super) fn agrees(&self, link: usize, round: u64) -> bool {
        let l = &self.links[link];
        let Some(theirs) = l.inbox.get(&(Kind::Look, round)) else { return false };
        let ours = || l.history.get(&(Kind::Look, round));
        self.rules.lock_step() || ours().is_some_and(|ours| ours.check == theirs.check)
    }

    /// Whether what a neighbor says at a look is about other duals after as many exchanges.
    pub(super) fn contradicts(&self, link: usize, round: u64, theirs: &Posted) -> bool {
        let ours = self.links[link].history.get(&(Kind::Look, round));
        let differ = |ours: &Posted| {
            ours.numbers.last() == theirs.numbers.last() && ours.check != theirs.check
        };
        !self.rules.lock_step() && ours.is_some_and(|ours| differ(ours))
    }

    /// Adds the own part to those of the subtree; the root decides.
    pub(super) fn sum_up(&mut self, round: u64) {
        if !self.rules.is_certified() {
            return self.agree(round);
        }
        let own = self.own_share(round);
        let mut total = own;
        for &child in &self.plan.children {
            if let Some(sum) = self.links[child].inbox.remove(&(Kind::Sum, round)) {
                total.add(&share_from(&sum.numbers));
            }
        }
        if let Some(look) = &mut self.look {
            look.point.summed = true;
            look.own = Some(own);
        }
        match self.plan.parent {
            Some(parent) => {
                let posted = Posted { check: 0, numbers: share_numbers(&total).to_vec() };
                self.post(parent, Kind::Sum, round, posted);
            }
            None => {
                self.total = Some(total);
                let met = total.accuracy() <= self.rules.tolerance;
                let mut verdict = vec![match (met, total.proven_gap().is_finite()) {
                    (false, _) => GO_ON,
                    (true, true) => CONVERGED,
                    (true, false) => UNPROVEN,
                }];
                if self.rules.tell_gap {
                    verdict.extend(share_numbers(&total));
                }
                self.pass_on(round, &verdict);
                if let Some(look) = self.look.take() {
                    self.follow(look, &verdict);
                }
            }
        }
    }

    /// The same where nobody asks for a certificate: only that everyone has come so far goes up the
    /// tree, and down again.
    fn agree(&mut self, round: u64) {
        for link in &mut self.links {
            link.inbox.remove(&(Kind::Look, round));
            link.inbox.remove(&(Kind::Sum, round));
        }
        if let Some(look) = &mut self.look {
            look.point.summed = true;
        }
        match self.plan.parent {
            Some(parent) => {
                self.post(parent, Kind::Sum, round, Posted { check: 0, numbers: Vec::new() });
            }
            None => {
                self.pass_on(round, &[GO_ON]);
                if let Some(look) = self.look.take() {
                    self.follow(look, &[GO_ON]);
                }
            }
        }
    }

    /// This member's part of the certificate at the point of the look.
    pub(super) fn own_share(&mut self, round: u64) -> Share {
        let dim = self.rules.dim;
        let Some(look) = &self.look else { return Share::default() };
        let (params_now, duals_now) = (params(&self.nodes), duals(&self.nodes));
        set_nodes(&mut self.nodes, dim, &look.point.params, &look.point.duals);
        let mut share = Share::default();
        for node in &self.nodes {
            share.add(&node.certified().map_or_else(Share::unknown, |node| node.share()));
        }
        for &[(a, slot), (b, _)] in &self.plan.inner {
            if let Some(node) = self.nodes[a].certified() {
                share.add(&node.edge_share(slot, self.nodes[b].params()));
            }
        }
        for (l, plan) in self.plan.links.iter().enumerate() {
            let check = self.dual_hash(l);
            let Some(theirs) = self.links[l].inbox.remove(&(Kind::Look, round)) else { continue };
            if theirs.check != check {
                // The two ends are at different points: no bound, and nothing is said to have come
                // to rest.
                (share.gap, share.near) = (f64::INFINITY, f64::INFINITY);
            }
            for e in &plan.edges {
                let neighbor = &theirs.numbers[e.received * dim..][..dim];
                if let Some(node) = self.nodes[e.place].certified() {
                    share.add(&node.edge_share(e.slot, neighbor));
                }
            }
        }
        set_nodes(&mut self.nodes, dim, &params_now, &duals_now);
        share
    }

    /// Whether all children were told a verdict. Verdicts may come in any order to a member that
    /// was away: each is passed on.
    pub(super) fn is_passed_on(&self, round: u64) -> bool {
        let mut children = self.plan.children.iter();
        children.all(|&child| self.links[child].history.contains_key(&(Kind::Verdict, round)))
    }

    /// Tells the children a verdict.
    pub(super) fn pass_on(&mut self, round: u64, verdict: &[f64]) {
        for &child in &self.plan.children {
            let numbers = verdict.to_vec();
            self.post(child, Kind::Verdict, round, Posted { check: 0, numbers });
        }
    }

    /// Follows a verdict about a look.
    pub(super) fn follow(&mut self, look: Look, verdict: &[f64]) {
        let round = look.point.round;
        self.share = look.own.or(self.share);
        if verdict.len() > 1 {
            self.total = Some(share_from(&verdict[1..]));
        }
        let relative = self.total.map(|t| t.proven_gap() / t.scale());
        self.metrics.set_gap(self.share.map_or(f64::NAN, |s| s.gap), relative);
        debug!(round, gap = relative, "look");
        if self.now - self.told_at >= TELL {
            self.told_at = self.now;
            let gap = relative.filter(|g| g.is_finite()).map(|g| format!("{g:.1e}"));
            info!("round {round}, relative gap {}", gap.as_deref().unwrap_or("not known"));
        }
        self.take_verdict(verdict.first().copied().unwrap_or(GO_ON));
        if self.converged || self.unproven || round >= self.rules.rounds {
            set_nodes(&mut self.nodes, self.rules.dim, &look.point.params, &look.point.duals);
            self.round = round;
            self.finished = true;
        }
    }

    /// Takes note of what a verdict says about the end.
    pub(super) fn take_verdict(&mut self, verdict: f64) {
        (self.converged, self.unproven) = (verdict == CONVERGED, verdict == UNPROVEN);
    }

    /// What the last verdict said about the end.
    pub(super) fn last_verdict(&self) -> f64 {
        match (self.converged, self.unproven) {
            (true, _) => CONVERGED,
            (_, true) => UNPROVEN,
            _ => GO_ON,
        }
    }

    /// The other end has begun an exchange that this end, standing still at a look, would not
    /// begin: it answers with its last message.
    pub(super) fn answer(&mut self, link: usize) {
        if self.look.is_some() {
            self.answer_asked(link);
        }
    }

    /// Where members are not in lock step and some have been away, each in a ring may wait for the
    /// next: whoever has been waiting answers exchanges that others have begun. Whether it did.
    pub(super) fn answer_all(&mut self) -> bool {
        let waits = !self.finished && !self.is_lost();
        waits && (0..self.links.len()).filter(|&l| self.answer_asked(l)).count() > 0
    }

    fn answer_asked(&mut self, link: usize) -> bool {
        let l = &self.links[link];
        let asked = !l.pending && l.inbox.contains_key(&(Kind::Step, l.sequence));
        let answers = !self.rules.lock_step() && asked;
        if answers {
            self.post_step(link);
        }
        answers
    }

    /// The duals of a link have moved during a look, which is about another point now.
    pub(super) fn look_again(&mut self, link: usize) {
        if self.rules.lock_step() {
            return;
        }
        if let Some(look) = self.look.as_mut().filter(|look| !look.point.summed) {
            look.point.duals = duals(&self.nodes);
            self.post_look(link);
        }
    }
}

/// First number of a verdict: the run goes on, has met the tolerance by its gap, or, without a
/// bound, by its residual.
pub(super) const GO_ON: f64 = 0.0;
const CONVERGED: f64 = 1.0;
const UNPROVEN: f64 = 2.0;

/// Numbers of a share.
pub(super) const SHARE: usize = 5;

/// A share as numbers that may travel: no bound is −1.
pub(super) fn share_numbers(share: &Share) -> [f64; SHARE] {
    let gap = if share.gap.is_finite() { share.gap } else { -1.0 };
    let finite = |v: f64| if v.is_finite() { v } else { f64::MAX };
    let Share { objective, lost, at_zero, near, .. } = *share;
    [finite(objective), gap, finite(lost), finite(at_zero), finite(near)]
}

pub(super) fn share_from(numbers: &[f64]) -> Share {
    let [objective, gap, lost, at_zero, near] =
        std::array::from_fn(|k| numbers.get(k).copied().unwrap_or(0.0));
    let gap = if gap < 0.0 { f64::INFINITY } else { gap };
    Share { objective, gap, lost, at_zero, near }
}
