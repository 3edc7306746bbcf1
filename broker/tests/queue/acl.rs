//! An agent whose Redis user may do only what an agent does. It needs Redis 7.0 or later.

use std::sync::Arc;

use broker::redis::{RedisAddress, RedisRequester};
use broker::{Feed, Requester};
use protocol::{Outcome, QueueNames, SessionKey};
use redis::Commands;
use testkit::RedisSetup;

use crate::kit::*;

/// What the book tells owners to give an agent's user.
fn rules() -> String {
    let page = include_str!("../../../docs/src/deploy.md");
    let rules = page.split_once("ACL SETUSER agent on '>password' ").unwrap().1;
    rules.split_once('\n').unwrap().0.replace('\'', "")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_with_the_least_rights_can_do_all_that_it_does_and_nothing_else() {
    let server = RedisSetup::default().user("agent", &format!("on >password {}", rules())).start();
    let _router = Router::publishing(&server, quick(), answer);
    let url = format!("redis://agent:password@127.0.0.1:{}", server.port());
    let address = RedisAddress::new(&url).unwrap();
    assert_eq!(address.check().await, Ok(()));
    let agent = Arc::new(RedisRequester::new(address, QueueNames::default()).unwrap());
    agent.catalog().wait_for(Option::is_some).await.unwrap();
    let _events = agent.events(&SessionKey::new("owner").unwrap()).await;
    let mut interactive = command("m1");
    interactive.envelope.priority = protocol::Priority::Interactive;
    for command in [interactive, command("m2")] {
        let reply = agent.request(command, LONG).await.unwrap();
        assert!(matches!(reply.outcome, Outcome::Done(_)), "{reply:?}");
    }
    agent.cancel(&protocol::MessageId::new("m3").unwrap()).await;
    tokio::task::block_in_place(|| {
        let mut redis = redis::Client::open(url).unwrap().get_connection().unwrap();
        for forbidden in [
            "EVAL return(1) 0",
            "GET {safeclaw:command_queue}:command:m1",
            "LPUSH safeclaw:response:m9 {}",
            "LRANGE safeclaw:command_queue 0 -1",
            "RPOP safeclaw:command_queue",
            "DEL safeclaw:command_queue",
            "SET {safeclaw:command_queue}:catalog {}",
            "LPUSH {safeclaw:command_queue}:q:again x",
            "LPUSH {safeclaw:command_queue}:q:stale x",
            "LPUSH {safeclaw:command_queue}:dlq x",
            "LPUSH {safeclaw:command_queue}:events:owner x",
            "BLPOP safeclaw:command_queue 1",
            "BLPOP {safeclaw:command_queue}:control 1",
            "BLPOP {safeclaw:command_queue}:dlq 1",
            "ZADD {safeclaw:command_queue}:routers 1 x",
            "CONFIG GET *",
            "FLUSHALL",
            "KEYS *",
        ] {
            let mut words = forbidden.split(' ');
            let mut command = redis::cmd(words.next().unwrap());
            words.for_each(|word| {
                command.arg(word);
            });
            let refused = command.query::<redis::Value>(&mut redis).unwrap_err();
            assert_eq!(refused.code(), Some("NOPERM"), "{forbidden}: {refused}");
        }
        let lane: usize = redis.llen(QUEUE).unwrap();
        assert_eq!(lane, 0);
    });
}
