//! What a network engine has to do for a peer. Messages may be lost, doubled, delayed or overtake
//! each other: rounds, repetition and order are the peer's business (`peer.rs`).

use std::time::Duration;

/// A way to exchange bytes with the other members of a federation.
pub trait Transport {
    /// Sends to a member, if it can be reached now.
    fn send(&self, to: usize, bytes: Vec<u8>);

    /// The next message and the member whose it is as far as the engine can tell; none when nothing
    /// comes in time.
    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)>;

    /// After which round the peer is to make way for a later version of the federation; none as
    /// long as none is known.
    fn superseded_after(&self) -> Option<u64> {
        None
    }
}
