//! The list of revoked certificates: `revoked.toml`, signed by the authority.
//!
//! Certificates are numbered one after the other, whoever they are for. An entry says below which
//! number the certificates of a member are refused: so a new certificate makes the ones before it
//! void, and nobody has to keep a book of them. The list has a version of its own; the newest one
//! holds, and an entry never goes back.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::authority;
use crate::error::Error;
use crate::signed::Signed;

/// Name of the file.
pub const REVOKED: &str = "revoked.toml";

/// The list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revoked {
    /// Its version; a list that does not exist has 0.
    pub version: u64,
    /// By name: certificates with a smaller number are refused.
    pub below: BTreeMap<String, u64>,
}

impl Revoked {
    /// The list in a folder, signed by the authority whose certificate lies beside it; the empty
    /// one where there is none.
    pub fn read(folder: &Path) -> Result<(Revoked, Option<Signed>), Error> {
        let path = folder.join(REVOKED);
        if !path.exists() {
            return Ok(Default::default());
        }
        let signed = Signed::read(&path)?;
        if !signed.is_by(&authority::public_key(folder)?) {
            return Err(Error::Invalid(format!(
                "{}: the signature does not fit; the list was changed after it was signed, or is of another federation.",
                path.display()
            )));
        }
        let list = Revoked::parse(&signed.text)
            .map_err(|e| Error::Invalid(format!("{}: {e}", path.display())))?;
        Ok((list, Some(signed)))
    }

    /// The same from the text.
    pub fn parse(text: &str) -> Result<Revoked, Error> {
        toml::from_str(text).map_err(|e| Error::Invalid(e.to_string().trim_end().to_owned()))
    }

    /// Whether a certificate of a member is refused.
    pub fn contains(&self, name: &str, serial: u64) -> bool {
        self.below.get(name).is_some_and(|below| serial < *below)
    }

    /// The first number that is on no list.
    pub(crate) fn first_free(&self) -> u64 {
        self.below.values().copied().max().unwrap_or(0)
    }
}

/// Revokes the certificates of a member with a smaller number, as the organizer; gives the new
/// list, which lies in the folder.
pub fn revoke(organizer: &Path, name: &str, below: u64) -> Result<Revoked, Error> {
    let (mut list, _) = Revoked::read(organizer)?;
    list.version += 1;
    let entry = list.below.entry(name.to_owned()).or_default();
    *entry = below.max(*entry);
    let text = toml::to_string(&list).map_err(|e| Error::Invalid(e.to_string()))?;
    Signed::new(organizer, text)?.write(&organizer.join(REVOKED))?;
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn entries_only_grow_and_strangers_sign_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        authority::create(path, "f", 30).unwrap();
        assert_eq!(Revoked::read(path).unwrap(), (Revoked::default(), None));
        assert_eq!(revoke(path, "a", 7).unwrap().version, 1);
        revoke(path, "b", 3).unwrap();
        let list = revoke(path, "a", 5).unwrap();
        assert_eq!(Revoked::read(path).unwrap().0, list);
        assert_eq!((list.version, list.first_free()), (3, 7));
        for (name, serial, refused) in
            [("a", 6, true), ("a", 7, false), ("b", 2, true), ("b", 3, false), ("c", 0, false)]
        {
            assert_eq!(list.contains(name, serial), refused, "{name} {serial}");
        }
        let file = path.join(REVOKED);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("a = 7", "a = 1")).unwrap();
        let error = Revoked::read(path).unwrap_err().to_string();
        assert!(error.contains("revoked.toml: the signature does not fit"), "{error}");
        assert!(revoke(path, "a", 9).is_err(), "a changed list is not signed again");
        let other = tempfile::tempdir().unwrap();
        authority::create(other.path(), "f", 30).unwrap();
        Signed::new(other.path(), text).unwrap().write(&file).unwrap();
        assert!(Revoked::read(path).is_err());
        // What the authority has signed, but is no list.
        Signed::new(path, "version = 4".into()).unwrap().write(&file).unwrap();
        let error = Revoked::read(path).unwrap_err().to_string();
        assert!(error.contains("below"), "{error}");
    }
}
