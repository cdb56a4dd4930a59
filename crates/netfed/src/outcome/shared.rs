//! An observer that several threads tell of events.
//!
//! Events are told one at a time, those of one thread in their order. Nobody waits: while somebody
//! else is being told, an event goes to a queue, which the other one empties. So an observer may
//! have parallel loops of its own, whose threads come back here. Where it breaks on an event from
//! the queue, the next one who tells is told.

use super::{Certificate, Event, Observer, PathPoint, Solution};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// An observer of many runs at a time.
pub(crate) struct Shared<'o> {
    observer: Mutex<&'o mut dyn Observer>,
    waiting: Mutex<VecDeque<Kept>>,
    /// Whether something waits.
    any: AtomicBool,
    broken: AtomicBool,
}

/// An event that waits.
enum Kept {
    Begin(usize),
    Planned(usize),
    Iteration(usize, u64, Option<Certificate>),
    Round(u64),
    Solved(usize, Box<(PathPoint, Solution)>),
}

impl<'o> Shared<'o> {
    pub(crate) fn new(observer: &'o mut dyn Observer) -> Shared<'o> {
        let (observer, waiting) = (Mutex::new(observer), Mutex::new(VecDeque::new()));
        Shared { observer, waiting, any: AtomicBool::new(false), broken: AtomicBool::new(false) }
    }

    /// Tells of an event, now or soon.
    pub(crate) fn tell(&self, event: Event<'_>) -> ControlFlow<()> {
        let observer = match self.observer.try_lock() {
            Ok(observer) => Some(observer),
            Err(TryLockError::Poisoned(observer)) => Some(observer.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let mut own = ControlFlow::Continue(());
        if let Some(mut observer) = observer {
            self.empty(&mut observer);
            own = observer.observe(event);
            self.empty(&mut observer);
        } else {
            self.queue().push_back(Kept::of(event));
            self.any.store(true, Ordering::Release);
        }
        if self.broken.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { own }
    }

    /// Tells of what still waits, at the end.
    pub(crate) fn finish(&self) {
        self.empty(&mut self.observer.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn empty(&self, observer: &mut &'o mut dyn Observer) {
        while self.any.swap(false, Ordering::Acquire) {
            self.empty_queue(observer);
        }
    }

    fn empty_queue(&self, observer: &mut &'o mut dyn Observer) {
        loop {
            // The queue is free while the observer is told.
            let Some(next) = self.queue().pop_front() else { return };
            if observer.observe(next.event()).is_break() {
                self.broken.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Kept {
    fn of(event: Event<'_>) -> Kept {
        match event {
            Event::Begin { run } => Kept::Begin(run),
            Event::Planned { runs } => Kept::Planned(runs),
            Event::Iteration { run, count, certificate } => {
                Kept::Iteration(run, count, certificate.cloned())
            }
            Event::Round { count, .. } => Kept::Round(count),
            Event::Solved { run, point, solution } => {
                Kept::Solved(run, Box::new((point.clone(), solution.clone())))
            }
        }
    }

    fn event(&self) -> Event<'_> {
        match self {
            Kept::Begin(run) => Event::Begin { run: *run },
            Kept::Planned(runs) => Event::Planned { runs: *runs },
            Kept::Iteration(run, count, certificate) => {
                Event::Iteration { run: *run, count: *count, certificate: certificate.as_ref() }
            }
            Kept::Round(count) => Event::round(*count),
            Kept::Solved(run, both) => {
                Event::Solved { run: *run, point: &both.0, solution: &both.1 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::threads::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn every_event_is_told_once_also_from_within_an_observer_that_loops() {
        let (told, inner) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut observer = |_: Event<'_>| {
            told.fetch_add(1, Ordering::Relaxed);
            // Threads that wait for this loop may take up work that tells of events.
            (0..64).into_par_iter().for_each(|_| {
                inner.fetch_add(1, Ordering::Relaxed);
            });
            ControlFlow::Continue(())
        };
        let shared = Shared::new(&mut observer);
        (0..500u64)
            .into_par_iter()
            .for_each(|k| assert!(shared.tell(Event::round(k)).is_continue()));
        shared.finish();
        assert_eq!((told.into_inner(), inner.into_inner()), (500, 500 * 64));
    }

    #[test]
    fn a_break_is_heard() {
        let mut calls = 0;
        let mut observer = |_: Event<'_>| {
            calls += 1;
            if calls < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let shared = Shared::new(&mut observer);
        let heard: Vec<bool> = (0..4).map(|k| shared.tell(Event::round(k)).is_break()).collect();
        assert_eq!(heard, [false, false, true, true]);
    }
}
