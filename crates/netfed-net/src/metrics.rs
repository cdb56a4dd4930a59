//! Counters of a running peer, in the text format of Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counters of one peer; read while it runs.
pub struct Metrics {
    member: String,
    /// Names, and time spent waiting for each in microseconds.
    neighbors: Mutex<Vec<(String, u64)>>,
    /// Local steps done.
    pub rounds: AtomicU64,
    /// Exchanges with neighbors done.
    pub exchanges: AtomicU64,
    /// Bytes sent.
    pub bytes_out: AtomicU64,
    /// Bytes received.
    pub bytes_in: AtomicU64,
    /// Messages refused.
    pub refused: AtomicU64,
    /// Messages asked for again.
    pub requests: AtomicU64,
    /// Commits to disk.
    pub commits: AtomicU64,
    /// Commits that failed.
    pub failed_commits: AtomicU64,
    /// Starts from a committed state.
    pub restarts: AtomicU64,
    /// 1 when the run is over.
    pub finished: AtomicU64,
    share: AtomicU64,
    gap: AtomicU64,
    waiting_for: Mutex<Option<String>>,
}

impl Metrics {
    /// All zero, for a member with these neighbors.
    pub fn new(member: String, neighbors: Vec<String>) -> Metrics {
        let none = || AtomicU64::new(f64::NAN.to_bits());
        Metrics {
            member,
            neighbors: Mutex::new(neighbors.into_iter().map(|name| (name, 0)).collect()),
            rounds: AtomicU64::new(0),
            exchanges: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
            bytes_in: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            failed_commits: AtomicU64::new(0),
            restarts: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            waiting_for: Mutex::default(),
            share: none(),
            gap: none(),
        }
    }

    /// Whose counters these are.
    pub fn member(&self) -> &str {
        &self.member
    }

    /// This member's share of the gap, and the relative gap of all, as last known.
    pub fn set_gap(&self, share: f64, gap: Option<f64>) {
        self.share.store(share.to_bits(), Relaxed);
        self.gap.store(gap.unwrap_or(f64::NAN).to_bits(), Relaxed);
    }

    /// The last share and relative gap; none before the first look.
    pub fn gap(&self) -> (Option<f64>, Option<f64>) {
        let read = |v: &AtomicU64| Some(f64::from_bits(v.load(Relaxed))).filter(|v| !v.is_nan());
        (read(&self.share), read(&self.gap))
    }

    /// Whom the run waits for, and why, if it has not moved for some seconds.
    pub fn set_waiting_for(&self, text: Option<String>) {
        *self.waiting_for.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// The same, as last known.
    pub fn waiting_for(&self) -> Option<String> {
        self.waiting_for.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The member has other neighbors from now on; those that stay keep their times.
    pub fn set_neighbors(&self, names: Vec<String>) {
        let mut neighbors = self.neighbors();
        let time = |name: &String| neighbors.iter().find(|n| n.0 == *name).map_or(0, |n| n.1);
        *neighbors = names.into_iter().map(|name| (name.clone(), time(&name))).collect();
    }

    fn neighbors(&self) -> MutexGuard<'_, Vec<(String, u64)>> {
        self.neighbors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to the time that was spent waiting for a neighbor.
    pub fn add_waited(&self, link: usize, time: Duration) {
        if let Some((_, micros)) = self.neighbors().get_mut(link) {
            *micros += time.as_micros() as u64;
        }
    }

    /// Seconds spent waiting for each neighbor.
    pub fn waited(&self) -> Vec<(String, f64)> {
        self.neighbors()
            .iter()
            .map(|(name, micros)| (name.clone(), *micros as f64 * 1e-6))
            .collect()
    }

    /// The text that Prometheus reads.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let member = label(&self.member);
        let counters = [
            ("rounds_total", "Local steps done", &self.rounds),
            ("exchanges_total", "Exchanges with neighbors done", &self.exchanges),
            ("sent_bytes_total", "Bytes sent", &self.bytes_out),
            ("received_bytes_total", "Bytes received", &self.bytes_in),
            ("refused_messages_total", "Messages refused", &self.refused),
            ("requests_total", "Messages asked for again", &self.requests),
            ("commits_total", "Commits to disk", &self.commits),
            ("failed_commits_total", "Commits that failed", &self.failed_commits),
            ("restarts_total", "Starts from a committed state", &self.restarts),
        ];
        for (name, help, value) in counters {
            let value = value.load(Relaxed);
            let _ = writeln!(out, "# HELP netfed_{name} {help}\n# TYPE netfed_{name} counter");
            let _ = writeln!(out, "netfed_{name}{{member=\"{member}\"}} {value}");
        }
        let _ = writeln!(
            out,
            "# HELP netfed_finished 1 when the run is over\n# TYPE netfed_finished gauge"
        );
        let _ =
            writeln!(out, "netfed_finished{{member=\"{member}\"}} {}", self.finished.load(Relaxed));
        let (share, gap) = self.gap();
        let gauges = [
            ("gap_share", "This member's share of the gap", share),
            ("relative_gap", "Relative gap of the federation", gap),
        ];
        for (name, help, value) in gauges {
            if let Some(value) = value.filter(|v| v.is_finite()) {
                let _ = writeln!(out, "# HELP netfed_{name} {help}\n# TYPE netfed_{name} gauge");
                let _ = writeln!(out, "netfed_{name}{{member=\"{member}\"}} {value:e}");
            }
        }
        let name = "netfed_waiting_seconds_total";
        let _ =
            writeln!(out, "# HELP {name} Time spent waiting for a neighbor\n# TYPE {name} counter");
        for (neighbor, seconds) in self.waited() {
            let neighbor = label(&neighbor);
            let _ =
                writeln!(out, "{name}{{member=\"{member}\",neighbor=\"{neighbor}\"}} {seconds}");
        }
        out
    }
}

fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_every_counter_and_safe_labels() {
        let metrics = Metrics::new("a\"b".into(), vec!["c\\d".into()]);
        metrics.rounds.store(5, Relaxed);
        metrics.add_waited(0, Duration::from_millis(1500));
        let text = metrics.text();
        assert!(text.contains("netfed_rounds_total{member=\"a\\\"b\"} 5"), "{text}");
        assert!(text.contains("neighbor=\"c\\\\d\"} 1.5"), "{text}");
        assert!(!text.contains("relative_gap{"));
        metrics.set_neighbors(vec!["e".into(), "c\\d".into()]);
        assert_eq!(metrics.waited(), [("e".into(), 0.0), ("c\\d".into(), 1.5)]);
        metrics.set_gap(0.25, Some(1e-7));
        assert!(metrics.text().contains("netfed_relative_gap{member=\"a\\\"b\"} 1e-7"));
    }
}
