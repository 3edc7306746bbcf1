//! A third writer on the Redis, who has all rights there and no key.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use broker::Request;
use broker::redis::look::{Look, RetryError, Target};
use broker::redis::{RedisAddress, Terms};
use protocol::sign::{About, KeyPair, Keys};
use protocol::{Code, Command, Done, MessageId, Millis, Object, Outcome, QueueNames, Reply};
use redis::{Commands, Connection};
use testkit::{RedisServer, wait_until};

use crate::kit::*;

fn code(redis: &mut Connection, id: &str) -> Code {
    stopped(&reply(redis, id)).code
}

#[test]
fn what_is_not_signed_with_the_key_is_answered_so_and_never_run() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let _router = echoing(&server, true, &runs);
    let mut redis = connect(&server);
    let now = Millis::of_this_machine();
    let wrong = Keys::new(KeyPair::new([3; 32], [4; 32]));
    let turned = Keys::new(KeyPair::new([2; 32], [1; 32]));
    let far = command_of("far", now, Duration::from_secs(31 * 60));
    let early = command_of("early", now.after(Duration::from_secs(120)), LONG);
    let mut endless = command("endless");
    endless.envelope.issued_at = Some(now);
    for (id, command) in [
        ("plain", legacy("plain").into_bytes()),
        ("other", bytes(&command_of("other", now, LONG), &wrong)),
        ("turned", bytes(&command_of("turned", now, LONG), &turned)),
        ("params", altered(&good("params"), r#""params":{}"#, r#""params":{"x":1}"#)),
        ("action", altered(&good("action"), "ECHO", "ECHU")),
        ("moved", altered(&good("first"), "first", "moved")),
        ("half", altered(&good("half"), r#","mac":"#, r#","mac_":"#)),
        ("space", altered(&good("space"), r#""mac":"#, r#" "mac":"#)),
        ("far", bytes(&far, &keys())),
        ("early", bytes(&early, &keys())),
        ("endless", bytes(&endless, &keys())),
    ] {
        push(&mut redis, &command);
        assert_eq!(code(&mut redis, id), Code::BadSignature, "{id}");
        served(&mut redis);
        let state: Option<String> = redis.get(format!("{STATE}{id}")).unwrap();
        assert_eq!(state, None, "{id} is remembered");
    }
    push(&mut redis, &good("good"));
    assert!(matches!(reply(&mut redis, "good").outcome, Outcome::Done(_)));
    assert_eq!(runs.all().into_keys().collect::<Vec<_>>(), ["good"]);
    settles(&server);
}

#[test]
fn unsigned_commands_are_served_unless_that_is_switched_off_but_forged_ones_never() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let _router = echoing(&server, false, &runs);
    let mut redis = connect(&server);
    push(&mut redis, legacy("plain").as_bytes());
    assert!(matches!(reply(&mut redis, "plain").outcome, Outcome::Done(_)));
    push(&mut redis, &altered(&good("forged"), "ECHO", "ECHU"));
    assert_eq!(code(&mut redis, "forged"), Code::BadSignature);
    assert_eq!(runs.of("forged"), Vec::<u32>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_is_sent_again_gets_the_same_reply_and_is_not_run_again() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let _router = echoing(&server, true, &runs);
    let mut redis = connect(&server);
    let sent = good("m1");
    let again = [&sent[..sent.len() - 1], br#","resent":true}"#].concat();
    push(&mut redis, &sent);
    let first = reply(&mut redis, "m1");
    for copy in [&sent, &again, &sent] {
        push(&mut redis, copy);
        assert_eq!(reply(&mut redis, "m1"), first);
    }
    // What the same id says in other bytes gets that reply as well, and nothing is run.
    push(&mut redis, &altered(&sent, r#""params":{}"#, r#""params":{"x":1}"#));
    assert_eq!(reply(&mut redis, "m1"), first);
    assert_eq!(runs.of("m1"), [1]);
    let kept: u64 = redis.pttl(format!("{STATE}m1")).unwrap();
    assert!(kept > 60_000, "{kept}");
}

#[test]
fn an_end_is_remembered_until_a_minute_after_the_signed_deadline() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let _router = echoing(&server, true, &runs);
    let mut redis = connect(&server);
    let life = Duration::from_secs(29 * 60);
    push(&mut redis, &bytes(&command_of("m1", Millis::of_this_machine(), life), &keys()));
    reply(&mut redis, "m1");
    let kept: u64 = redis.pttl(format!("{STATE}m1")).unwrap();
    assert!(kept > 29 * 60_000, "{kept}");
}

#[test]
fn a_replay_is_not_run_though_somebody_has_taken_the_memory_away() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let _router = echoing(&server, true, &runs);
    let mut redis = connect(&server);
    let sent = good("m1");
    push(&mut redis, &sent);
    reply(&mut redis, "m1");
    let () = redis.del(format!("{STATE}m1")).unwrap();
    push(&mut redis, &sent);
    served(&mut redis);
    let answered: bool = redis.exists("safeclaw:response:m1").unwrap();
    assert_eq!((runs.of("m1"), answered), (vec![1], false));
}

#[test]
fn a_replay_after_its_deadline_is_late() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let mut redis = connect(&server);
    let sent = bytes(&command_of("m1", Millis(1), LONG), &keys());
    let _router = echoing(&server, true, &runs);
    push(&mut redis, &sent);
    assert_eq!(code(&mut redis, "m1"), Code::Deadline);
    assert!(runs.all().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forged_command_with_the_id_of_a_real_one_does_not_displace_it() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let sent = good("m1");
    let forged = altered(&sent, r#""params":{}"#, r#""params":{"x":1}"#);
    // Before the real one, in one claim with it, and with its mac; and behind it.
    for command in [&forged, &sent, &forged] {
        push(&mut redis, command);
    }
    let runs = Runs::default();
    let _router = echoing(&server, true, &runs);
    let id = MessageId::new("m1").unwrap();
    let mut answers = Vec::new();
    wait_until("all three are answered, as far as they are", || {
        let popped: Option<(String, Vec<u8>)> = redis.blpop("safeclaw:response:m1", 1.0).unwrap();
        let Some((_, bytes)) = popped else { return answers.len() > 1 };
        let is_believed = keys().verify(&About::reply(&id), &bytes).is_ok();
        answers.push((is_believed, Reply::from_bytes(&bytes).unwrap()));
        false
    });
    for (is_believed, reply) in &answers {
        assert_eq!(*is_believed, matches!(reply.outcome, Outcome::Done(_)), "{reply:?}");
    }
    assert!(answers.iter().any(|(is_believed, _)| *is_believed), "{answers:?}");
    assert_eq!(runs.of("m1"), [1]);
    served(&mut redis);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_letter_is_signed_anew_when_it_was_signed_and_only_then() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let late = |id: &str| command_of(id, Millis(1), LONG);
    for command in [
        bytes(&late("m1"), &keys()),
        // Letters that anybody may have put there.
        altered(&bytes(&late("m2"), &keys()), "ECHO", "ECHU"),
        late("m3").to_bytes(),
    ] {
        let dead = serde_json::json!({
            "reason": "deadline", "message": "late", "at": 1, "attempts": 0, "router": "r",
            "message_id": Command::from_bytes(&command).unwrap().message_id,
            "raw": String::from_utf8(command).unwrap(),
        });
        let () = redis.lpush(LETTERS, dead.to_string()).unwrap();
    }
    let runs = Runs::default();
    let _router = echoing(&server, true, &runs);
    let look = |terms: Terms| Look::connect(address(&server), QueueNames::default(), terms);
    let retry = async |id: &str, terms: Terms| {
        let look = look(terms).await.unwrap();
        let found = look.find(&Target::Id(MessageId::new(id).unwrap())).await.unwrap();
        look.retry(&found.letters[0]).await
    };
    assert!(matches!(retry("m2", signed(false)).await, Err(RetryError::NoCommand(_))));
    assert!(matches!(retry("m3", signed(true)).await, Err(RetryError::NoCommand(_))));
    retry("m1", signed(true)).await.unwrap();
    assert!(matches!(reply(&mut redis, "m1").outcome, Outcome::Done(_)));
    // Where unsigned commands are served, it goes as it came.
    retry("m3", signed(false)).await.unwrap();
    assert_eq!(code(&mut redis, "m3"), Code::BadSignature);
    assert_eq!(runs.all().into_keys().collect::<Vec<_>>(), ["m1"]);
}

fn address(server: &RedisServer) -> RedisAddress {
    RedisAddress::new(&server.url()).unwrap()
}

#[test]
fn a_command_that_its_router_took_with_it_is_served_by_another() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let began = runs.clone();
    let dying = Router::start(&server, signed(true), move |request: Request| {
        began.begin(&request);
        std::mem::forget(request);
    });
    let mut redis = connect(&server);
    push(&mut redis, &good("m1"));
    wait_until("it is begun", || !runs.of("m1").is_empty());
    dying.kill();
    let _other = echoing(&server, true, &runs);
    assert_eq!(
        reply(&mut redis, "m1").outcome,
        Done { result: Object::new(), ..Done::default() }.into()
    );
    assert_eq!(runs.of("m1"), [1, 2]);
}

#[test]
fn a_command_that_is_put_back_unbegun_is_no_replay() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let began = runs.clone();
    let _router = Router::start(&server, signed(true), move |request: Request| {
        if runs.of("m1").is_empty() {
            runs.begin(&request);
            request.put_back();
        } else {
            answer(request);
        }
    });
    let mut redis = connect(&server);
    push(&mut redis, &good("m1"));
    assert!(matches!(reply(&mut redis, "m1").outcome, Outcome::Done(_)));
    assert_eq!(began.of("m1"), [1]);
}

#[test]
fn a_command_that_was_taken_here_is_not_unbegun_because_somebody_writes_so() {
    let (server, runs) = (RedisServer::start(), Runs::default());
    let began = runs.clone();
    let may_have = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&may_have);
    let _router = Router::start(&server, signed(true), move |request: Request| {
        runs.begin(&request);
        told.lock().unwrap().push(request.may_have_begun());
        answer(request);
    });
    let mut redis = connect(&server);
    let command = good("m1");
    push(&mut redis, &command);
    reply(&mut redis, "m1");
    // Everything that the server remembers of it is taken away, and it lies there as if a router had died early.
    let () = redis.del(format!("{STATE}m1")).unwrap();
    let () = redis.rpush(AGAIN, [&b"1 normal~ m1\n"[..], &command].concat()).unwrap();
    wait_until("it is taken again", || began.of("m1") == [1, 2]);
    wait_until("it is told of", || *may_have.lock().unwrap() == [false, true]);
}
