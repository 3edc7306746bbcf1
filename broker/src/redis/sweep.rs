//! Replies that nobody fetches and that would stay for ever: those of the first SafeClaw have no time limit.

use redis::RedisError;

use super::life::Life;

/// How long a reply without a time limit may lie untouched, in seconds.
const UNTOUCHED: u64 = 60;

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
    let mut commands = life.commands();
    let pattern = format!("{}*", escaped(life.keys.names.response_prefix()));
    let mut cursor: u64 = 0;
    loop {
        let mut scan = redis::cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(COUNT);
        let (next, keys): (u64, Vec<Vec<u8>>) = scan.query_async(&mut commands).await?;
        for key in keys {
            let ttl: i64 = redis::cmd("PTTL").arg(&key).query_async(&mut commands).await?;
            let idle: Option<u64> =
                redis::cmd("OBJECT").arg("IDLETIME").arg(&key).query_async(&mut commands).await?;
            if ttl == -1 && idle.is_some_and(|idle| idle > UNTOUCHED) {
                let mut expire = redis::cmd("PEXPIRE");
                expire.arg(&key).arg(UNTOUCHED * 1_000).query_async::<()>(&mut commands).await?;
            }
        }
        cursor = next;
        if cursor == 0 {
            return Ok(());
        }
    }
}

/// A prefix without any meaning as a pattern.
fn escaped(prefix: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '\\' | '^');
    prefix.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}
