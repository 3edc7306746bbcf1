//! More than can be served.

use broker::redis::Terms;
use broker::{RequestError, Requester};
use protocol::{Code, Outcome, WAITING_MOST};
use redis::Commands;
use testkit::RedisServer;

use crate::kit::*;

#[test]
fn of_a_flood_the_oldest_are_answered_busy_and_the_rest_is_run() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    for n in 0..200 {
        let () = redis.lpush(QUEUE, legacy(&format!("m{n}"))).unwrap();
    }
    let terms = Terms { waiting_most: 20, slots: 2, ..quick() };
    let _router = Router::start(&server, terms, answer);
    let mut ran = 0;
    for n in 0..200 {
        match reply(&mut redis, &format!("m{n}")).outcome {
            Outcome::Done(_) => ran += 1,
            Outcome::Stopped(stopped) => {
                assert_eq!(stopped.code, Code::QueueFull);
                assert_eq!(ran, 0, "m{n} is younger than what was run");
            }
        }
    }
    assert!((20..=60).contains(&ran), "{ran} were run");
    assert!(letters(&mut redis).is_empty());
    settles(&server);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_does_not_push_into_a_full_lane() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    for n in 0..WAITING_MOST {
        let () = redis.lpush(QUEUE, legacy(&format!("m{n}"))).unwrap();
    }
    let full = agent(&server).request(command("late"), LONG).await;
    assert_eq!(full, Err(RequestError::Full { waiting: WAITING_MOST }));
    assert_eq!(redis.llen::<_, usize>(QUEUE).unwrap(), WAITING_MOST);
}
