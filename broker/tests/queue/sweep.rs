//! Replies of the first version that would stay for ever.

use std::time::Duration;

use broker::redis::Terms;
use redis::Commands;
use testkit::{RedisServer, wait_until};

use crate::kit::*;

#[test]
fn a_reply_that_nobody_fetches_does_not_stay_for_ever() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let () = redis.lpush("safeclaw:response:None", "{}").unwrap();
    let dumped: Vec<u8> =
        redis::cmd("DUMP").arg("safeclaw:response:None").query(&mut redis).unwrap();
    let mut restore = |key: &str, idle: u32| {
        let mut restore = redis::cmd("RESTORE");
        restore.arg(key).arg(0).arg(dumped.as_slice()).arg("REPLACE").arg("IDLETIME").arg(idle);
        restore.query::<()>(&mut redis).unwrap();
    };
    restore("safeclaw:response:None", 100);
    restore("safeclaw:response:new", 0);
    restore("another:program", 100);
    let terms = Terms { beat: Duration::from_millis(10), ..quick() };
    let _router = Router::start(&server, terms, answer);
    wait_until("the old one has a limit", || {
        redis.ttl::<_, i64>("safeclaw:response:None").unwrap() > 0
    });
    assert_eq!(redis.ttl::<_, i64>("safeclaw:response:new").unwrap(), -1);
    assert_eq!(redis.ttl::<_, i64>("another:program").unwrap(), -1);
}
