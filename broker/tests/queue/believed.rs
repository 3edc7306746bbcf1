//! What an agent with a key believes of what lies on the Redis: replies, catalogues and events of routers with it.

use std::sync::Arc;
use std::time::Duration;

use broker::redis::RedisAddress;
use broker::{Feed, Publisher, RequestError, Requester};
use protocol::sign::{About, KeyPair, Keys, Kind};
use protocol::{Done, Event, EventKind, MessageId, Millis, QueueNames, SessionKey};
use redis::Commands;
use testkit::{RedisServer, eventually, wait_until};
use tokio_util::sync::CancellationToken;

use crate::kit::*;

const CATALOG: &str = "{safeclaw:command_queue}:catalog";
const EVENTS: &str = "{safeclaw:command_queue}:events:owner";
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_waits_for_the_real_reply_past_all_that_are_forged() {
    let server = RedisServer::start();
    let (agent, mut redis) = (signing(&server), connect(&server));
    let mut asked = {
        let agent = Arc::clone(&agent);
        tokio::spawn(async move { agent.request(command("m1"), LONG).await })
    };
    let key = "safeclaw:response:m1";
    wait_until("it waits", || redis.llen::<_, usize>(QUEUE).unwrap() == 1);
    let id = MessageId::new("m1").unwrap();
    let other = MessageId::new("m2").unwrap();
    let real = About::reply(&id);
    let body = || br#"{"status":"ok","v":2,"forged":true}"#.to_vec();
    let wrong = Keys::new(KeyPair::new([3; 32], [4; 32]));
    let turned = Keys::new(KeyPair::new([2; 32], [1; 32]));
    let mut changed = keys().sign(&real, body());
    changed[12] ^= 1;
    for forged in [
        body(),
        b"{}".to_vec(),
        wrong.sign(&real, body()),
        turned.sign(&real, body()),
        changed,
        keys().sign(&About { id: other.as_str(), ..real }, body()),
        keys().sign(&About { kind: Kind::ReplyToUnsigned, ..real }, body()),
        keys().sign(&About { kind: Kind::Event, ..real }, body()),
    ] {
        let () = redis.lpush(key, forged).unwrap();
    }
    let early = tokio::time::timeout(Duration::from_millis(300), &mut asked).await;
    assert!(early.is_err(), "a forged reply was believed: {early:?}");
    // More than an agent takes in before a router comes.
    for _ in 0..40 {
        let () = redis.lpush(key, body()).unwrap();
    }
    let runs = Runs::default();
    let _router = echoing(&server, true, &runs);
    let reply = tokio::time::timeout(LONG, asked).await.unwrap().unwrap().unwrap();
    assert_eq!(reply.outcome, Done::default().into());
    assert!(!reply.fields.contains_key("mac") && !reply.fields.contains_key("key_id"));
}

#[test]
fn a_reply_comes_first_whatever_somebody_has_put_in_its_place() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let mut redis = connect(&server);
    let key = "safeclaw:response:m1";
    let () = redis.lpush(key, &["{}", "{}"]).unwrap();
    let _router = echoing(&server, true, &runs);
    // What is sent again while it lies there does not make it two.
    for _ in 0..2 {
        push(&mut redis, &good("m1"));
        served(&mut redis);
    }
    let lie: Vec<Vec<u8>> = redis.lrange(key, 0, -1).unwrap();
    let id = MessageId::new("m1").unwrap();
    assert_eq!(lie.len(), 3);
    assert!(keys().verify(&About::reply(&id), &lie[0]).is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_with_a_key_does_not_believe_a_router_without_one() {
    let server = RedisServer::start();
    let _router = Router::publishing(&server, quick(), answer);
    let agent = signing(&server);
    let asked = agent.request(command("m1"), Duration::from_secs(1)).await;
    assert!(matches!(asked, Err(RequestError::NoReply { .. })), "{asked:?}");
    assert_eq!(*agent.catalog().borrow(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_catalogue_is_believed_when_it_is_signed_and_of_today() {
    let server = RedisServer::start();
    let (agent, mut redis) = (signing(&server), connect(&server));
    let publish = |issued_at: Millis, keys: &Keys| {
        let body = format!(r#"{{"version":"x","cards":[],"issued_at":{}}}"#, issued_at.0);
        keys.sign(&About::only(Kind::Catalog), body.into_bytes())
    };
    let now = Millis::of_this_machine();
    for forged in [
        br#"{"version":"x","cards":[]}"#.to_vec(),
        publish(now, &Keys::new(KeyPair::new([3; 32], [4; 32]))),
        publish(Millis(now.0 - 60_000), &keys()),
        publish(Millis(now.0 + 120_000), &keys()),
    ] {
        let () = redis.set(CATALOG, &forged).unwrap();
        tokio::time::sleep(Duration::from_millis(1_600)).await;
        assert_eq!(*agent.catalog().borrow(), None, "{}", String::from_utf8_lossy(&forged));
    }
    let () = redis.set(CATALOG, publish(Millis::of_this_machine(), &keys())).unwrap();
    eventually("it is believed", async || agent.catalog().borrow().is_some()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_heard_once_and_only_from_a_router() {
    let server = RedisServer::start();
    let address = RedisAddress::new(&server.url()).unwrap();
    let (_responder, publisher) = broker::redis::responder(
        address,
        QueueNames::default(),
        signed(true),
        CancellationToken::new(),
    )
    .unwrap();
    let mut redis = connect(&server);
    let event = |session: &str, at: Millis, text: &str| Event {
        event: EventKind::Notice,
        session: SessionKey::new(session).unwrap(),
        at,
        message_id: None,
        text: Some(text.to_owned()),
        reply: None,
    };
    let now = Millis::of_this_machine();
    let forge = |event: &Event, keys: &Keys| {
        keys.sign(&About::event(&event.session), serde_json::to_vec(event).unwrap())
    };
    publisher.event(&event("owner", now, "first")).await;
    let real: Vec<u8> = redis.lindex(EVENTS, 0).unwrap();
    for forged in [
        serde_json::to_vec(&event("owner", now, "forged")).unwrap(),
        forge(&event("owner", now, "forged"), &Keys::new(KeyPair::new([3; 32], [4; 32]))),
        forge(&event("guest", now, "forged"), &keys()),
        forge(&event("owner", Millis(1), "old"), &keys()),
        altered(&real, "first", "worst"),
        real,
    ] {
        let () = redis.rpush(EVENTS, forged).unwrap();
    }
    publisher.event(&event("owner", now, "second")).await;
    let agent = signing(&server);
    let mut events = agent.events(&SessionKey::new("owner").unwrap()).await;
    for text in ["first", "second"] {
        let heard = tokio::time::timeout(LONG, events.recv()).await.unwrap().unwrap();
        assert_eq!(heard.text.as_deref(), Some(text));
    }
}
