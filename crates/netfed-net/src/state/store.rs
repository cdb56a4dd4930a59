//! The folder of a member: commits, and the state that was committed last.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ring::digest::{SHA256, digest};

use super::State;
use super::bytes::{Reader, write};
use crate::error::Error;
use crate::wire::FederationId;

const MAGIC: &[u8; 8] = b"netfed 4";

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

    /// The same for a later version of the federation: a state of the version before counts as
    /// none, and lies there until the first commit.
    pub fn anew(self) -> Store {
        Store { anew: true, ..self }
    }

    /// The version of the federation whose state lies in a folder; none in a new one. Damage is
    /// found out by [`Store::load`].
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
        let mut reader = Reader::new(body);
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
        write(&mut body, state);
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

#[cfg(test)]
mod tests {
    use super::super::{LinkState, LookState, Posted};
    use super::*;
    use crate::wire::Kind;

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
