//! How much a member does in a second of the virtual clock.

use crate::body::Body;

/// What a member has done when a second began: steps and exchanges, sends, writes.
#[derive(Default)]
pub(crate) struct Pace {
    /// None where a life begins.
    second: Option<u64>,
    moved: u64,
    sends: u64,
    writes: u64,
}

impl Pace {
    /// A life begins.
    pub(crate) fn begin(&mut self) {
        self.second = None;
    }

    /// No busy loop: in a second a member commits and sends little more than its steps and
    /// exchanges need.
    pub(crate) fn check(
        &mut self,
        body: &Body<'_>,
        second: u64,
        rounds: u64,
    ) -> Result<(), String> {
        if self.second.is_some_and(|known| known == second) {
            return Ok(());
        }
        let exchanges: u64 =
            body.platter.borrow().iter().flat_map(|s| &s.links).map(|l| l.sequence).sum();
        let links = body.plan.links.len() as u64;
        let now = Pace {
            second: Some(second),
            moved: rounds + exchanges,
            sends: body.sends.get(),
            writes: body.writes.get(),
        };
        let before = std::mem::replace(self, now);
        if before.second.is_none() {
            return Ok(());
        }
        let moved = self.moved.abs_diff(before.moved);
        let (sends, writes) = (self.sends - before.sends, self.writes - before.writes);
        if sends > (600 + 10 * moved) * links || writes > 20 + 4 * moved {
            return Err(format!(
                "sends {sends} and commits {writes} in a second, and moves by {moved}"
            ));
        }
        Ok(())
    }
}
