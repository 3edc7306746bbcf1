//! Routers that end as they should.

use std::time::Duration;

use broker::redis::Terms;
use protocol::Code;
use redis::Commands;
use testkit::{RedisServer, wait_until};

use crate::kit::*;

#[test]
fn a_router_that_ends_finishes_what_it_has_begun_and_leaves_the_rest_to_others() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let start = || {
        let runs = runs.clone();
        Router::start(&server, Terms { slots: 4, ..quick() }, move |request| {
            runs.begin(&request);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(30)).await;
                answer(request);
            });
        })
    };
    let first = start();
    for n in 0..40 {
        let () = redis.lpush(QUEUE, legacy(&format!("m{n}"))).unwrap();
    }
    wait_until("it is in the midst of it", || runs.all().len() >= 4);
    first.end();
    settles(&server);
    let left: usize = redis.llen(QUEUE).unwrap();
    let again: usize = redis.llen(AGAIN).unwrap();
    assert_eq!(runs.all().len() + left + again, 40);
    assert!(left > 0, "it went on taking commands");
    let routers: usize = redis.zcard("{safeclaw:command_queue}:routers").unwrap();
    assert_eq!(routers, 0);
    let _second = start();
    for n in 0..40 {
        reply(&mut redis, &format!("m{n}"));
    }
    settles(&server);
    assert!(runs.all().values().all(|attempts| attempts == &[1]), "{:?}", runs.all());
}

#[test]
fn what_is_put_back_is_another_routers_and_was_never_begun() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let first = Router::start(&server, quick(), broker::Request::put_back);
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    wait_until("it has been there", || redis.llen::<_, usize>(AGAIN).unwrap() == 1);
    first.end();
    let _second = Router::start(&server, quick(), answer);
    assert_eq!(reply(&mut redis, "m1").fields["attempt"], 1);
    settles(&server);
}

#[test]
fn what_was_begun_and_is_put_back_has_been_begun() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    let first = Router::start(&server, quick(), broker::Request::run_again);
    wait_until("it has been given up", || !letters(&mut redis).is_empty());
    first.end();
    let reply = reply(&mut redis, "m1");
    assert!(stopped(&reply).maybe_executed, "{reply:?}");
    // Three times, and no more.
    assert_eq!(stopped(&reply).code, Code::Poison);
    settles(&server);
}

#[test]
fn a_rolling_restart_under_load_loses_nothing() {
    let server = RedisServer::start();
    let runs = Runs::default();
    let start = || {
        let runs = runs.clone();
        Router::start(&server, Terms { slots: 4, ..quick() }, move |request| {
            runs.begin(&request);
            answer(request);
        })
    };
    let asking = std::thread::spawn({
        let mut redis = connect(&server);
        move || {
            for n in 0..2_000 {
                let () = redis.lpush(QUEUE, legacy(&format!("m{n}"))).unwrap();
            }
            (0..2_000).for_each(|n| drop(reply(&mut redis, &format!("m{n}"))));
        }
    });
    let mut routers = vec![start(), start(), start()];
    for _ in 0..6 {
        routers.remove(0).end();
        routers.push(start());
    }
    asking.join().unwrap();
    settles(&server);
    assert!(runs.all().values().all(|attempts| attempts == &[1]), "{:?}", runs.all());
}
