//! What the tests of graphs share.

use super::{Place, stderr, stdout};

/// Runs a command that must succeed; gives its standard output.
pub fn done(place: &Place, line: &str) -> String {
    let output = place.run(line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
    stdout(&output)
}

/// Runs a command that must be refused with one sentence; gives it.
pub fn refused(place: &Place, line: &str) -> String {
    let output = place.run(line);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{line}: {message}");
    assert!(!message.contains("panicked"), "{line}: {message}");
    message
}

pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// Two clusters of six nodes with ten points each, in the folder `made`.
pub fn made() -> Place {
    let place = Place::new();
    done(
        &place,
        "graph generate sbm --sizes 6,6 --inside 0.9 --between 0.05 --spread 2 --out made --quiet",
    );
    place
}
