//! How the queue stands: counts, ages, routers, and the server under it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use protocol::{Millis, json};
use redis::{AsyncCommands as _, Script};
use serde::Serialize;

use super::entry::Entry;
use super::lane::Lane;
use super::{CHUNK, Look, LookError, Range};

static SURVEY: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("survey.lua")));

/// How many routers are told of.
pub(super) const MOST_ROUTERS: usize = 1_000;

/// How much of a letter is read to learn its reason, which stands first in it.
const REASON_BYTES: usize = 64;

/// How the queue stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Its name.
    pub queue: String,
    /// What it lies on.
    pub server: Server,
    /// Each lane, in the order in which they are served most of the time.
    pub lanes: Vec<LaneStanding>,
    /// Every router that lives, or has died with nobody to take over from it yet.
    pub routers: Vec<RouterStanding>,
    /// How many commands all routers have in their hands.
    pub in_hand: u64,
    /// How many dead letters there are.
    pub dead_letters: u64,
    /// The same by reason.
    pub dead_letters_by_reason: BTreeMap<String, u64>,
}

/// What waits in a lane.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaneStanding {
    /// Its name.
    pub lane: Lane,
    /// How many commands wait.
    pub waiting: u64,
    /// How long ago the one that has waited longest was sent, where it says so.
    pub oldest_ms: Option<u64>,
}

/// One router.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouterStanding {
    /// Its name, which it has for one life.
    pub router: String,
    /// Whether it counts as alive.
    pub alive: bool,
    /// How long ago it gave its last sign of life.
    pub seen_ms: u64,
    /// How many commands it has in its hands.
    pub in_hand: u64,
}

/// The server, as far as it tells. What it does not tell is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Server {
    /// Where it is, without a password.
    pub address: String,
    /// What it is, such as `redis 7.0.15`.
    pub version: Option<String>,
    /// Whether it keeps what it has in an append-only file.
    pub append_only: Option<bool>,
    /// How much memory it uses, in bytes.
    pub memory_used: Option<u64>,
    /// How much it may use, in bytes; zero when there is no limit.
    pub memory_limit: Option<u64>,
    /// What it throws away when that is reached, such as `noeviction`.
    pub eviction: Option<String>,
}

/// What the script tells.
type Survey = (String, Vec<(u64, Option<Vec<u8>>)>, Vec<(String, u64, u64)>);

impl Look {
    /// Looks at everything that is counted.
    ///
    /// # Errors
    /// [`LookError`] when the server can't be asked.
    pub async fn standing(&self) -> Result<Standing, LookError> {
        let mut survey = SURVEY.key(&self.keys.routers);
        Lane::ALL.iter().for_each(|lane| {
            survey.key(lane.key(&self.keys));
        });
        survey.arg(&self.keys.works).arg(MOST_ROUTERS).arg(json::MAX_BYTES);
        let survey = survey.invoke_async(&mut self.commands.clone()).await;
        let (info, lanes, routers): Survey = survey.map_err(|error| self.error(&error))?;
        let routers: Vec<_> = routers.into_iter().map(|router| self.router(router)).collect();
        Ok(Standing {
            queue: self.keys.names.commands().to_owned(),
            server: Server::read(self.address.shown(), &info),
            lanes: Lane::ALL.into_iter().zip(lanes).map(|lane| self.lane(lane)).collect(),
            in_hand: routers.iter().map(|router| router.in_hand).sum(),
            routers,
            dead_letters: self.count_letters().await?,
            dead_letters_by_reason: self.reasons().await?,
        })
    }

    pub(super) async fn count_letters(&self) -> Result<u64, LookError> {
        let count = self.commands.clone().llen(&self.keys.letters).await;
        count.map_err(|error| self.error(&error))
    }

    fn lane(&self, (lane, (waiting, oldest)): (Lane, (u64, Option<Vec<u8>>))) -> LaneStanding {
        let oldest = oldest.map(|bytes| Entry::waiting(lane, bytes.len() as u64, &bytes, self.now));
        LaneStanding { lane, waiting, oldest_ms: oldest.and_then(|entry| entry.age_ms) }
    }

    fn router(&self, (router, seen, in_hand): (String, u64, u64)) -> RouterStanding {
        let seen = self.now.since(Millis(seen));
        let seen_ms = u64::try_from(seen.as_millis()).unwrap_or(u64::MAX);
        RouterStanding { router, alive: seen <= self.terms.dead_after, seen_ms, in_hand }
    }

    async fn reasons(&self) -> Result<BTreeMap<String, u64>, LookError> {
        let (mut reasons, mut first) = (BTreeMap::new(), 0);
        loop {
            let range = Range::chunk(first, REASON_BYTES, REASON_BYTES);
            let peeked = self.peek(&self.keys.letters, range, "").await?;
            for (_, bytes) in peeked.elements {
                *reasons.entry(reason(&bytes).unwrap_or("unreadable").to_owned()).or_default() += 1;
            }
            if peeked.count < CHUNK {
                return Ok(reasons);
            }
            first += CHUNK as i64;
        }
    }
}

/// The reason in the beginning of a letter.
fn reason(beginning: &[u8]) -> Option<&str> {
    let rest = beginning.strip_prefix(br#"{"reason":""#)?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    std::str::from_utf8(&rest[..end]).ok()
}

impl Server {
    /// Reads what INFO says.
    fn read(address: &str, info: &str) -> Self {
        let field = |name: &str| {
            let mut lines = info.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(key, _)| *key == name).map(|(_, value)| value.trim())
        };
        let number = |name| field(name).and_then(|value| value.parse().ok());
        let valkey = field("valkey_version").map(|version| format!("valkey {version}"));
        Self {
            address: address.to_owned(),
            version: valkey.or_else(|| Some(format!("redis {}", field("redis_version")?))),
            append_only: field("aof_enabled").map(|value| value == "1"),
            memory_used: number("used_memory"),
            memory_limit: number("maxmemory"),
            eviction: field("maxmemory_policy").map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_known_by_what_info_says() {
        let info = "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n\
            used_memory:1024\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n";
        let server = Server {
            address: "redis://h:1".to_owned(),
            version: Some("valkey 8.0.1".to_owned()),
            append_only: Some(true),
            memory_used: Some(1024),
            memory_limit: Some(0),
            eviction: Some("noeviction".to_owned()),
        };
        assert_eq!(Server::read("redis://h:1", info), server);
        assert_eq!(Server::read("a", "redis_version:6.2.0").version.unwrap(), "redis 6.2.0");
        assert_eq!(Server::read("a", "").append_only, None);
    }

    #[test]
    fn a_reason_stands_at_the_beginning_of_a_letter() {
        let dead = crate::redis::DeadLetter {
            reason: protocol::Code::BadRequest,
            message: String::new(),
            at: Millis(1),
            attempts: 0,
            router: String::new(),
            message_id: None,
            action: None,
            raw: String::new(),
        };
        let letter = serde_json::to_vec(&dead).unwrap();
        assert_eq!(reason(&letter[..REASON_BYTES]), Some("bad_request"));
        assert_eq!(reason(b"{}"), None);
    }
}
