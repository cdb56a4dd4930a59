//! Ends of a network with ways of their own.

use netfed_net::Transport;
use netfed_net::wire::Message;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An end that keeps what it sends.
pub(crate) struct Loud<T> {
    pub(crate) end: T,
    pub(crate) sent: Arc<Mutex<Vec<Message>>>,
}

impl<T: Transport> Transport for Loud<T> {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        self.sent.lock().unwrap().push(Message::decode(&bytes, bytes.len()).unwrap());
        self.end.send(to, bytes);
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        self.end.receive(wait)
    }
}

/// An end that dies after a while.
pub(crate) struct Mortal<T> {
    pub(crate) end: T,
    pub(crate) left: std::cell::Cell<u32>,
}

impl<T: Transport> Transport for Mortal<T> {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        self.end.send(to, bytes);
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        let left = self.left.get();
        if left == 0 {
            std::panic::resume_unwind(Box::new("killed"));
        }
        self.left.set(left - 1);
        self.end.receive(wait)
    }
}

/// An end that takes its time before it hears.
pub(crate) struct Slow<T> {
    pub(crate) end: T,
    pub(crate) pause: Duration,
}

impl<T: Transport> Transport for Slow<T> {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        self.end.send(to, bytes);
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        std::thread::sleep(self.pause);
        self.end.receive(wait)
    }
}
