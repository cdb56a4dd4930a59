//! What holds for every message: it comes back as it was sent, and whatever is not a message is
//! refused. Damaged messages are tried by the fuzz targets of the repository.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

use netfed_net::wire::{HEAD, Kind, Message, Refusal};
use proptest::prelude::*;

/// Numbers as they travel: all that are finite.
fn number() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |v| v.is_finite())
}

fn message() -> impl Strategy<Value = Message> {
    let head = (0u8..11, any::<[u8; 16]>(), any::<[u32; 2]>(), any::<[u64; 3]>());
    (head, prop::collection::vec(number(), 0..40)).prop_map(
        |((kind, federation, [from, to], [sequence, ack, check]), numbers)| Message {
            kind: Kind::of(kind).unwrap(),
            federation,
            from,
            to,
            sequence,
            ack,
            check,
            numbers,
        },
    )
}

proptest! {
    #[test]
    fn every_message_comes_back(sent in message()) {
        let bytes = sent.encode();
        prop_assert_eq!(bytes.len(), HEAD + 8 * sent.numbers.len());
        let back = Message::decode(&bytes, sent.numbers.len()).unwrap();
        prop_assert_eq!(back.encode(), bytes);
        prop_assert_eq!(back, sent);
    }

    #[test]
    fn more_numbers_than_agreed_on_are_refused(sent in message(), less in 1usize..40) {
        prop_assume!(less <= sent.numbers.len());
        let most = sent.numbers.len() - less;
        let refused = Message::decode(&sent.encode(), most).unwrap_err();
        prop_assert_eq!(refused, Refusal::Length { expected: most, found: sent.numbers.len() });
    }

    #[test]
    fn a_message_that_was_cut_or_grew_is_refused(
        sent in message(),
        at in any::<prop::sample::Index>(),
        more in prop::collection::vec(any::<u8>(), 1..20),
    ) {
        let bytes = sent.encode();
        prop_assert!(Message::decode(&bytes[..at.index(bytes.len())], 40).is_err());
        prop_assert!(Message::decode(&[bytes, more].concat(), 40).is_err());
    }

    #[test]
    fn a_number_that_is_not_finite_is_named(
        sent in message(),
        at in any::<prop::sample::Index>(),
        bad in prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
    ) {
        prop_assume!(!sent.numbers.is_empty());
        let mut sent = sent;
        let at = at.index(sent.numbers.len());
        sent.numbers[at] = bad;
        prop_assert_eq!(Message::decode(&sent.encode(), 40), Err(Refusal::NotFinite(at)));
    }
}
