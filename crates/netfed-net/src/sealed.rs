//! Messages between members, sealed from end to end: a router delivers them, and can neither read,
//! alter, forge nor repeat one; nor can whoever has a certificate of a member that has been
//! revoked, and connects with it.
//!
//! Two neighbors agree on keys that live as long as their processes. The one whose name comes
//! first, A, begins:
//!
//! ```text
//! hello    A → B    a, 0; certificate and signature of A        a = αG, fresh
//! answer   B → A    b, a; certificate and signature of B        b = βG, fresh
//! sealed   both     counter, message under the key of the direction
//! knock    both     nothing: "I have no key for what you sent"; A then begins anew
//! notice   both     what the authority has signed, for one whose certificate has been revoked
//! ```
//!
//! G is the base point of X25519. A signature ([`Credentials`]) is about the id of the federation,
//! sender, receiver, kind and both points, so that it proves nothing elsewhere. The two keys come
//! from αβG by HKDF-SHA256, with the id as salt and direction, a and b as info. Messages are sealed
//! with ChaCha20-Poly1305; the counter is the nonce, and must grow from message to message. B goes
//! on with its old keys until A has used the new ones: an old hello, sent again by a router,
//! changes nothing. Keys are thrown away when the certificate that stood for them is revoked.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0–3, 4, 5–7 | `NFS1`, kind, zero |
//! | 8–15, 16–23, then | sealed: first bytes of the hash of a, b; counter; message and tag |
//! | 8–39, 40–71, 72–75, then | hello, answer: own point, the other's; length of certificate; it, signature |
//! | 8, then | notice: the text and its signature |

use std::sync::Arc;
use std::time::{Duration, Instant};

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{EphemeralPrivateKey, UnparsedPublicKey, X25519, agree_ephemeral};
use ring::digest::{SHA256, digest};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::SystemRandom;
use thiserror::Error;
use time::OffsetDateTime;

use crate::credentials::{Credentials, NoProof, Proof};
use crate::notices::is_notice;
use crate::wire::FederationId;

/// Bytes that sealing adds to a message.
pub const OVERHEAD: usize = HEAD + 16;
const HEAD: usize = 24;
const MAGIC: [u8; 4] = *b"NFS1";
const HELLO: u8 = 0;
const ANSWER: u8 = 1;
const SEALED: u8 = 2;
const KNOCK: u8 = 3;
const NOTICE: u8 = 4;
/// Time between two attempts to agree on keys.
const PAUSE: Duration = Duration::from_millis(100);

type Point = [u8; 32];

/// Whose channel it is.
#[derive(Debug, Clone)]
pub struct Ends {
    /// The federation, in whichever version.
    pub federation: FederationId,
    /// Own name, as in the certificate.
    pub us: String,
    /// The other's name.
    pub them: String,
}

/// Why something that came was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Not in the form of this file.
    #[error("it is not a sealed message")]
    Form,
    /// The sender did not prove who it is.
    #[error("{0}")]
    NoProof(#[from] NoProof),
    /// The points do not give a key.
    #[error("it offers no key")]
    Key,
    /// Altered on its way, or never sealed by the other end.
    #[error("its seal is broken")]
    Broken,
    /// Sent again by someone in between.
    #[error("it came before")]
    Repeated,
}

/// What to do about something that came.
#[derive(Debug, PartialEq)]
pub enum Opened {
    /// The other end says this.
    Message(Vec<u8>),
    /// Send this back.
    Reply(Vec<u8>),
    /// The authority is said to have signed this.
    Notice(Vec<u8>),
    /// Nothing.
    Nothing,
}

/// Keys of both directions.
struct Keys {
    id: [u8; 8],
    seal: LessSafeKey,
    open: LessSafeKey,
    sent: u64,
    /// The next counter that is accepted.
    next: u64,
    /// The other's certificate.
    proof: Proof,
}

/// A hello that waits for its answer.
struct Hello {
    secret: EphemeralPrivateKey,
    point: Point,
    frame: Vec<u8>,
}

/// One end of a sealed channel.
pub struct Channel {
    credentials: Arc<Credentials>,
    ends: Ends,
    keys: Option<Keys>,
    /// Keys that the other end has not used yet, the hello that they answer, and the answer.
    offered: Option<(Keys, Point, Vec<u8>)>,
    hello: Option<Hello>,
    called: Option<Instant>,
}

impl Channel {
    /// A channel without keys yet.
    pub fn new(credentials: Arc<Credentials>, ends: Ends) -> Channel {
        Channel { credentials, ends, keys: None, offered: None, hello: None, called: None }
    }

    /// Whether this end says hello.
    fn begins(&self) -> bool {
        self.ends.us < self.ends.them
    }

    /// Whether there are keys, so that what is sealed arrives.
    pub fn is_open(&self) -> bool {
        self.keys.is_some()
    }

    /// What to send for a message: sealed, or, without keys, what leads to some; the message is
    /// then lost.
    pub fn seal(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        self.forget_revoked();
        match &mut self.keys {
            Some(keys) => keys.seal(message),
            None => self.call(),
        }
    }

    /// Throws keys away whose certificate has been revoked; whether there were any.
    fn forget_revoked(&mut self) -> bool {
        let (credentials, name) = (&self.credentials, &self.ends.them);
        let revoked = |keys: &mut Keys| credentials.is_revoked(name, keys.proof.serial);
        let kept = self.keys.take_if(revoked);
        let offered = self.offered.take_if(|(keys, ..)| revoked(keys));
        kept.is_some() || offered.is_some()
    }

    /// Hello or knock, now and then.
    fn call(&mut self) -> Option<Vec<u8>> {
        if self.called.is_some_and(|at| at.elapsed() < PAUSE) {
            return None;
        }
        self.called = Some(Instant::now());
        if !self.begins() {
            return Some(head(KNOCK));
        }
        if self.hello.is_none() {
            let (secret, point) = fresh()?;
            let frame = self.signed(HELLO, &point, &[0; 32])?;
            self.hello = Some(Hello { secret, point, frame });
        }
        self.hello.as_ref().map(|hello| hello.frame.clone())
    }

    /// Takes something that came on this channel.
    pub fn open(&mut self, frame: Vec<u8>) -> Result<Opened, Refusal> {
        let kind = match frame.first_chunk::<8>() {
            Some(&[m0, m1, m2, m3, kind, 0, 0, 0]) if [m0, m1, m2, m3] == MAGIC => kind,
            _ => return Err(Refusal::Form),
        };
        let reply = |frame: Option<Vec<u8>>| Ok(frame.map_or(Opened::Nothing, Opened::Reply));
        match (kind, self.begins()) {
            (HELLO, false) => self.answer(&frame).map(Opened::Reply),
            (ANSWER, true) => {
                self.agree(&frame)?;
                // The other end waits for a sign that the keys are there.
                reply(self.keys.as_mut().and_then(|keys| keys.seal(&[])))
            }
            (KNOCK, true) => reply(self.call()),
            (KNOCK, false) => Ok(Opened::Nothing),
            (NOTICE, _) if is_notice(&frame[8..]) => Ok(Opened::Notice(frame[8..].to_vec())),
            (SEALED, _) if self.forget_revoked() => Err(NoProof::Revoked.into()),
            (SEALED, _) => {
                let id = *frame.get(8..).and_then(<[u8]>::first_chunk).ok_or(Refusal::Form)?;
                if let Some(keys) = self.keys.as_mut().filter(|keys| keys.id == id) {
                    return keys.open(frame);
                }
                let offered = self.offered.as_mut().filter(|(keys, ..)| keys.id == id);
                let Some((keys, ..)) = offered else { return reply(self.call()) };
                let opened = keys.open(frame)?;
                self.keys = self.offered.take().map(|(keys, ..)| keys);
                Ok(opened)
            }
            _ => Err(Refusal::Form),
        }
    }

    /// A hello is answered with new keys; the same one with the same answer.
    fn answer(&mut self, frame: &[u8]) -> Result<Vec<u8>, Refusal> {
        let (theirs, proof) = self.proven(frame, &[0; 32])?;
        if let Some((.., answer)) = self.offered.as_ref().filter(|(_, to, _)| *to == theirs) {
            return Ok(answer.clone());
        }
        let (secret, point) = fresh().ok_or(Refusal::Key)?;
        let answer = self.signed(ANSWER, &point, &theirs).ok_or(Refusal::Key)?;
        let keys = self.keys_of(secret, &theirs, [&theirs, &point], proof)?;
        self.offered = Some((keys, theirs, answer.clone()));
        Ok(answer)
    }

    /// The answer to the hello that is open gives the keys; one to another hello is late.
    fn agree(&mut self, frame: &[u8]) -> Result<(), Refusal> {
        let Some(open) = self.hello.as_ref().map(|hello| hello.point) else { return Ok(()) };
        if frame.get(40..72) != Some(&open) {
            return Ok(());
        }
        let (theirs, proof) = self.proven(frame, &open)?;
        if let Some(Hello { secret, point, .. }) = self.hello.take() {
            self.keys = Some(self.keys_of(secret, &theirs, [&point, &theirs], proof)?);
        }
        Ok(())
    }

    /// What a signature is about.
    fn claim(&self, from: &str, to: &str, kind: u8, own: &Point, other: &Point) -> Vec<u8> {
        // No name has a zero in it.
        let parts: [&[u8]; 9] = [
            b"netfed sealed 2",
            &self.ends.federation,
            from.as_bytes(),
            &[0],
            to.as_bytes(),
            &[0],
            &[kind],
            own,
            other,
        ];
        parts.concat()
    }

    fn signed(&self, kind: u8, own: &Point, other: &Point) -> Option<Vec<u8>> {
        let claim = self.claim(&self.ends.us, &self.ends.them, kind, own, other);
        let (certificate, mut frame) = (self.credentials.certificate(), head(kind));
        frame.extend(own);
        frame.extend(other);
        frame.extend(u32::try_from(certificate.len()).ok()?.to_le_bytes());
        frame.extend(certificate);
        frame.extend(self.credentials.sign(&claim)?);
        Some(frame)
    }

    /// The point of a hello or an answer, if the other end has signed it, and its certificate.
    fn proven(&self, frame: &[u8], answered: &Point) -> Result<(Point, Proof), Refusal> {
        let own = frame.get(8..).and_then(<[u8]>::first_chunk::<32>).ok_or(Refusal::Form)?;
        let rest = frame.get(72..).ok_or(Refusal::Form)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or(Refusal::Form)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (certificate, signature) = rest.split_at_checked(length).ok_or(Refusal::Form)?;
        let claim = self.claim(&self.ends.them, &self.ends.us, frame[4], own, answered);
        let proof = self.credentials.check(&self.ends.them, certificate, &claim, signature)?;
        Ok((*own, proof))
    }

    fn keys_of(
        &self,
        secret: EphemeralPrivateKey,
        theirs: &Point,
        points: [&Point; 2],
        proof: Proof,
    ) -> Result<Keys, Refusal> {
        let key = |direction: u8, secret: &[u8]| {
            let [a, b]: [&[u8]; 2] = points.map(|p| &p[..]);
            let prk = Salt::new(HKDF_SHA256, &self.ends.federation).extract(secret);
            let okm = prk.expand(&[&[direction], a, b], &CHACHA20_POLY1305).map(UnboundKey::from);
            okm.map(LessSafeKey::new).map_err(|_| Refusal::Key)
        };
        let (own, other) = if self.begins() { (0, 1) } else { (1, 0) };
        let theirs = UnparsedPublicKey::new(&X25519, theirs);
        let both = agree_ephemeral(secret, &theirs, |s| (key(own, s), key(other, s)));
        let (seal, open) = both.map_err(|_| Refusal::Key)?;
        let (seal, open) = (seal?, open?);
        let hash = digest(&SHA256, &points.map(|p| &p[..]).concat());
        let mut id = [0; 8];
        id.copy_from_slice(&hash.as_ref()[..8]);
        Ok(Keys { id, seal, open, sent: 0, next: 0, proof })
    }
}

impl Keys {
    fn seal(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        let mut frame = Vec::with_capacity(message.len() + OVERHEAD);
        frame.extend(head(SEALED));
        frame.extend(self.id);
        frame.extend(self.sent.to_le_bytes());
        let aad: [u8; HEAD] = *frame.first_chunk()?;
        frame.extend(message);
        let nonce = nonce(self.sent);
        self.sent += 1;
        let tag = self.seal.seal_in_place_separate_tag(nonce, Aad::from(aad), &mut frame[HEAD..]);
        frame.extend(tag.ok()?.as_ref());
        Some(frame)
    }

    fn open(&mut self, mut frame: Vec<u8>) -> Result<Opened, Refusal> {
        let (head, body) = frame.split_first_chunk_mut::<HEAD>().ok_or(Refusal::Form)?;
        let counter = u64::from_le_bytes(*head.last_chunk().ok_or(Refusal::Form)?);
        let after = counter.checked_add(1).ok_or(Refusal::Form)?;
        if counter < self.next {
            return Err(Refusal::Repeated);
        }
        if OffsetDateTime::now_utc().unix_timestamp() > self.proof.expires {
            return Err(NoProof::Expired.into());
        }
        let opened = self.open.open_in_place(nonce(counter), Aad::from(*head), body);
        let length = opened.map_err(|_| Refusal::Broken)?.len();
        self.next = after;
        if length == 0 {
            return Ok(Opened::Nothing);
        }
        frame.truncate(HEAD + length);
        frame.drain(..HEAD);
        Ok(Opened::Message(frame))
    }
}

/// A notice as it is, for one that cannot have keys.
pub(crate) fn notice(bytes: &[u8]) -> Vec<u8> {
    [&head(NOTICE), bytes].concat()
}

fn head(kind: u8) -> Vec<u8> {
    [&MAGIC[..], &[kind, 0, 0, 0]].concat()
}

fn nonce(counter: u64) -> Nonce {
    let mut bytes = [0; NONCE_LEN];
    bytes[4..].copy_from_slice(&counter.to_le_bytes());
    Nonce::assume_unique_for_key(bytes)
}

fn fresh() -> Option<(EphemeralPrivateKey, Point)> {
    let secret = EphemeralPrivateKey::generate(&X25519, &SystemRandom::new()).ok()?;
    let point = secret.compute_public_key().ok()?;
    Some((secret, point.as_ref().try_into().ok()?))
}
