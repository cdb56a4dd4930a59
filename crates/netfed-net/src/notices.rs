//! What the authority says while a federation runs: signed texts, which pass from neighbor to
//! neighbor.
//!
//! A peer looks now and then whether its folder holds something newer, and tells its neighbors what
//! it knows. What comes from a neighbor counts because of the signature, whoever has passed it on,
//! and is kept in the folder.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0–3, 4, 5–7 | `NFN1`, kind, zero |
//! | 8–11, then | length of the signature; signature, text |

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tracing::{error, info, warn};

use crate::authority::{self, Identity};
use crate::credentials::Credentials;
use crate::description::{DESCRIPTION, Federation};
use crate::error::Error;
use crate::revoked::{REVOKED, Revoked};
use crate::signed::{Signed, unhex};
use crate::wire::FederationId;

const MAGIC: [u8; 4] = *b"NFN1";
const HEAD: usize = 12;
/// The list of revoked certificates.
const LIST: u8 = 0;
/// The description, in a version after the first.
const DESCRIBED: u8 = 1;
/// Time between two looks at the folder.
const LOOK: Duration = Duration::from_secs(1);
/// Time after which a neighbor is told again.
const AGAIN: Duration = Duration::from_secs(10);

/// Whether a message is a notice.
pub(crate) fn is_notice(message: &[u8]) -> bool {
    message.starts_with(&MAGIC)
}

fn encode(kind: u8, signed: &Signed) -> Vec<u8> {
    let length = (signed.signature.len() as u32).to_le_bytes();
    [&MAGIC[..], &[kind, 0, 0, 0], &length, &signed.signature, signed.text.as_bytes()].concat()
}

fn decode(bytes: &[u8]) -> Option<(u8, Signed)> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
    let [m0, m1, m2, m3, kind, 0, 0, 0, length @ ..] = *head else { return None };
    let (signature, text) = rest.split_at_checked(u32::from_le_bytes(length) as usize)?;
    let text = std::str::from_utf8(text).ok()?.to_owned();
    ([m0, m1, m2, m3] == MAGIC).then(|| (kind, Signed { text, signature: signature.to_vec() }))
}

/// A file that the authority has signed, which may be replaced by a newer one.
struct Known {
    path: PathBuf,
    signed: Option<Signed>,
    /// When its signature, which is written last, was changed as last seen.
    changed: Option<SystemTime>,
}

impl Known {
    /// What is new in the file, signed by the authority.
    fn look(&mut self, authority: &[u8]) -> Option<Signed> {
        let changed = fs::metadata(self.path.with_extension("sig")).and_then(|m| m.modified()).ok();
        if changed.is_none() || changed == self.changed {
            return None;
        }
        self.changed = changed;
        match Signed::read(&self.path) {
            Ok(signed) if self.signed.as_ref() == Some(&signed) => None,
            Ok(signed) if signed.is_by(authority) => Some(signed),
            Ok(_) => {
                let path = self.path.display();
                warn!("{path}: the signature does not fit; what was there before holds");
                None
            }
            Err(e) => {
                warn!("{e}");
                None
            }
        }
    }

    /// Keeps what a neighbor has passed on.
    fn keep(&self) {
        if let Some(Err(e)) = self.signed.as_ref().map(|signed| signed.write(&self.path)) {
            warn!("{e}; what a neighbor has passed on holds until this peer ends");
        }
    }
}

/// What a member knows of the authority, and whom it has told.
pub(crate) struct Notices {
    authority: Vec<u8>,
    own: Identity,
    credentials: Arc<Credentials>,
    list: Known,
    description: Known,
    /// The version of the federation that this member goes by, and the id of the one before.
    current: Federation,
    before: Option<FederationId>,
    /// The newest version that is known, if it is a later one: its number, its id, and after which
    /// round it is to be taken over.
    later: Option<(u64, FederationId, u64)>,
    looked: Instant,
    told: HashMap<usize, Instant>,
}

impl Notices {
    /// What lies in the folder of a member that goes by a version of the federation.
    pub(crate) fn open(
        federation: &Federation,
        folder: &Path,
        credentials: Arc<Credentials>,
    ) -> Result<Notices, Error> {
        let (_, list) = Revoked::read(folder)?;
        let known = |name: &str, signed| Known { path: folder.join(name), signed, changed: None };
        let follows = federation.description.follows.as_ref();
        let mut notices = Notices {
            authority: authority::public_key(folder)?,
            own: authority::identity(folder)?,
            credentials,
            list: known(REVOKED, list),
            description: known(DESCRIPTION, None),
            current: federation.clone(),
            before: follows.and_then(|f| unhex(&f.before)?.try_into().ok()),
            later: None,
            looked: Instant::now(),
            told: HashMap::new(),
        };
        if let Some(signed) = notices.description.look(&notices.authority) {
            notices.take_description(signed);
        }
        Ok(notices)
    }

    /// After which round a later version is to be taken over, if there is one.
    pub(crate) fn superseded_after(&self) -> Option<u64> {
        self.later.map(|(_, _, round)| round)
    }

    /// Whether a message for the peer was written under another version. A sender that is behind
    /// will be told. One that is ahead says nothing more under this version, so that there is no
    /// round to wait for.
    pub(crate) fn is_of_other_version(&mut self, message: &[u8]) -> bool {
        let id = message.get(8..).and_then(<[u8]>::first_chunk::<16>);
        let ahead = self.later.as_mut().filter(|later| Some(&later.1) == id);
        let behind = id.is_some() && id == self.before.as_ref();
        match ahead {
            Some((.., round)) => {
                *round = 0;
                true
            }
            None => behind,
        }
    }

    /// Looks at the folder, if it is time to; whether there was something new.
    pub(crate) fn look(&mut self) -> bool {
        if self.looked.elapsed() < LOOK {
            return false;
        }
        self.looked = Instant::now();
        let list = self.list.look(&self.authority);
        let description = self.description.look(&self.authority);
        let list = list.is_some_and(|signed| self.take_list(signed));
        description.is_some_and(|signed| self.take_description(signed)) || list
    }

    /// Takes what a neighbor has passed on; whether it was something new.
    pub(crate) fn take(&mut self, message: &[u8]) -> bool {
        let Some((kind, signed)) = decode(message) else { return false };
        let known = |known: &Known| known.signed.as_ref() == Some(&signed);
        match kind {
            LIST if !known(&self.list) && signed.is_by(&self.authority) => {
                let newer = self.take_list(signed);
                if newer {
                    self.list.keep();
                }
                newer
            }
            DESCRIBED if !known(&self.description) && signed.is_by(&self.authority) => {
                let newer = self.take_description(signed);
                if newer {
                    self.description.keep();
                }
                newer
            }
            _ => false,
        }
    }

    /// Takes a list that the authority has signed, if it is newer.
    fn take_list(&mut self, signed: Signed) -> bool {
        let list = match Revoked::parse(&signed.text) {
            Ok(list) => list,
            Err(e) => {
                warn!("{REVOKED}: {e}");
                return false;
            }
        };
        let (version, own) = (list.version, list.contains(&self.own.name, self.own.serial));
        if !self.credentials.take(list) {
            return false;
        }
        info!(version, "a newer list of revoked certificates");
        if own {
            error!(
                "the certificate of this member has been revoked: its neighbors refuse it; ask the organizer for a new one, and start again with it"
            );
        }
        self.list.signed = Some(signed);
        self.told.clear();
        true
    }

    /// Takes a description that the authority has signed, if it is of a later version than all that
    /// are known.
    fn take_description(&mut self, signed: Signed) -> bool {
        let federation = match Federation::parse(&signed.text) {
            Ok(federation) => federation,
            Err(e) => {
                warn!("{DESCRIPTION}: {e}");
                return false;
            }
        };
        let version = federation.description.version;
        let newer = match federation.takes_over(&self.current) {
            Some(round) if self.later.is_none_or(|(known, ..)| version > known) => {
                info!(version, round, "a later version of the federation, to be taken over");
                self.later = Some((version, federation.id, round));
                true
            }
            _ => false,
        };
        // Also the version that this member goes by is told, to those who are behind.
        if newer || federation.id == self.current.id && version > 1 {
            self.description.signed = Some(signed);
            self.told.clear();
        }
        newer
    }

    /// A neighbor may not have heard what it was told last.
    pub(crate) fn forget(&mut self, told: usize) {
        self.told.remove(&told);
    }

    /// What a neighbor is to be told now.
    pub(crate) fn due(&mut self, to: usize) -> Vec<Vec<u8>> {
        if self.told.get(&to).is_some_and(|at| at.elapsed() < AGAIN) {
            return Vec::new();
        }
        self.told.insert(to, Instant::now());
        let known = [(LIST, &self.list), (DESCRIBED, &self.description)];
        let known = known.into_iter().filter_map(|(kind, k)| Some((kind, k.signed.as_ref()?)));
        known.map(|(kind, signed)| encode(kind, signed)).collect()
    }

    /// The list of revoked certificates, for one that is on it.
    pub(crate) fn list(&self) -> Option<Vec<u8>> {
        self.list.signed.as_ref().map(|list| encode(LIST, list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revoked::revoke;

    const TWO: &str = "name = \"f\"\nmethod = \"primal-dual\"\nrounds = 9\ntolerance = 0.0\ntell_gap = true\naway = \"wait\"\npatience_seconds = 5.0\n[problem]\n[graph]\nedges = [[\"a\", \"b\", 1.0]]\n[[members]]\nname = \"a\"\nendpoint = \"quic/h:1\"\nnodes = [\"a\"]\n[[members]]\nname = \"b\"\nnodes = [\"b\"]\n";

    /// An authority with folders for two members.
    fn place() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        authority::create(path, "f", 30).unwrap();
        fs::write(path.join(DESCRIPTION), TWO).unwrap();
        authority::sign(path).unwrap();
        for name in ["a", "b"] {
            authority::invite(path, &path.join(name), "f", name, None, 30).unwrap();
        }
        folder
    }

    fn open(folder: &Path) -> (Notices, Arc<Credentials>) {
        let credentials = Arc::new(Credentials::read(folder).unwrap());
        let federation = Federation::read(folder).unwrap();
        (Notices::open(&federation, folder, credentials.clone()).unwrap(), credentials)
    }

    /// As after the pause between two looks.
    fn look(notices: &mut Notices) -> bool {
        notices.looked = Instant::now().checked_sub(LOOK).unwrap();
        notices.look()
    }

    fn copy(from: &Path, to: &Path, name: &str) {
        for file in [Path::new(name), &Path::new(name).with_extension("sig")] {
            fs::copy(from.join(file), to.join(file)).unwrap();
        }
    }

    #[test]
    fn a_list_passes_from_one_folder_to_the_next() {
        let place = place();
        let path = place.path();
        let ((mut a, _), (mut b, known)) = (open(&path.join("a")), open(&path.join("b")));
        assert!(a.due(0).is_empty() && a.list().is_none() && !look(&mut a));
        revoke(path, "a", 9).unwrap();
        copy(path, &path.join("a"), REVOKED);
        assert!(look(&mut a) && !look(&mut a));
        let notice = a.due(1).remove(0);
        assert!(a.due(1).is_empty() && !a.due(2).is_empty() && a.list().as_ref() == Some(&notice));
        for at in 0..notice.len() {
            let mut bad = notice.clone();
            bad[at] ^= 1;
            assert!(!b.take(&bad), "byte {at}");
        }
        (0..notice.len()).for_each(|cut| assert!(!b.take(&notice[..cut])));
        assert!(is_notice(&notice) && !known.is_revoked("a", 8));
        assert!(b.take(&notice) && !b.take(&notice));
        assert!(known.is_revoked("a", 8) && !known.is_revoked("a", 9));
        // It is there after a restart, and an older one does not come back, neither as a file nor
        // from a neighbor.
        assert!(open(&path.join("b")).1.is_revoked("a", 8));
        let old = Signed::read(&path.join(REVOKED)).unwrap();
        revoke(path, "c", 3).unwrap();
        let newer = Signed::read(&path.join(REVOKED)).unwrap();
        assert!(b.take(&encode(LIST, &newer)) && !b.take(&notice));
        old.write(&path.join("b").join(REVOKED)).unwrap();
        assert!(!look(&mut b) && known.is_revoked("c", 2) && b.list().is_some());
    }

    #[test]
    fn a_later_version_passes_from_one_folder_to_the_next() {
        let place = place();
        let path = place.path();
        let ((mut a, _), (mut b, _)) = (open(&path.join("a")), open(&path.join("b")));
        let one = Federation::read(path).unwrap();
        let next = |federation: &Federation, round| {
            let text = Federation::text(&federation.next(round)).unwrap();
            (Signed::new(path, text.clone()).unwrap(), Federation::parse(&text).unwrap())
        };
        let (signed, two) = next(&one, 70);
        let (third, three) = next(&two, 80);
        signed.write(&path.join("a").join(DESCRIPTION)).unwrap();
        assert!(look(&mut a) && a.superseded_after() == Some(70) && !look(&mut a));
        let notice = a.due(1).remove(0);
        for at in 0..notice.len() {
            let mut bad = notice.clone();
            bad[at] ^= 1;
            assert!(!b.take(&bad), "byte {at}");
        }
        assert!(b.take(&notice) && b.superseded_after() == Some(70));
        assert_eq!(Federation::read(&path.join("b")).unwrap().id, two.id);
        // Version 3 does not say at which round of version 1: at once. An older one changes nothing
        // any more.
        assert!(b.take(&encode(DESCRIBED, &third)) && !b.take(&notice));
        assert_eq!(b.superseded_after(), Some(0));
        let message = |id: FederationId| [&[0; 8], &id[..], &[0; 40]].concat();
        assert!(a.is_of_other_version(&message(two.id)) && a.superseded_after() == Some(0));
        assert!(
            b.is_of_other_version(&message(three.id)) && !b.is_of_other_version(&message(one.id))
        );
        // A member that goes by version 3 tells it to those who are behind.
        let (mut b, _) = open(&path.join("b"));
        assert!(b.superseded_after().is_none() && b.due(0) == [encode(DESCRIBED, &third)]);
        assert!(
            b.is_of_other_version(&message(two.id)) && !b.is_of_other_version(&message(three.id))
        );
        // What another authority has signed is nothing.
        let other = tempfile::tempdir().unwrap();
        authority::create(other.path(), "f", 30).unwrap();
        let fourth = Signed::new(other.path(), Federation::text(&three.next(0)).unwrap()).unwrap();
        assert!(!a.take(&encode(DESCRIBED, &fourth)));
        fourth.write(&path.join("a").join(DESCRIPTION)).unwrap();
        assert!(!look(&mut a) && a.is_of_other_version(&message(two.id)));
    }
}
