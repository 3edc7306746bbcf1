//! An id is run once, however often it is pushed.

use redis::Commands;
use testkit::{RedisServer, wait_until};

use crate::kit::*;

#[test]
fn copies_over_three_routers_run_once_and_get_one_reply() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let _routers = [(); 3].map(|()| {
        let runs = runs.clone();
        Router::start(&server, quick(), move |request| {
            runs.begin(&request);
            tokio::spawn(async move {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                answer(request);
            });
        })
    });
    for n in 0..200 {
        for _ in 0..5 {
            let () = redis.lpush(QUEUE, legacy(&format!("m{n}"))).unwrap();
        }
    }
    for n in 0..200 {
        reply(&mut redis, &format!("m{n}"));
    }
    wait_until("the copies are gone", || redis.llen::<_, usize>(QUEUE).unwrap() == 0);
    settles(&server);
    assert_eq!(runs.all().len(), 200);
    assert!(runs.all().values().all(|attempts| attempts == &[1]), "{:?}", runs.all());
}

#[test]
fn a_copy_that_comes_after_the_end_gets_the_same_reply() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let _router = answering(&server, &runs);
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    let first = reply(&mut redis, "m1");
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    assert_eq!(reply(&mut redis, "m1"), first);
    assert_eq!(runs.of("m1"), [1]);
    settles(&server);
}

#[test]
fn a_command_that_was_sent_before_and_is_not_known_may_have_been_begun() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let _router = answering(&server, &runs);
    let mut again = command("m1");
    again.envelope.resent = true;
    let () = redis.lpush(QUEUE, again.to_bytes()).unwrap();
    reply(&mut redis, "m1");
    assert_eq!(runs.of("m1"), [2]);
    settles(&server);
}
