//! The state of a member on disk: whole or not at all.
//!
//! A commit writes a new file, flushes it to the disk, and renames it over the old one; a hash at the end tells a whole file. What a
//! member has acknowledged to its neighbors (`ack` of its messages) is never ahead of what it has committed, so that after a
//! crash everything it needs again is still kept by them. A long vector is written once: neighbors are often sent the same.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ring::digest::{SHA256, digest};

use crate::error::Error;
use crate::wire::{FederationId, Kind, append};

const MAGIC: &[u8; 8] = b"netfed 4";
/// Instead of the length of a vector: its place among those of at least [`LONG`] numbers that came before.
const AGAIN: u64 = u64::MAX;
const LONG: usize = 64;

/// What a member may have to send again: by kind (steps come first) and round.
pub type History = BTreeMap<(Kind, u64), Arc<Posted>>;

/// A message that was sent, without its head.
#[derive(Debug, Clone, PartialEq)]
pub struct Posted {
    /// Hash of the copies of the duals.
    pub check: u64,
    /// The numbers.
    pub numbers: Vec<f64>,
}

/// All that a member needs to go on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Local steps done.
    pub round: u64,
    /// The round of the next look at the certificate.
    pub next_look: u64,
    /// Whether the run is over.
    pub finished: bool,
    /// Parameters of all nodes, node by node.
    pub params: Vec<f64>,
    /// Duals of all slots of all nodes, node by node.
    pub duals: Vec<f64>,
    /// What the nodes remember beside that, node by node.
    pub memory: Vec<f64>,
    /// One per link.
    pub links: Vec<LinkState>,
    /// The look that waits for others.
    pub look: Option<LookState>,
    /// A look that this member has summed up and left; its verdict may still come.
    pub undecided: Option<LookState>,
    /// The last verdict of the root: empty before the first.
    pub verdict: Vec<f64>,
}

/// State of one link.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkState {
    /// The exchange that comes next.
    pub sequence: u64,
    /// Whether this end has sent its part of it.
    pub pending: bool,
    /// Local steps when it began.
    pub begun: u64,
    /// Models of the border at the last exchange, of this end…
    pub ours: Vec<f64>,
    /// …and of the other.
    pub theirs: Vec<f64>,
    /// What may have to be sent again.
    pub history: History,
    /// Whether the other end has finished.
    pub done: bool,
    /// Microseconds that this member has gone on without the other.
    pub without: u64,
}

/// The point that a look is about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LookState {
    /// Its round.
    pub round: u64,
    /// Parameters.
    pub params: Vec<f64>,
    /// Duals.
    pub duals: Vec<f64>,
    /// Whether this member has passed its sums on.
    pub summed: bool,
}

/// The folder in which a member keeps its state; no other process uses it at the same time.
#[derive(Clone)]
pub struct Store {
    folder: PathBuf,
    federation: FederationId,
    /// States of other versions of the federation count as none.
    anew: bool,
    _lock: Arc<File>,
}

impl Store {
    /// Opens the folder, or makes it.
    pub fn open(folder: &Path, federation: FederationId) -> Result<Store, Error> {
        fs::create_dir_all(folder).map_err(Error::file(folder, "make the folder"))?;
        let path = folder.join("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::file(&path, "open"))?;
        if lock.try_lock().is_err() {
            return Err(Error::Invalid(format!(
                "{}: another peer is running with this state; give each its own --state.",
                folder.display()
            )));
        }
        let folder = folder.to_path_buf();
        Ok(Store { folder, federation, anew: false, _lock: Arc::new(lock) })
    }

    /// The same for a later version of the federation: a state of the version before counts as none, and lies there until the first commit.
    pub fn anew(self) -> Store {
        Store { anew: true, ..self }
    }

    /// The version of the federation whose state lies in a folder; none in a new one. Damage is found out by [`Store::load`].
    pub fn version_in(folder: &Path) -> Result<Option<FederationId>, Error> {
        let path = folder.join("state");
        match File::open(&path) {
            Ok(mut file) => {
                let mut head = [0; MAGIC.len() + 16];
                let whole = file.read_exact(&mut head).is_ok() && head.starts_with(MAGIC);
                Ok(head.last_chunk().copied().filter(|_| whole))
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::file(&path, "read")(e)),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// The state as last committed; none in a new folder.
    pub fn load(&self) -> Result<Option<State>, Error> {
        let path = self.path();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::file(&path, "read")(e)),
        };
        let damaged = || {
            Error::Invalid(format!(
                "{}: the file is damaged; remove it to begin anew, which the neighbors must then do as well.",
                path.display()
            ))
        };
        let (body, end) = bytes.split_last_chunk::<32>().ok_or_else(damaged)?;
        if digest(&SHA256, body).as_ref() != end {
            return Err(damaged());
        }
        let mut reader = Reader { rest: body, vectors: Vec::new() };
        if reader.take(8) != Some(MAGIC) {
            return Err(damaged());
        }
        if reader.take(16) != Some(&self.federation) {
            if self.anew {
                return Ok(None);
            }
            return Err(Error::Invalid(format!(
                "{}: this state belongs to another federation, or to another version of its description.",
                path.display()
            )));
        }
        reader.state().ok_or_else(damaged).map(Some)
    }

    /// Commits a state.
    pub fn commit(&self, state: &State) -> Result<(), Error> {
        // As long as the last one, as a rule: growing would copy it several times.
        let last = fs::metadata(self.path()).map_or(0, |m| m.len() as usize);
        let mut body = Vec::with_capacity(last + last / 8);
        body.extend(MAGIC);
        body.extend(self.federation);
        Writer { body: &mut body, vectors: Vec::new() }.state(state);
        let end = digest(&SHA256, &body);
        let (path, new) = (self.path(), self.folder.join("state.new"));
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(&body)?;
            file.write_all(end.as_ref())?;
            file.sync_all()?;
            fs::rename(&new, &path)?;
            File::open(&self.folder)?.sync_all()
        };
        write().map_err(|e| {
            // What was half-written only takes up room.
            let _ = fs::remove_file(&new);
            Error::file(&path, "commit")(e)
        })
    }
}

struct Writer<'a> {
    body: &'a mut Vec<u8>,
    /// The long vectors so far.
    vectors: Vec<&'a [f64]>,
}

impl<'a> Writer<'a> {
    fn long(&mut self, v: u64) {
        self.body.extend(v.to_le_bytes());
    }

    fn numbers(&mut self, values: &'a [f64]) {
        let same = |other: &&[f64]| {
            let mut pairs = other.iter().zip(values);
            other.len() == values.len() && pairs.all(|(a, b)| a.to_bits() == b.to_bits())
        };
        if values.len() >= LONG {
            if let Some(place) = self.vectors.iter().position(same) {
                self.long(AGAIN);
                return self.long(place as u64);
            }
            self.vectors.push(values);
        }
        self.long(values.len() as u64);
        append(self.body, values);
    }

    fn state(&mut self, s: &'a State) {
        self.long(s.round);
        self.long(s.next_look);
        self.long(u64::from(s.finished));
        self.numbers(&s.params);
        self.numbers(&s.duals);
        self.numbers(&s.memory);
        self.numbers(&s.verdict);
        self.long(s.links.len() as u64);
        for link in &s.links {
            self.long(link.sequence);
            self.long(u64::from(link.pending));
            self.long(link.begun);
            self.numbers(&link.ours);
            self.numbers(&link.theirs);
            self.long(u64::from(link.done));
            self.long(link.without);
            self.long(link.history.len() as u64);
            for ((kind, sequence), posted) in &link.history {
                self.long(*sequence);
                self.long(u64::from(kind.code()));
                self.long(posted.check);
                self.numbers(&posted.numbers);
            }
        }
        self.look(s.look.as_ref());
        self.look(s.undecided.as_ref());
    }

    fn look(&mut self, look: Option<&'a LookState>) {
        self.long(u64::from(look.is_some()));
        if let Some(look) = look {
            self.long(look.round);
            self.numbers(&look.params);
            self.numbers(&look.duals);
            self.long(u64::from(look.summed));
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    /// The long vectors so far.
    vectors: Vec<&'a [u8]>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(head)
    }

    fn long(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    fn flag(&mut self) -> Option<bool> {
        self.long().map(|v| v != 0)
    }

    fn numbers(&mut self) -> Option<Vec<f64>> {
        let bytes = match self.long()? {
            AGAIN => {
                let place = usize::try_from(self.long()?).ok()?;
                *self.vectors.get(place)?
            }
            count => self.take(usize::try_from(count).ok()?.checked_mul(8)?)?,
        };
        if bytes.len() >= 8 * LONG && !self.vectors.iter().any(|l| std::ptr::eq(*l, bytes)) {
            self.vectors.push(bytes);
        }
        Some(bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
    }

    fn state(mut self) -> Option<State> {
        let mut s = State {
            round: self.long()?,
            next_look: self.long()?,
            finished: self.flag()?,
            params: self.numbers()?,
            duals: self.numbers()?,
            memory: self.numbers()?,
            verdict: self.numbers()?,
            ..State::default()
        };
        for _ in 0..self.long()? {
            let mut link = LinkState {
                sequence: self.long()?,
                pending: self.flag()?,
                begun: self.long()?,
                ours: self.numbers()?,
                theirs: self.numbers()?,
                done: self.flag()?,
                without: self.long()?,
                history: History::new(),
            };
            for _ in 0..self.long()? {
                let sequence = self.long()?;
                let kind = Kind::of(u8::try_from(self.long()?).ok()?)?;
                let posted = Posted { check: self.long()?, numbers: self.numbers()? };
                link.history.insert((kind, sequence), Arc::new(posted));
            }
            s.links.push(link);
        }
        s.look = self.look()?;
        s.undecided = self.look()?;
        self.rest.is_empty().then_some(s)
    }

    /// A look, where there is one; none where the file ends before it does.
    fn look(&mut self) -> Option<Option<LookState>> {
        if !self.flag()? {
            return Some(None);
        }
        let (round, params) = (self.long()?, self.numbers()?);
        Some(Some(LookState { round, params, duals: self.numbers()?, summed: self.flag()? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let posted = Arc::new(Posted { check: 9, numbers: vec![0.5, -0.0] });
        let link = LinkState {
            sequence: 7,
            pending: true,
            begun: 5,
            ours: vec![4.0],
            theirs: vec![-4.0, 0.5],
            done: true,
            without: 12,
            history: [((Kind::Step, 6), posted.clone()), ((Kind::Look, 6), posted)].into(),
        };
        let look = LookState { round: 6, params: vec![1.0], duals: vec![], summed: true };
        State {
            round: 7,
            next_look: 10,
            finished: false,
            params: vec![1.0, 2.0],
            duals: vec![3.0],
            memory: vec![8.0],
            links: vec![link],
            look: Some(look.clone()),
            undecided: Some(LookState { round: 3, ..look }),
            verdict: vec![1.0],
        }
    }

    #[test]
    fn a_commit_comes_back_and_damage_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), [1; 16]).unwrap();
        assert_eq!(store.load().unwrap(), None);
        store.commit(&state()).unwrap();
        assert_eq!(store.load().unwrap(), Some(state()));
        let path = folder.path().join("state");
        let whole = fs::read(&path).unwrap();
        for cut in [0, 10, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(store.load().unwrap_err().to_string().contains("damaged"));
        }
        let mut flipped = whole.clone();
        flipped[40] ^= 1;
        fs::write(&path, flipped).unwrap();
        assert!(store.load().is_err());
        fs::write(&path, whole).unwrap();
        drop(store);
        let other = Store::open(folder.path(), [2; 16]).unwrap();
        assert!(other.load().unwrap_err().to_string().contains("another federation"));
        // A later version begins anew.
        let later = other.anew();
        assert_eq!(Store::version_in(folder.path()).unwrap(), Some([1; 16]));
        assert_eq!(later.load().unwrap(), None);
        later.commit(&state()).unwrap();
        assert_eq!(later.load().unwrap(), Some(state()));
        assert_eq!(Store::version_in(folder.path()).unwrap(), Some([2; 16]));
        assert_eq!(Store::version_in(&folder.path().join("new")).unwrap(), None);
    }

    #[test]
    fn a_long_vector_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), [1; 16]).unwrap();
        let size = |state: &State| {
            store.commit(state).unwrap();
            assert_eq!(store.load().unwrap().as_ref(), Some(state));
            fs::metadata(folder.path().join("state")).unwrap().len()
        };
        let long: Vec<f64> = (0..1000).map(f64::from).collect();
        // Zero and minus zero are equal numbers, but not the same.
        let mut other = long.clone();
        other[0] = -0.0;
        let mut state = state();
        let short = size(&state);
        state.params = long.clone();
        let once = size(&state);
        assert!(once > short + 7900);
        for l in &mut state.links {
            (l.ours, l.theirs) = (long.clone(), long.clone());
            l.history.insert((Kind::Step, 8), Arc::new(Posted { check: 1, numbers: long.clone() }));
        }
        assert!(size(&state) < once + 200);
        state.duals = other;
        assert!(size(&state) > once + 7900);
        let loaded = store.load().unwrap().unwrap();
        assert!(loaded.duals[0].is_sign_negative() && loaded.params[0].is_sign_positive());
    }

    #[test]
    fn one_process_at_a_time_and_failed_commits_leave_the_old_state() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), [1; 16]).unwrap();
        assert!(Store::open(folder.path(), [1; 16]).is_err());
        store.commit(&state()).unwrap();
        // A folder in the way of the new file: the commit fails, the old state stays.
        fs::create_dir(folder.path().join("state.new")).unwrap();
        assert!(store.commit(&State::default()).is_err());
        assert_eq!(store.load().unwrap(), Some(state()));
    }
}
