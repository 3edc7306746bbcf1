//! Replies that nobody fetches and that would stay for ever: those of the first SafeClaw have no time limit.

use protocol::QueueNames;
use redis::RedisError;

use super::acl::literal;
use super::life::Life;
use super::link::Connection;

/// How long a reply without a time limit may lie untouched, in seconds.
const UNTOUCHED: i64 = 60;

/// How many keys one look may bring.
const COUNT: usize = 200;

/// Gives a time limit to replies that have none and were not touched for a while. On a cluster it does nothing: a
/// scan sees one node only.
pub(super) async fn sweep(life: &Life) {
    if life.commands().is_cluster() {
        return;
    }
    if let Err(error) = scan(life).await {
        tracing::debug!(error = life.address.explain(&error), "replies are not swept this time");
    }
}

async fn scan(life: &Life) -> Result<(), RedisError> {
    let (mut commands, names) = (life.commands(), &life.keys.names);
    let pattern = format!("{}*", literal(names.response_prefix()));
    let mut cursor: u64 = 0;
    loop {
        let mut scan = redis::cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(COUNT);
        let (next, keys): (u64, Vec<Vec<u8>>) = scan.query_async(&mut commands).await?;
        limit(&mut commands, keys.into_iter().filter(|key| !is_queues(names, key)).collect())
            .await?;
        cursor = next;
        if cursor == 0 {
            return Ok(());
        }
    }
}

/// Whether `key` is of the queue itself, which the prefix of replies may cover: what routers share has no time limit.
fn is_queues(names: &QueueNames, key: &[u8]) -> bool {
    key == names.commands().as_bytes() || key.starts_with(names.tagged("").as_bytes())
}

/// Limits those of `keys` that have no limit and lie untouched.
async fn limit(commands: &mut Connection, keys: Vec<Vec<u8>>) -> Result<(), RedisError> {
    if keys.is_empty() {
        return Ok(());
    }
    let mut looks = redis::pipe();
    for key in &keys {
        looks.cmd("PTTL").arg(key).cmd("OBJECT").arg("IDLETIME").arg(key);
    }
    let seen: Vec<Option<i64>> = looks.query_async(commands).await?;
    let mut limits = redis::pipe();
    for (key, seen) in keys.iter().zip(seen.chunks(2)) {
        if let [Some(-1), Some(idle)] = seen
            && *idle > UNTOUCHED
        {
            limits.cmd("PEXPIRE").arg(key).arg(UNTOUCHED * 1_000).ignore();
        }
    }
    limits.query_async(commands).await
}
