//! Names of nodes and members.

use std::cmp::Ordering;

/// The order in which nodes are numbered: whole numbers by value, then everything else letter by letter. It depends on the names
/// alone, so that one process and many peers number alike.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(x), Ok(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

/// Whether a member may have this name: it stands in certificates, keys and file names.
pub fn good_member_name(name: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty()
        && name.len() <= 60
        && name.chars().all(good)
        && !name.starts_with(['.', '-'])
        && name != OBSERVER
}

/// The name in the certificate of the organizer, who may ask for the status.
pub const OBSERVER: &str = "observer";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_by_value_and_before_words() {
        let mut names = ["b", "10", "9", "a", "-1", "09"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["-1", "09", "9", "10", "a", "b"]);
    }

    #[test]
    fn members_have_plain_names() {
        assert!(good_member_name("clinic-1.north"));
        for bad in ["", "a b", "a/b", "*", "..", "-x", "é", "observer"] {
            assert!(!good_member_name(bad), "{bad}");
        }
    }
}
