//! Replies of the first version that would stay for ever.

use std::time::Duration;

use broker::Responder;
use broker::redis::{RedisAddress, Terms};
use protocol::QueueNames;
use redis::{Commands, Connection};
use testkit::{RedisServer, wait_until};
use tokio_util::sync::CancellationToken;

use crate::kit::*;

/// Puts a list there that has lain untouched for so many seconds.
fn put(redis: &mut Connection, key: &str, idle: u32) {
    let () = redis.lpush("mould", "{}").unwrap();
    let dumped: Vec<u8> = redis::cmd("DUMP").arg("mould").query(redis).unwrap();
    let mut restore = redis::cmd("RESTORE");
    restore.arg(key).arg(0).arg(dumped.as_slice()).arg("REPLACE").arg("IDLETIME").arg(idle);
    restore.query::<()>(redis).unwrap();
}

#[test]
fn a_reply_that_nobody_fetches_does_not_stay_for_ever() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    put(&mut redis, "safeclaw:response:None", 100);
    put(&mut redis, "safeclaw:response:new", 0);
    put(&mut redis, "another:program", 100);
    let terms = Terms { beat: Duration::from_millis(10), ..quick() };
    let _router = Router::start(&server, terms, answer);
    wait_until("the old one has a limit", || {
        redis.ttl::<_, i64>("safeclaw:response:None").unwrap() > 0
    });
    assert_eq!(redis.ttl::<_, i64>("safeclaw:response:new").unwrap(), -1);
    assert_eq!(redis.ttl::<_, i64>("another:program").unwrap(), -1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_routers_share_stays_under_whatever_prefix_the_replies_have() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let names = QueueNames::new(QUEUE, "{safe");
    let shared = names.tagged("store:switch");
    put(&mut redis, &shared, 100);
    put(&mut redis, "{safe-old", 100);
    let terms = Terms { beat: Duration::from_millis(10), ..quick() };
    let (address, closing) = (RedisAddress::new(&server.url()).unwrap(), CancellationToken::new());
    let (mut responder, _publisher) =
        broker::redis::responder(address, names, terms, closing).unwrap();
    let router = tokio::spawn(async move { responder.receive().await.is_some() });
    wait_until("the old reply has a limit", || redis.ttl::<_, i64>("{safe-old").unwrap() > 0);
    assert_eq!(redis.ttl::<_, i64>(&shared).unwrap(), -1);
    router.abort();
}
