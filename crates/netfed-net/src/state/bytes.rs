//! A state as bytes: numbers one after the other, little-endian. A long vector that was there
//! before is named by its place.

use std::sync::Arc;

use super::{History, LinkState, LookState, Posted, State};
use crate::wire::{Kind, append};

/// Instead of the length of a vector: its place among those of at least [`LONG`] numbers that came
/// before.
const AGAIN: u64 = u64::MAX;
const LONG: usize = 64;

/// Appends a state.
pub(super) fn write(body: &mut Vec<u8>, state: &State) {
    Writer { body, vectors: Vec::new() }.state(state);
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

/// Reads a state.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// The long vectors so far.
    vectors: Vec<&'a [u8]>,
}

impl<'a> Reader<'a> {
    /// Of these bytes.
    pub(super) fn new(rest: &'a [u8]) -> Reader<'a> {
        Reader { rest, vectors: Vec::new() }
    }

    /// The next bytes, where there are so many.
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
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

    /// A state and nothing after it.
    pub(super) fn state(mut self) -> Option<State> {
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
