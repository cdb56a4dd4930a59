//! Names of nodes and members.

use std::cmp::Ordering;

/// The order in which nodes are numbered: letter by letter, with runs of digits by their value ("s2" before "s10"). It depends on the
/// names alone, so that one process and many peers number alike.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(p), Some(q)) = (x.first(), y.first()) {
        if p.is_ascii_digit() && q.is_ascii_digit() {
            let (m, n) = (number(&mut x), number(&mut y));
            let order = m.len().cmp(&n.len()).then_with(|| m.cmp(n));
            if order.is_ne() {
                return order;
            }
        } else if p != q {
            return p.cmp(q);
        } else {
            (x, y) = (&x[1..], &y[1..]);
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

/// Takes a run of digits from the front; without leading zeros.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|c| **c == b'0').count();
    &digits[zeros.min(digits.len() - 1)..]
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
    fn numbers_come_by_value() {
        let mut names = ["s10", "s9", "10", "9", "a", "09", "s9a", "b2c10", "b2c9", ""];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["", "09", "9", "10", "a", "b2c9", "b2c10", "s9", "s9a", "s10"]);
    }

    #[test]
    fn members_have_plain_names() {
        assert!(good_member_name("clinic-1.north"));
        for bad in ["", "a b", "a/b", "*", "..", "-x", "é", "observer"] {
            assert!(!good_member_name(bad), "{bad}");
        }
    }
}
