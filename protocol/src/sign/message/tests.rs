use proptest::prelude::*;

use super::*;
use crate::{ActionName, Object};

fn keys(n: u8) -> Keys {
    Keys::new(KeyPair::new([n; 32], [n + 1; 32]))
}

fn command(text: &str) -> Command {
    Command {
        message_id: MessageId::new("m1").unwrap(),
        action: ActionName::new("CREATE_POST").unwrap(),
        params: Object::from_iter([("text".to_owned(), text.into())]),
        envelope: Envelope {
            session: Some(SessionKey::new("owner").unwrap()),
            issued_at: Some(Millis(1_700_000_000_000)),
            deadline: Some(Millis(1_700_000_010_000)),
            ..Envelope::current()
        },
    }
}

fn signed(text: &str) -> (Command, Vec<u8>) {
    let command = command(text);
    let bytes = keys(1).sign(&About::command(&command), command.to_bytes());
    (command, bytes)
}

/// As a router does: the parts from the command that it reads, the bytes as they came.
fn taken(bytes: &[u8]) -> bool {
    Command::from_bytes(bytes)
        .is_ok_and(|command| keys(1).verify(&About::command(&command), bytes).is_ok())
}

/// Computed by another implementation (Python's hmac and hashlib), with the bytes 1 and 2, 32 times each, as keys.
#[test]
fn test_vectors() {
    let (_, bytes) = signed("Hi");
    let (id, session) = (MessageId::new("m1").unwrap(), SessionKey::new("owner").unwrap());
    let reply = About::reply(&id);
    let unsigned = About { kind: Kind::ReplyToUnsigned, ..reply };
    let sign = |about: About<'_>, body: &str| keys(1).sign(&about, body.as_bytes().to_vec());
    for (made, expected) in [
        (
            bytes,
            r#"{"message_id":"m1","action":"CREATE_POST","params":{"text":"Hi"},"v":2,"session":"owner","issued_at":1700000000000,"deadline":1700000010000,"key_id":"72cd6e84","mac":"eda724739490ece6350fd069107d22f88f56f8bf9e2d202e52e3536ca4eb1fe0"}"#,
        ),
        (
            sign(reply, r#"{"status":"ok"}"#),
            r#"{"status":"ok","key_id":"75877bb4","mac":"95d47057f4da3cf7ffbf31264440971370e142d21da08404c41cb27f256e155a"}"#,
        ),
        (
            sign(unsigned, r#"{"status":"ok"}"#),
            r#"{"status":"ok","key_id":"75877bb4","mac":"3e3411c22b9d62862cf8c3a08744b25f9edf60ae56de3ae5435a0922669ffc99"}"#,
        ),
        (
            sign(About::event(&session), r#"{"event":"notice"}"#),
            r#"{"event":"notice","key_id":"75877bb4","mac":"927c3402d69118a451263b8e49843ada86083689bf2e3f6abfd73a8af26bce5d"}"#,
        ),
        (
            sign(About::only(Kind::Catalog), r#"{"cards":[]}"#),
            r#"{"cards":[],"key_id":"75877bb4","mac":"202056e4ab77e06c4b4e0ea1b8e1088565dc50b7eeddb30ae28e382c395c4971"}"#,
        ),
    ] {
        assert_eq!(String::from_utf8(made).unwrap(), expected);
    }
}

#[test]
fn what_is_signed_is_a_command_to_every_reader() {
    let (command, bytes) = signed("Hi");
    assert!(taken(&bytes));
    let read = Command::from_bytes(&bytes).unwrap();
    assert_eq!((&read.params, &read.action), (&command.params, &command.action));
    assert!(read.envelope.mac.is_some_and(|mac| bytes.ends_with(format!("{mac}\"}}").as_bytes())));
    let first: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(first["params"]["text"], "Hi");
}

#[test]
fn a_command_that_was_sent_before_is_the_same_command() {
    let (_, bytes) = signed("Hi");
    let again = [&bytes[..bytes.len() - 1], RESENT.as_bytes()].concat();
    assert!(taken(&again) && Command::from_bytes(&again).unwrap().envelope.resent);
    // Once, and nothing else.
    let twice = [&again[..again.len() - 1], RESENT.as_bytes()].concat();
    let more = [&bytes[..bytes.len() - 1], br#","taint":""}"#].concat();
    assert!(!taken(&twice) && !taken(&more));
}

#[test]
fn a_signature_is_good_for_one_kind_one_id_and_one_session() {
    let [one, other] = ["m1", "m2"].map(|id| MessageId::new(id).unwrap());
    let [mine, yours] = ["owner", "guest"].map(|key| SessionKey::new(key).unwrap());
    let body = || br#"{"status":"ok"}"#.to_vec();
    let reply = keys(1).sign(&About::reply(&one), body());
    assert!(keys(1).verify(&About::reply(&one), &reply).is_ok());
    for about in [
        About::reply(&other),
        About { kind: Kind::ReplyToUnsigned, ..About::reply(&one) },
        About::only(Kind::Catalog),
        About { kind: Kind::Event, ..About::reply(&one) },
    ] {
        assert_eq!(keys(1).verify(&about, &reply), Err(BadSignature::Wrong), "{about:?}");
    }
    let event = keys(1).sign(&About::event(&mine), body());
    assert!(keys(1).verify(&About::event(&yours), &event).is_err());
    let command = keys(1).sign(&About { kind: Kind::Command, ..About::cancel(&one) }, body());
    assert_eq!(keys(1).verify(&About::cancel(&one), &command), Err(BadSignature::Wrong));
    // What a router signs is no command, even where one secret serves both ways.
    let same = Keys::new(KeyPair::new([1; 32], [1; 32]));
    let said = same.sign(&About::only(Kind::Catalog), body());
    assert_eq!(same.verify(&About::only(Kind::Command), &said), Err(BadSignature::Wrong));
}

#[test]
fn another_key_and_no_key_are_told_apart() {
    let (command, bytes) = signed("Hi");
    let about = About::command(&command);
    let refused = keys(3).verify(&about, &bytes).unwrap_err();
    assert!(matches!(refused, BadSignature::UnknownKey { .. }), "{refused}");
    assert_eq!(keys(1).verify(&about, &command.to_bytes()), Err(BadSignature::Unsigned));
    for nothing in [&b""[..], b"}", b"{}", RESENT.as_bytes()] {
        assert_eq!(keys(1).verify(&about, nothing), Err(BadSignature::Unsigned));
    }
}

#[test]
fn after_a_rotation_the_old_pair_still_verifies_and_the_new_one_signs() {
    let [old, new] = [3, 5].map(|n| KeyPair::new([n; 32], [n + 1; 32]));
    let both = Keys { first: new.clone(), others: vec![old.clone()] };
    let about = About::only(Kind::Event);
    let body = || br#"{"event":"notice"}"#.to_vec();
    assert!(both.verify(&about, &Keys::new(old.clone()).sign(&about, body())).is_ok());
    assert!(Keys::new(new).verify(&about, &both.sign(&about, body())).is_ok());
    assert!(Keys::new(old).verify(&about, &both.sign(&about, body())).is_err());
}

#[test]
fn no_two_lists_of_parts_are_the_same_input() {
    let parts = |id, session| About { id, session, ..About::only(Kind::Reply) };
    let body = || br#"{"a":1}"#.to_vec();
    let mut macs: Vec<_> = [
        parts("ab", ""),
        parts("a", "b"),
        parts("", "ab"),
        About { deadline: Some(Millis(1)), ..parts("", "") },
        parts("", "1"),
        parts("1", ""),
    ]
    .iter()
    .map(|about| keys(1).sign(about, body()))
    .collect();
    macs.sort();
    macs.dedup();
    assert_eq!(macs.len(), 6);
}

proptest! {
    #[test]
    fn any_changed_byte_is_found(text in ".{0,40}", at: prop::sample::Index, to: u8) {
        let (_, mut bytes) = signed(&text);
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != to);
        bytes[at] = to;
        prop_assert!(!taken(&bytes));
    }

    #[test]
    fn any_byte_more_or_less_is_found(at: prop::sample::Index, more: Option<u8>) {
        let (_, mut bytes) = signed("Hi");
        let at = at.index(bytes.len());
        match more {
            Some(byte) => bytes.insert(at, byte),
            None => { bytes.remove(at); }
        }
        prop_assert!(!taken(&bytes));
    }

    #[test]
    fn never_panics(bytes: Vec<u8>) {
        let _ = keys(1).verify(&About::only(Kind::Command), &bytes);
    }
}

#[test]
fn every_single_bit_counts() {
    let (_, bytes) = signed("Hi");
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            assert!(!taken(&changed), "bit {bit} of byte {at}");
        }
    }
}
