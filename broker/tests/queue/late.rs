//! Commands whose time is over.

use std::time::Duration;

use broker::Requester;
use broker::redis::Terms;
use protocol::{Code, MessageId, Millis, Outcome};
use redis::Commands;
use testkit::{RedisServer, wait_until};

use crate::kit::*;

#[test]
fn what_waited_while_no_router_lived_is_not_run_late() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    for id in ["m1", "m2"] {
        let () = redis.lpush(QUEUE, legacy(id)).unwrap();
    }
    let kept = with_deadline("m3", Millis::of_this_machine().after(LONG));
    let () = redis.lpush(QUEUE, kept).unwrap();
    wait_until("it has waited", || {
        let idle: u64 = redis::cmd("OBJECT").arg("IDLETIME").arg(QUEUE).query(&mut redis).unwrap();
        idle >= 2
    });
    let begun = runs.clone();
    let terms = Terms { stale_after: Duration::from_secs(1), ..quick() };
    let _router = Router::start(&server, terms, move |request| {
        begun.begin(&request);
        answer(request);
    });
    for id in ["m1", "m2"] {
        assert_eq!(stopped(&reply(&mut redis, id)).code, Code::Stale);
    }
    // Who says how long it waits is believed.
    reply(&mut redis, "m3");
    let () = redis.lpush(QUEUE, legacy("m4")).unwrap();
    reply(&mut redis, "m4");
    assert_eq!(runs.all().into_keys().collect::<Vec<_>>(), ["m3", "m4"]);
    assert_eq!(letters(&mut redis), ["stale", "stale"]);
    settles(&server);
}

#[test]
fn the_owner_can_have_late_commands_run_all_the_same() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    wait_until("it has waited", || {
        let idle: u64 = redis::cmd("OBJECT").arg("IDLETIME").arg(QUEUE).query(&mut redis).unwrap();
        idle >= 2
    });
    let _router = Router::start(&server, Terms { stale_after: Duration::ZERO, ..quick() }, answer);
    assert_eq!(reply(&mut redis, "m1").fields["attempt"], 1);
}

#[test]
fn nothing_is_begun_after_its_deadline_by_the_servers_clock() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let begun = runs.clone();
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(&mut redis).unwrap();
    let now = seconds * 1_000 + micros / 1_000;
    for n in 0..200 {
        // One of two is over when it is pushed, by as little as a millisecond.
        let deadline = if n % 2 == 0 { now - 1 - n } else { now + 600_000 };
        let () = redis.lpush(QUEUE, with_deadline(&format!("m{n}"), Millis(deadline))).unwrap();
    }
    let _router = Router::start(&server, quick(), move |request| {
        begun.begin(&request);
        answer(request);
    });
    for n in 0..200 {
        let reply = reply(&mut redis, &format!("m{n}"));
        match n % 2 {
            0 => assert_eq!(stopped(&reply).code, Code::Deadline),
            _ => assert!(matches!(reply.outcome, Outcome::Done(_))),
        }
    }
    assert_eq!(runs.all().len(), 100);
    assert_eq!(letters(&mut redis).len(), 100);
    settles(&server);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queued_command_that_is_taken_back_is_not_begun_by_any_router() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let taken_back: Vec<String> = (0..100).map(|n| format!("m{n}")).collect();
    // A catalogue says that a router of this version reads what is taken back.
    let () =
        redis.set("{safeclaw:command_queue}:catalog", r#"{"version":"1","cards":[]}"#).unwrap();
    let () = redis.expire("{safeclaw:command_queue}:catalog", 60).unwrap();
    let agent = agent(&server);
    let mut catalog = broker::Feed::catalog(&agent);
    catalog.wait_for(Option::is_some).await.unwrap();
    for id in &taken_back {
        let () =
            redis.lpush(QUEUE, with_deadline(id, Millis::of_this_machine().after(LONG))).unwrap();
        agent.cancel(&MessageId::new(id.as_str()).unwrap()).await;
    }
    let begun = [runs.clone(), runs.clone()];
    let _routers = begun.map(|begun| {
        Router::start(&server, quick(), move |request| {
            begun.begin(&request);
            answer(request);
        })
    });
    tokio::task::block_in_place(|| {
        for id in &taken_back {
            assert_eq!(stopped(&reply(&mut redis, id)).code, Code::Cancelled);
        }
    });
    assert!(runs.all().is_empty(), "{:?}", runs.all());
    tokio::task::block_in_place(|| settles(&server));
}
