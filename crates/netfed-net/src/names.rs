//! Names of members.

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
    fn members_have_plain_names() {
        assert!(good_member_name("clinic-1.north"));
        for bad in ["", "a b", "a/b", "*", "..", "-x", "é", "observer"] {
            assert!(!good_member_name(bad), "{bad}");
        }
    }
}
