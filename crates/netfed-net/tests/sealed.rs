//! What goes through routers: nothing can be read, altered, forged or repeated on its way.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, reason = "tests")]

use netfed_net::authority;
use netfed_net::credentials::{Credentials, NoProof};
use netfed_net::description::DESCRIPTION;
use netfed_net::revoked::{Revoked, revoke};
use netfed_net::sealed::{Channel, Ends, OVERHEAD, Opened, Refusal};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

struct Place(tempfile::TempDir);

impl Place {
    /// An authority with certificates of a and b, and an old one of a.
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::write(path.join(DESCRIPTION), "").unwrap();
        authority::create(path, "f", 30).unwrap();
        authority::sign(path).unwrap();
        for (name, days) in [("a", 30), ("b", 30), ("old", -1)] {
            let named = if name == "old" { "a" } else { name };
            authority::invite(path, &path.join(name), "f", named, None, days).unwrap();
        }
        Place(folder)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// The end of a, with the certificate in a folder.
    fn first(&self, folder: &Path) -> Channel {
        channel(folder, [9; 16], "a", "b")
    }

    /// The end of b.
    fn second(&self) -> Channel {
        channel(&self.path("b"), [9; 16], "b", "a")
    }
}

fn channel(folder: &Path, federation: [u8; 16], us: &str, them: &str) -> Channel {
    with(Arc::new(Credentials::read(folder).unwrap()), federation, us, them)
}

fn with(credentials: Arc<Credentials>, federation: [u8; 16], us: &str, them: &str) -> Channel {
    Channel::new(credentials, Ends { federation, us: us.into(), them: them.into() })
}

fn reply(opened: Result<Opened, Refusal>) -> Vec<u8> {
    match opened {
        Ok(Opened::Reply(frame)) => frame,
        other => panic!("{other:?}"),
    }
}

/// Two ends with keys; gives hello and answer.
fn agree(a: &mut Channel, b: &mut Channel) -> (Vec<u8>, Vec<u8>) {
    let hello = a.seal(b"lost").unwrap();
    let answer = reply(b.open(hello.clone()));
    let sign = reply(a.open(answer.clone()));
    assert_eq!(b.open(sign), Ok(Opened::Nothing));
    (hello, answer)
}

fn says(from: &mut Channel, to: &mut Channel, text: &[u8]) {
    let frame = from.seal(text).unwrap();
    assert_eq!(to.open(frame), Ok(Opened::Message(text.to_vec())));
}

#[test]
fn both_ends_understand_each_other_and_nobody_else_does() {
    let place = Place::new();
    let (mut a, mut b) = (place.first(&place.path("a")), place.second());
    agree(&mut a, &mut b);
    let text = b"a model, which a router must not see";
    let frame = a.seal(text).unwrap();
    assert_eq!(frame.len(), text.len() + OVERHEAD);
    assert!(!frame.windows(7).any(|w| w == &text[..7]), "it travels in the clear");
    assert_ne!(a.seal(text).unwrap()[24..], frame[24..], "the same text looks the same twice");
    assert_eq!(b.open(frame), Ok(Opened::Message(text.to_vec())));
    says(&mut b, &mut a, b"and back");
}

#[test]
fn what_is_altered_or_repeated_is_refused() {
    let place = Place::new();
    let (mut a, mut b) = (place.first(&place.path("a")), place.second());
    agree(&mut a, &mut b);
    let good = a.seal(&[1, 2, 3, 4]).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert!(!matches!(b.open(bad), Ok(Opened::Message(_))), "byte {at}");
    }
    for cut in [0, 7, 8, 20, 24, good.len() - 1] {
        assert!(!matches!(b.open(good[..cut].to_vec()), Ok(Opened::Message(_))), "cut at {cut}");
    }
    // A message of one direction is none of the other.
    assert_eq!(a.open(good.clone()), Err(Refusal::Broken));
    assert_eq!(b.open(good.clone()), Ok(Opened::Message(vec![1, 2, 3, 4])));
    assert_eq!(b.open(good), Err(Refusal::Repeated));
    let (first, second) = (a.seal(b"first").unwrap(), a.seal(b"second").unwrap());
    assert_eq!(b.open(second), Ok(Opened::Message(b"second".to_vec())));
    assert_eq!(b.open(first), Err(Refusal::Repeated), "an overtaken message is asked for again");
}

#[test]
fn who_cannot_prove_itself_gets_no_keys() {
    let place = Place::new();
    let refused = |mut a: Channel, why: NoProof| {
        let hello = a.seal(b"x").unwrap();
        assert_eq!(place.second().open(hello), Err(Refusal::NoProof(why)));
    };
    let other = Place::new();
    refused(place.first(&other.path("a")), NoProof::Certificate);
    refused(place.first(&place.path("b")), NoProof::Name);
    refused(place.first(&place.path("old")), NoProof::Expired);
    // A proof of one federation, or towards one member, is none for another.
    refused(channel(&place.path("a"), [8; 16], "a", "b"), NoProof::Signature);
    refused(channel(&place.path("a"), [9; 16], "a", "c"), NoProof::Signature);
    // A certificate without its key.
    std::fs::copy(place.path("a/member.crt"), place.path("b/member.crt")).unwrap();
    let stolen = place.first(&place.path("b"));
    let hello = { stolen }.seal(b"x").unwrap();
    let mut b = channel(&place.path("a"), [9; 16], "b", "a");
    assert_eq!(b.open(hello), Err(Refusal::NoProof(NoProof::Signature)));
}

#[test]
fn a_changed_hello_or_answer_is_refused() {
    let place = Place::new();
    let (mut a, mut b) = (place.first(&place.path("a")), place.second());
    let hello = a.seal(b"x").unwrap();
    // Form and own point; length of the certificate, and what its authority has signed; the
    // signature.
    let end = hello.len();
    for at in (4..40).chain(72..300).chain(end - 68..end) {
        let mut bad = hello.clone();
        bad[at] ^= 4;
        assert!(place.second().open(bad).is_err(), "byte {at}");
    }
    let answer = reply(b.open(hello));
    let mut bad = answer.clone();
    bad[8] ^= 1;
    assert_eq!(a.open(bad), Err(Refusal::NoProof(NoProof::Signature)));
    reply(a.open(answer));
}

#[test]
fn old_messages_do_not_disturb_new_keys() {
    let place = Place::new();
    let (mut a, mut b) = (place.first(&place.path("a")), place.second());
    let (old_hello, old_answer) = agree(&mut a, &mut b);
    let old = a.seal(b"of an earlier run").unwrap();
    // b starts again, has no keys, and knocks; a says hello anew. What it says meanwhile is lost.
    let mut b = place.second();
    std::thread::sleep(Duration::from_millis(120));
    let knock = reply(b.open(old.clone()));
    let hello = reply(a.open(knock));
    let answer = reply(b.open(hello.clone()));
    assert_eq!(reply(b.open(hello)), answer, "the same hello, the same answer");
    let sign = reply(a.open(answer));
    assert_eq!(b.open(sign), Ok(Opened::Nothing));
    says(&mut a, &mut b, b"again");
    // A router sends old things again: neither end is moved.
    assert!(!matches!(b.open(old), Ok(Opened::Message(_))));
    reply(b.open(old_hello));
    let mut forged = b.seal(b"x").unwrap();
    forged[30] ^= 1;
    assert!(a.open(forged).is_err());
    a.open(old_answer).unwrap();
    says(&mut a, &mut b, b"still");
    says(&mut b, &mut a, b"there");
    // a starts again, too.
    let mut a = place.first(&place.path("a"));
    agree(&mut a, &mut b);
    says(&mut b, &mut a, b"new keys");
}

#[test]
fn keys_of_a_revoked_certificate_open_nothing() {
    let place = Place::new();
    let known = Arc::new(Credentials::read(&place.path("b")).unwrap());
    let mut b = with(known.clone(), [9; 16], "b", "a");
    let mut a = place.first(&place.path("a"));
    agree(&mut a, &mut b);
    let (before, after) = (a.seal(b"before").unwrap(), a.seal(b"after").unwrap());
    assert_eq!(b.open(before), Ok(Opened::Message(b"before".to_vec())));
    authority::renew(place.0.path(), &place.path("new"), "f", "a", None, 30).unwrap();
    let (list, _) = Revoked::read(place.0.path()).unwrap();
    assert!(known.take(list.clone()) && !known.take(list));
    assert_eq!(b.open(after), Err(Refusal::NoProof(NoProof::Revoked)));
    assert!(!b.is_open() && a.is_open());
    assert!(b.seal(b"for a").unwrap().len() < 10, "without keys there is a knock only");
    let mut thief = place.first(&place.path("a"));
    let hello = thief.seal(b"x").unwrap();
    assert_eq!(b.open(hello), Err(Refusal::NoProof(NoProof::Revoked)));
    let mut renewed = place.first(&place.path("new"));
    agree(&mut renewed, &mut b);
    says(&mut renewed, &mut b, b"with the new certificate");
    // An older list changes nothing, and a member without any certificate left has none that is
    // good.
    assert!(!known.take(Revoked::default()));
    let last = authority::last_serial(place.0.path()).unwrap();
    known.take(revoke(place.0.path(), "a", last + 1).unwrap());
    let late = renewed.seal(b"late").unwrap();
    assert_eq!(b.open(late), Err(Refusal::NoProof(NoProof::Revoked)));
}
