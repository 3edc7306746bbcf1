//! What a server says of itself, and what its clock shows.

use std::collections::HashMap;

use protocol::Millis;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{ErrorKind, RedisError, ServerErrorKind, Value, from_redis_value_ref};

use crate::clock::Clock;

/// The oldest version that has all that the queue stands on (LMOVE and BLMOVE came with it).
const OLDEST: (u32, u32) = (6, 2);

/// What a server says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Server {
    /// Whether it is a node of a cluster.
    pub(super) is_cluster: bool,
    version: Option<String>,
}

impl Server {
    /// Asks it by HELLO, or by INFO where that is not known. A user that may ask neither is
    /// not told, and what stands there counts as one server.
    pub(super) async fn ask(connection: &mut MultiplexedConnection) -> Result<Self, RedisError> {
        match redis::cmd("HELLO").query_async::<HashMap<String, Value>>(connection).await {
            Ok(fields) => return Ok(Self::from_hello(&fields)),
            Err(error) if is_not_answered(&error) => {}
            Err(error) => return Err(error),
        }
        match redis::cmd("INFO").arg("server").query_async::<String>(connection).await {
            Ok(lines) => Ok(Self::from_info(&lines)),
            Err(error) if is_not_answered(&error) => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Its version, if that is known and too old.
    pub(super) fn too_old(&self) -> Option<&str> {
        let version = self.version.as_deref()?;
        let mut numbers = version.split('.').map(|number| number.parse().ok());
        let known = (numbers.next()??, numbers.next()??);
        (known < OLDEST).then_some(version)
    }

    fn from_hello(fields: &HashMap<String, Value>) -> Self {
        let text = |name| from_redis_value_ref::<String>(fields.get(name)?).ok();
        Self { is_cluster: text("mode").as_deref() == Some("cluster"), version: text("version") }
    }

    fn from_info(lines: &str) -> Self {
        let text = |name| lines.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        Self {
            is_cluster: text("redis_mode:") == Some("cluster"),
            version: text("redis_version:").map(str::to_owned),
        }
    }
}

/// Whether the server does not know the question, or does not allow it.
fn is_not_answered(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Server(ServerErrorKind::NoPerm | ServerErrorKind::ResponseError)
            | ErrorKind::UnexpectedReturnType
            | ErrorKind::Parse
    )
}

/// Learns how far the server's clock is from ours. Of a cluster any node answers: their clocks are to agree.
pub(in crate::redis) async fn read_clock(
    connection: &mut impl ConnectionLike,
    clock: &Clock,
) -> Result<(), RedisError> {
    let before = Millis::of_this_machine();
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query_async(connection).await?;
    let after = Millis::of_this_machine();
    let middle = Millis(before.0 + after.since(before).as_millis() as u64 / 2);
    clock.set(Millis(seconds * 1_000 + micros / 1_000), middle);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_version(version: &str) -> Server {
        Server { version: Some(version.to_owned()), ..Server::default() }
    }

    #[test]
    fn only_a_version_that_is_known_to_be_too_old_is() {
        for (version, old) in
            [("5.0.14", true), ("6.0.16", true), ("6.2.0", false), ("7.4.1", false), ("8", false)]
        {
            assert_eq!(of_version(version).too_old().is_some(), old, "{version}");
        }
        assert_eq!(Server::default().too_old(), None);
    }

    #[test]
    fn the_lines_of_info_say_what_hello_says() {
        let lines = "# Server\r\nredis_version:6.2.7\r\nredis_mode:cluster\r\nos:Linux\r\n";
        let server = Server { is_cluster: true, ..of_version("6.2.7") };
        assert_eq!(Server::from_info(lines), server);
        assert!(!Server::from_info("redis_version:6.2.7\r\nredis_mode:standalone\r\n").is_cluster);
    }
}
