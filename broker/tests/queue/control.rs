//! Words that take commands back, where there are keys: who has none takes nothing back.

use std::time::Duration;

use broker::{Feed, Request, Requester};
use protocol::sign::{About, KeyPair, Keys};
use protocol::{Code, MessageId, Millis, Outcome};
use redis::Commands;
use testkit::{RedisServer, eventually, wait_until};
use tokio::sync::mpsc;

use crate::kit::*;

/// The word that takes `id` back, said by whoever has `keys` at `issued_at`.
fn word(id: &str, issued_at: Millis, keys: &Keys) -> Vec<u8> {
    let body = format!(r#"{{"cancel":"{id}","issued_at":{}}}"#, issued_at.0);
    keys.sign(&About::cancel(&MessageId::new(id).unwrap()), body.into_bytes())
}

/// Words that would take `id` back if nobody looked.
fn forged(id: &str) -> Vec<Vec<u8>> {
    let now = Millis::of_this_machine();
    let named = MessageId::new(id).unwrap();
    let body = || format!(r#"{{"cancel":"{id}","issued_at":{}}}"#, now.0).into_bytes();
    let hour = Duration::from_secs(3_600);
    let unsaid = format!(r#"{{"cancel":"{id}"}}"#);
    vec![
        unsaid.clone().into_bytes(),
        body(),
        word(id, now, &Keys::new(KeyPair::new([3; 32], [4; 32]))),
        word(id, now, &Keys::new(KeyPair::new([2; 32], [1; 32]))),
        altered(&word("other", now, &keys()), "other", id),
        word(id, Millis(now.0 - 3_600_000), &keys()),
        word(id, now.after(hour), &keys()),
        keys().sign(&About::cancel(&named), unsaid.into_bytes()),
        keys().sign(&About::reply(&named), body()),
        keys().sign(&About::command(&command(id)), body()),
        format!(r#"{{"cancel":"{id}","x":"{}"}}"#, "x".repeat(2_000)).into_bytes(),
        b"{".to_vec(),
    ]
}

fn say(redis: &mut redis::Connection, words: &[Vec<u8>]) {
    let () = redis.lpush(CONTROL, words).unwrap();
}

/// Waits until every word has been looked at.
fn heard(redis: &mut redis::Connection) {
    wait_until("every word is heard", || redis.llen::<_, usize>(CONTROL).unwrap() == 0);
}

/// A router with keys whose commands run until they are taken back, or for as long as the test holds them.
fn holding(server: &RedisServer) -> (Router, mpsc::UnboundedReceiver<Request>) {
    let (sender, begun) = mpsc::unbounded_channel();
    let router = Router::publishing(server, signed(true), move |request| {
        let _ = sender.send(request);
    });
    (router, begun)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_no_key_stops_nothing_that_runs_and_who_has_it_does() {
    let server = RedisServer::start();
    let (_router, mut begun) = holding(&server);
    let (agent, mut redis) = (signing(&server), connect(&server));
    eventually("the agent knows of a router", async || agent.catalog().borrow().is_some()).await;
    push(&mut redis, &good("m1"));
    let request = begun.recv().await.unwrap();
    say(&mut redis, &forged("m1"));
    heard(&mut redis);
    let state: String = redis.get(format!("{STATE}m1")).unwrap();
    assert!(state.starts_with("running ") && !state.ends_with(" cancelled"), "{state}");
    assert!(!request.cancelled().is_cancelled());
    agent.cancel(&MessageId::new("m1").unwrap()).await;
    tokio::time::timeout(LONG, request.cancelled().cancelled()).await.unwrap();
    // Said again, it takes back the same command and no other.
    push(&mut redis, &good("m2"));
    let other = begun.recv().await.unwrap();
    say(&mut redis, &[word("m1", Millis::of_this_machine(), &keys())]);
    heard(&mut redis);
    assert!(!other.cancelled().is_cancelled());
}

#[test]
fn what_was_rightly_taken_back_before_a_claim_is_not_begun_and_nothing_else_is_kept_from_it() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let mut redis = connect(&server);
    for id in ["kept", "taken"] {
        push(&mut redis, &good(id));
    }
    say(&mut redis, &[word("taken", Millis::of_this_machine(), &keys())]);
    say(&mut redis, &forged("kept"));
    let began = runs.clone();
    let _router = Router::start(&server, signed(true), move |request| {
        began.begin(&request);
        answer(request);
    });
    assert!(matches!(reply(&mut redis, "kept").outcome, Outcome::Done(_)));
    assert_eq!(stopped(&reply(&mut redis, "taken")).code, Code::Cancelled);
    assert_eq!(runs.all().into_keys().collect::<Vec<_>>(), ["kept"]);
    heard(&mut redis);
    settles(&server);
}

#[test]
fn who_floods_the_list_keeps_nothing_from_being_served() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let mut redis = connect(&server);
    push(&mut redis, &good("m1"));
    for _ in 0..100 {
        say(&mut redis, &forged("m1"));
    }
    let began = runs.clone();
    let _router = Router::start(&server, signed(true), move |request| {
        began.begin(&request);
        answer(request);
    });
    assert!(matches!(reply(&mut redis, "m1").outcome, Outcome::Done(_)));
    heard(&mut redis);
}

#[test]
fn where_no_key_is_set_a_word_needs_none() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let mut redis = connect(&server);
    let () = redis.lpush(QUEUE, &[legacy("m1"), legacy("m2")]).unwrap();
    // An agent may have its key before its router does.
    let signed = word("m2", Millis::of_this_machine(), &keys());
    say(&mut redis, &[br#"{"cancel":"m1"}"#.to_vec(), signed]);
    let _router = answering(&server, &runs);
    for id in ["m1", "m2"] {
        assert_eq!(stopped(&reply(&mut redis, id)).code, Code::Cancelled);
    }
    assert!(runs.all().is_empty());
}
