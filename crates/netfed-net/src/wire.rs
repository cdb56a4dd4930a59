//! What travels: a head of 64 bytes, then numbers.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0–3 | `NFD1` |
//! | 4 | kind |
//! | 5–7 | zero |
//! | 8–23 | id of the federation |
//! | 24–27, 28–31 | sender, receiver: their places in the description |
//! | 32–39 | sequence: the round |
//! | 40–47 | ack: the sender needs nothing before this round any more |
//! | 48–55 | check: a hash of the sender's copies of the duals |
//! | 56–59 | count of the numbers that follow, 8 bytes each |
//! | 60–63 | zero |
//!
//! All little-endian. A message is read only after every field has been checked: whatever comes
//! from the network is hostile.

use thiserror::Error;

/// Bytes of the head.
pub const HEAD: usize = 64;
const MAGIC: [u8; 4] = *b"NFD1";

/// The 16 bytes that name a federation: a hash of its description.
pub type FederationId = [u8; 16];

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The messages of a round, for the dual steps of both ends.
    Step,
    /// Models at a look, for the shares of the edges.
    Look,
    /// Sums of the certificate, towards the root.
    Sum,
    /// What the root makes of them, away from it.
    Verdict,
    /// Please send again what you have from this round on.
    Request,
    /// The sender has finished; it only answers requests.
    Done,
    /// The sender has left this look, because a member is away.
    Leave,
    /// Why the sender cannot send what it was asked for.
    Why,
    /// The sender has lost its state, and asks for a copy of its end of the link.
    Rejoin,
    /// That copy.
    Copy,
    /// The sender makes way for a later version of the federation, after as many exchanges as the
    /// check says; it only answers requests.
    Way,
}

impl Kind {
    const ALL: [Kind; 11] = [
        Kind::Step,
        Kind::Look,
        Kind::Sum,
        Kind::Verdict,
        Kind::Request,
        Kind::Done,
        Kind::Leave,
        Kind::Why,
        Kind::Rejoin,
        Kind::Copy,
        Kind::Way,
    ];

    /// The number of this kind in messages and files.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The kind of a number.
    pub fn of(code: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(code)).copied()
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What it is about.
    pub kind: Kind,
    /// The federation that it belongs to.
    pub federation: FederationId,
    /// Place of the sender in the description.
    pub from: u32,
    /// Place of the receiver.
    pub to: u32,
    /// The round.
    pub sequence: u64,
    /// The sender needs nothing before this round any more.
    pub ack: u64,
    /// Hash of the sender's copies of the duals.
    pub check: u64,
    /// The numbers.
    pub numbers: Vec<f64>,
}

/// Why a message was refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refusal {
    /// Too short for a head.
    #[error("it has {0} bytes, fewer than its head needs")]
    Short(usize),
    /// Not one of ours.
    #[error("it does not begin like a message of netfed")]
    Magic,
    /// A kind that there is not.
    #[error("its kind {0} is unknown")]
    Kind(u8),
    /// Bytes that must be zero are not.
    #[error("bytes that must be zero are not")]
    Reserved,
    /// Of another federation.
    #[error("it belongs to another federation")]
    Federation,
    /// For someone else, or from someone who may not write here.
    #[error("it says from {from} to {to}, which it may not")]
    Parties {
        /// Sender according to the message.
        from: u32,
        /// Receiver according to the message.
        to: u32,
    },
    /// The length does not fit the count, or the count is not the one agreed on.
    #[error("it has {found} numbers where {expected} were expected")]
    Length {
        /// Numbers agreed on.
        expected: usize,
        /// Numbers found.
        found: usize,
    },
    /// A number that is not finite.
    #[error("number {0} is not finite")]
    NotFinite(usize),
    /// A reason that there is not.
    #[error("it names no reason that there is")]
    Reason,
    /// A round that cannot be.
    #[error("its round {0} cannot be, yet")]
    Ahead(u64),
}

impl Message {
    /// The message as bytes.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_with(&self.numbers)
    }

    /// The message as bytes, with these numbers instead of its own.
    pub fn encode_with(&self, numbers: &[f64]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + 8 * numbers.len());
        bytes.extend(MAGIC);
        bytes.extend([self.kind.code(), 0, 0, 0]);
        bytes.extend(self.federation);
        bytes.extend(self.from.to_le_bytes());
        bytes.extend(self.to.to_le_bytes());
        bytes.extend(self.sequence.to_le_bytes());
        bytes.extend(self.ack.to_le_bytes());
        bytes.extend(self.check.to_le_bytes());
        bytes.extend((numbers.len() as u32).to_le_bytes());
        bytes.extend([0; 4]);
        append(&mut bytes, numbers);
        bytes
    }

    /// Reads a message of at most `most` numbers. Nothing is allocated before the length has been
    /// checked.
    pub fn decode(bytes: &[u8], most: usize) -> Result<Message, Refusal> {
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
            return Err(Refusal::Short(bytes.len()));
        };
        let four = |at: usize| [head[at], head[at + 1], head[at + 2], head[at + 3]];
        let word = |at: usize| u32::from_le_bytes(four(at));
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        if four(0) != MAGIC {
            return Err(Refusal::Magic);
        }
        let kind = Kind::of(head[4]).ok_or(Refusal::Kind(head[4]))?;
        if head[5..8] != [0; 3] || head[60..64] != [0; 4] {
            return Err(Refusal::Reserved);
        }
        let mut federation = [0; 16];
        federation.copy_from_slice(&head[8..24]);
        let count = word(56) as usize;
        if count > most {
            return Err(Refusal::Length { expected: most, found: count });
        }
        if rest.len() != 8 * count {
            return Err(Refusal::Length { expected: count, found: rest.len() / 8 });
        }
        let numbers: Vec<f64> =
            rest.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        if let Some(k) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(Refusal::NotFinite(k));
        }
        Ok(Message {
            kind,
            federation,
            from: word(24),
            to: word(28),
            sequence: long(32),
            ack: long(40),
            check: long(48),
            numbers,
        })
    }
}

/// Appends numbers as bytes.
pub(crate) fn append(bytes: &mut Vec<u8>, numbers: &[f64]) {
    let begin = bytes.len();
    bytes.resize(begin + 8 * numbers.len(), 0);
    for (to, number) in bytes[begin..].as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
        *to = number.to_le_bytes();
    }
}

/// A hash of vectors, bit by bit (FNV-1a over words, in four lanes beside each other): equal copies
/// have equal hashes.
pub fn hash<'v>(vectors: impl IntoIterator<Item = &'v [f64]>) -> u64 {
    let mix =
        |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
    let mut lanes = [0xcbf2_9ce4_8422_2325; 4];
    for vector in vectors {
        let (fours, rest) = vector.as_chunks::<4>();
        for four in fours {
            lanes = std::array::from_fn(|k| mix(lanes[k], four[k].to_bits()));
        }
        rest.iter().for_each(|v| lanes[0] = mix(lanes[0], v.to_bits()));
    }
    lanes.into_iter().fold(0, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(numbers: Vec<f64>) -> Message {
        Message {
            kind: Kind::Step,
            federation: [7; 16],
            from: 1,
            to: 2,
            sequence: u64::MAX - 1,
            ack: 3,
            check: 0x0123_4567_89ab_cdef,
            numbers,
        }
    }

    #[test]
    fn every_bit_comes_back() {
        for kind in Kind::ALL {
            let sent =
                Message { kind, ..message(vec![0.1, -0.0, f64::MAX, f64::MIN_POSITIVE / 8.0]) };
            let back = Message::decode(&sent.encode(), 4).unwrap();
            assert_eq!(back, sent);
            assert!(back.numbers[1].is_sign_negative());
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let good = message(vec![1.0, 2.0]).encode();
        let with = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            Message::decode(&bytes, 2).unwrap_err()
        };
        assert_eq!(with(0, b'X'), Refusal::Magic);
        assert_eq!(with(4, 99), Refusal::Kind(99));
        assert_eq!(with(6, 1), Refusal::Reserved);
        assert_eq!(with(63, 1), Refusal::Reserved);
        assert_eq!(with(56, 1), Refusal::Length { expected: 1, found: 2 });
        assert_eq!(with(59, 255), Refusal::Length { expected: 2, found: 0xff00_0002 });
        assert_eq!(Message::decode(&good[..63], 2), Err(Refusal::Short(63)));
        assert_eq!(Message::decode(&good, 1), Err(Refusal::Length { expected: 1, found: 2 }));
        let infinite = message(vec![1.0, f64::INFINITY]).encode();
        assert_eq!(Message::decode(&infinite, 2), Err(Refusal::NotFinite(1)));
    }

    #[test]
    fn hashes_tell_copies_apart() {
        let of = |vector: &[f64]| hash([vector]);
        assert_eq!(of(&[1.0, 2.0]), of(&[1.0, 2.0]));
        assert_ne!(of(&[1.0, 2.0]), of(&[2.0, 1.0]));
        assert_ne!(of(&[0.0]), of(&[-0.0]));
        let long: Vec<f64> = (0..9).map(f64::from).collect();
        for (i, j) in (0..9).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let mut other = long.clone();
            other.swap(i, j);
            assert_ne!(of(&long), of(&other), "{i} and {j}");
        }
    }
}
