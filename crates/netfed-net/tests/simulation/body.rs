//! What a simulated process stands on: its end of the network and its disk. Both may kill it, at
//! any send and at any write; what it does after that does not happen.

use netfed_net::disk::Disk;
use netfed_net::state::State;
use netfed_net::wire::{Kind, Message};
use netfed_net::{Error, Plan, Transport};
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// A bug that is put in on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bug {
    None,
    /// The disk says done, and has written nothing.
    ForgottenCommit,
    /// A member acknowledges what it has not committed.
    EarlyAck,
    /// Acknowledgments never arrive.
    LostAck,
}

pub(crate) struct Body<'s> {
    pub(crate) plan: &'s Plan,
    pub(crate) lock_step: bool,
    pub(crate) bug: Bug,
    pub(crate) out: RefCell<Vec<(usize, Vec<u8>)>>,
    /// What lies on the disk, and what is being written and whether it will fit.
    pub(crate) platter: RefCell<Option<State>>,
    writing: RefCell<Option<(State, Duration, bool)>>,
    /// A copy of the state in another place.
    pub(crate) backup: RefCell<Option<State>>,
    pub(crate) lost: Cell<bool>,
    pub(crate) full: Cell<bool>,
    pub(crate) write: Duration,
    pub(crate) now: Cell<Duration>,
    /// Sends and writes until it dies.
    pub(crate) fuel: Cell<u64>,
    pub(crate) dead: Cell<bool>,
    pub(crate) sends: Cell<u64>,
    pub(crate) writes: Cell<u64>,
    /// What it did that it must not do.
    pub(crate) wrong: RefCell<Option<String>>,
}

impl<'s> Body<'s> {
    pub(crate) fn new(plan: &'s Plan, lock_step: bool, write: Duration, bug: Bug) -> Body<'s> {
        Body {
            plan,
            lock_step,
            bug,
            out: RefCell::default(),
            platter: RefCell::default(),
            writing: RefCell::default(),
            backup: RefCell::default(),
            lost: Cell::new(false),
            full: Cell::new(false),
            write,
            now: Cell::new(Duration::ZERO),
            fuel: Cell::new(u64::MAX),
            dead: Cell::new(false),
            sends: Cell::new(0),
            writes: Cell::new(0),
            wrong: RefCell::default(),
        }
    }

    /// Whether it lives on.
    fn burn(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        self.dead.set(self.dead.get() || left == 0);
        !self.dead.get()
    }

    /// A new process: what was being written is on the disk or not.
    pub(crate) fn reborn(&self, fuel: u64, written: bool) {
        if let Some((state, _, true)) = self.writing.take().filter(|_| written) {
            self.platter.replace(Some(state));
        }
        self.out.borrow_mut().clear();
        self.dead.set(false);
        self.fuel.set(fuel);
    }

    /// The state is what was copied, or lost.
    pub(crate) fn lose(&self) {
        self.writing.take();
        self.platter.replace(self.backup.take());
        self.lost.set(true);
    }

    /// Nothing is acknowledged that is not on the disk and, out of lock step, nothing said.
    fn check(&self, to: usize, message: &Message) {
        let platter = self.platter.borrow();
        let link = self.plan.links.iter().position(|l| l.member == to).unwrap();
        let link = platter.as_ref().map(|state| &state.links[link]);
        let committed = link.map_or(0, |l| l.sequence);
        if message.ack > committed {
            let what = format!("acknowledged {} with {committed} on its disk", message.ack);
            self.wrong.borrow_mut().get_or_insert(what);
        }
        use Kind::{Done, Rejoin, Request, Way, Why};
        let kept = !matches!(message.kind, Request | Done | Why | Rejoin | Way);
        if kept && !self.lock_step {
            let key = (message.kind, message.sequence);
            let same = link
                .and_then(|l| l.history.get(&key))
                .is_some_and(|p| p.numbers == message.numbers);
            if !same {
                let what = format!("said {key:?}, which is not on its disk");
                self.wrong.borrow_mut().get_or_insert(what);
            }
        }
    }
}

pub(crate) struct End<'s>(pub(crate) std::rc::Rc<Body<'s>>);

impl Transport for End<'_> {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        let body = &self.0;
        if !body.burn() {
            return;
        }
        body.sends.set(body.sends.get() + 1);
        let mut message = Message::decode(&bytes, 1 << 20).unwrap();
        if body.bug == Bug::None {
            body.check(to, &message);
        }
        match body.bug {
            Bug::EarlyAck if message.kind == Kind::Step => message.ack = message.sequence,
            Bug::LostAck => message.ack = 0,
            _ => {}
        }
        body.out.borrow_mut().push((to, message.encode()));
    }

    fn receive(&self, _wait: Duration) -> Option<(usize, Vec<u8>)> {
        None
    }
}

pub(crate) struct Platter<'s>(pub(crate) std::rc::Rc<Body<'s>>);

impl Disk for Platter<'_> {
    fn load(&mut self) -> Result<Option<State>, Error> {
        Ok(self.0.platter.borrow().clone())
    }

    fn begin(&mut self, state: State) {
        let body = &self.0;
        let due = body.now.get() + body.write;
        body.writing.replace(Some((state, due, !body.full.get())));
    }

    fn written(&mut self, wait: bool) -> Option<Result<(), Error>> {
        let body = &self.0;
        let over = |(_, due, _): &mut (State, Duration, bool)| wait || *due <= body.now.get();
        let (state, _, fits) = body.writing.borrow_mut().take_if(over)?;
        body.writes.set(body.writes.get() + 1);
        if !fits {
            return Some(Err(Error::Invalid("the disk is full".into())));
        }
        // It may die before the write, and after.
        if body.burn() {
            let forgets = body.bug == Bug::ForgottenCommit && state.round % 3 == 2;
            if !forgets {
                body.platter.replace(Some(state));
            }
            body.burn();
        }
        Some(Ok(()))
    }
}
