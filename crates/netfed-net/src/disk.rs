//! What a disk has to do for a peer, and the real one: commits are written beside the run.

use std::thread::JoinHandle;

use crate::error::Error;
use crate::state::{State, Store};

/// Where a member keeps its state. One commit is written at a time.
pub trait Disk {
    /// The state as last committed; none before the first commit.
    fn load(&mut self) -> Result<Option<State>, Error>;

    /// Begins to commit a state.
    fn begin(&mut self, state: State);

    /// How the commit that was begun has ended, said once; none while it is being written, unless
    /// asked to wait.
    fn written(&mut self, wait: bool) -> Option<Result<(), Error>>;
}

/// A disk of this machine.
pub struct Writer {
    store: Store,
    thread: Option<JoinHandle<Result<(), Error>>>,
}

impl Writer {
    /// A disk that keeps the state in a store.
    pub fn new(store: Store) -> Writer {
        Writer { store, thread: None }
    }
}

impl Disk for Writer {
    fn load(&mut self) -> Result<Option<State>, Error> {
        self.store.load()
    }

    fn begin(&mut self, state: State) {
        let store = self.store.clone();
        self.thread = Some(std::thread::spawn(move || store.commit(&state)));
    }

    fn written(&mut self, wait: bool) -> Option<Result<(), Error>> {
        let thread = self.thread.take_if(|thread| wait || thread.is_finished())?;
        let died = || Error::Invalid("the thread that commits has died.".into());
        Some(thread.join().unwrap_or_else(|_| Err(died())))
    }
}

impl Drop for Writer {
    /// Whoever opens the state next finds it whole and unused.
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
