//! What the log says about refused messages: a few lines per sender, then how many were left out.
//! Someone who floods a member with nonsense does not fill its disk.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use tracing::warn;

/// Lines about one thing in a period.
const LINES: u32 = 5;
const PERIOD: Duration = Duration::from_secs(10);

/// What has been said about one thing that others may bring about as often as they like.
#[derive(Debug, Default)]
pub struct Said {
    since: Duration,
    lines: u32,
    left_out: u64,
}

impl Said {
    /// Whether there may be a line now, and how many were left out before it; `now` is a time that
    /// does not go back.
    pub fn line(&mut self, now: Duration) -> Option<u64> {
        if now.saturating_sub(self.since) >= PERIOD {
            (self.since, self.lines) = (now, 0);
        }
        if self.lines == LINES {
            self.left_out += 1;
            return None;
        }
        self.lines += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

/// Refused messages, by sender.
#[derive(Default)]
pub(crate) struct Refusals(BTreeMap<usize, Said>);

impl Refusals {
    /// Says in the log that a message of a sender was refused, if there has not been enough about
    /// it; `now` is a time that does not go back.
    pub(crate) fn tell(
        &mut self,
        from: usize,
        name: Option<&str>,
        reason: &dyn Display,
        now: Duration,
    ) {
        let sender = name.unwrap_or("a stranger");
        match self.0.entry(from).or_default().line(now) {
            Some(0) => warn!(sender, "refused a message: {reason}"),
            Some(left_out) => {
                warn!(
                    sender,
                    left_out, "refused a message: {reason}; lines about others were left out"
                );
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_leaves_a_few_lines_and_a_count() {
        let mut said = Said::default();
        let lines: Vec<(u64, u64)> = (0..100_000)
            .filter_map(|ms| Some((ms, said.line(Duration::from_millis(ms))?)))
            .collect();
        assert_eq!(lines.len(), 10 * LINES as usize, "100 s");
        assert_eq!(lines[..6], [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (10_000, 9995)]);
    }
}
