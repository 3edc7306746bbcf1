//! A Redis that goes away, forgets, or refuses.

use std::sync::Arc;

use broker::{Feed, Publisher, Requester, Responder};
use protocol::{Catalog, Outcome, QueueNames};
use redis::Commands;
use testkit::{RedisServer, RedisSetup, eventually, wait_until};
use tokio_util::sync::CancellationToken;

use crate::kit::*;

/// Asks for `id` while a router lives, and lets the server do `meanwhile` once the command is begun.
async fn through(
    server: &mut RedisServer,
    meanwhile: impl FnOnce(&mut RedisServer),
) -> (Outcome, Runs) {
    let address = broker::redis::RedisAddress::new(&server.url()).unwrap();
    let names = QueueNames::default();
    let (mut router, publisher) =
        broker::redis::responder(address, names, quick(), CancellationToken::new()).unwrap();
    publisher.catalog(&Catalog { version: "1".to_owned(), cards: Vec::new() }).await;
    let agent = Arc::new(agent(server));
    agent.catalog().wait_for(Option::is_some).await.unwrap();
    let asking = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { agent.request(command("m1"), LONG).await }
    });
    let runs = Runs::default();
    let request = router.receive().await.unwrap();
    runs.begin(&request);
    tokio::task::block_in_place(|| meanwhile(server));
    answer(request);
    let begun = runs.clone();
    tokio::spawn(async move {
        while let Some(request) = router.receive().await {
            begun.begin(&request);
            answer(request);
        }
    });
    let reply = tokio::time::timeout(LONG, asking).await.unwrap().unwrap().unwrap();
    (reply.outcome, runs)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_turn_survives_a_restart_of_a_redis_that_keeps_what_it_has() {
    let mut server = RedisSetup::default().durable().start();
    let (outcome, runs) = through(&mut server, |server| {
        server.kill();
        server.restart();
    })
    .await;
    assert!(matches!(outcome, Outcome::Done(_)), "{outcome:?}");
    assert_eq!(runs.of("m1"), [1]);
    tokio::task::block_in_place(|| settles(&server));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_redis_that_forgets_everything_does_not_make_a_second_first_time() {
    let mut server = RedisServer::start();
    let (outcome, runs) = through(&mut server, |server| {
        server.kill();
        server.restart();
    })
    .await;
    assert!(matches!(outcome, Outcome::Done(_)), "{outcome:?}");
    // Whoever began it again was told that it is not the first time.
    assert!(matches!(runs.of("m1")[..], [1] | [1, 2]), "{:?}", runs.of("m1"));
}

#[test]
fn routers_survive_what_a_server_can_say() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let _router = Router::start(&server, quick(), answer);
    let mut asked = 0;
    let mut is_served = || {
        asked += 1;
        let id = format!("m{asked}");
        wait_until("it is pushed", || {
            connect(&server).lpush::<_, _, ()>(QUEUE, legacy(&id)).is_ok()
        });
        matches!(reply(&mut connect(&server), &id).outcome, Outcome::Done(_))
    };
    assert!(is_served());
    let mut say = |words: &[&str]| {
        let mut command = redis::cmd(words[0]);
        words[1..].iter().for_each(|word| {
            command.arg(*word);
        });
        let _: redis::Value = command.query(&mut redis).unwrap();
    };
    say(&["SCRIPT", "FLUSH"]);
    assert!(is_served());
    say(&["FLUSHALL"]);
    assert!(is_served());
    for [stop, go_on] in [
        ["CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"],
        ["REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"],
        ["CONFIG SET min-replicas-to-write 1", "CONFIG SET min-replicas-to-write 0"],
    ] {
        say(&stop.split(' ').collect::<Vec<_>>());
        let refused = connect(&server).lpush::<_, _, ()>("other", "x");
        assert!(refused.is_err(), "{stop}");
        let before = refused_scripts(&server);
        wait_until("a router is refused", || refused_scripts(&server) > before);
        say(&go_on.split(' ').collect::<Vec<_>>());
        assert!(is_served(), "{stop}");
    }
    settles(&server);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_says_that_the_queue_is_gone_and_does_not_hang() {
    let mut server = RedisServer::start();
    let agent = Arc::new(agent(&server));
    let asking = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { agent.request(command("m1"), std::time::Duration::from_secs(3)).await }
    });
    let mut redis = connect(&server);
    eventually("it is pushed", async || redis.llen::<_, usize>(QUEUE).unwrap() == 1).await;
    server.kill();
    let error = asking.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("may have arrived"), "{error}");
}

/// How many scripts the server has refused or broken off.
fn refused_scripts(server: &RedisServer) -> u64 {
    let info: String = redis::cmd("INFO").arg("commandstats").query(&mut connect(server)).unwrap();
    let scripts = info.lines().filter(|line| line.starts_with("cmdstat_evalsha"));
    let counts = scripts.flat_map(|line| line.split(','));
    let counts = counts.filter_map(|part| {
        part.strip_prefix("rejected_calls=").or_else(|| part.strip_prefix("failed_calls="))
    });
    counts.filter_map(|count| count.trim().parse::<u64>().ok()).sum()
}
