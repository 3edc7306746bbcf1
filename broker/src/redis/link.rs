//! How to get at a Redis, and what to say when it can't be got at.

use std::time::Duration;

use protocol::Millis;
use redis::aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection};
use redis::io::tcp::{TcpSettings, socket2::TcpKeepalive};
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ErrorKind, IntoConnectionInfo, RedisError,
};

use crate::clock::Clock;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(2);

/// How long an answer to a command that does not block may take.
const ANSWER: Duration = Duration::from_secs(5);

/// How long one blocking read lasts at the server before it is asked again.
pub(super) const BLOCK: Duration = Duration::from_secs(1);

/// A connection for one blocking reader.
pub(super) type Connection = MultiplexedConnection;

/// The connection for everything else.
pub(super) type Commands = ConnectionManager;

/// Between attempts to reach a Redis that is gone: this long at first, and at most [`BACK_OFF_MOST`].
const BACK_OFF_LEAST: Duration = Duration::from_millis(50);
const BACK_OFF_MOST: Duration = Duration::from_secs(2);

/// The address of a Redis, from its URL.
#[derive(Debug, Clone)]
pub struct RedisAddress {
    client: Client,
    shown: String,
}

/// A `REDIS_URL` that names no Redis.
#[derive(Debug, thiserror::Error)]
#[error(
    "REDIS_URL is no address of a Redis ({reason}); it looks like redis://user:password@host:6379/0"
)]
pub struct AddressError {
    reason: String,
}

impl RedisAddress {
    /// Reads a URL such as `redis://user:password@host:6379/0` or `unix:///run/redis.sock`.
    ///
    /// # Errors
    /// [`AddressError`] when it can't be read. Its text holds no password.
    pub fn new(url: &str) -> Result<Self, AddressError> {
        let unreadable = |error: RedisError| AddressError { reason: error.category().to_owned() };
        let info = url.into_connection_info().map_err(unreadable)?;
        let shown = match info.addr() {
            ConnectionAddr::Tcp(host, port) => format!("redis://{host}:{port}"),
            ConnectionAddr::TcpTls { host, port, .. } => format!("rediss://{host}:{port}"),
            ConnectionAddr::Unix(path) => format!("unix://{}", path.display()),
            _ => "redis".to_owned(),
        };
        // A peer that vanishes without a word is noticed within half a minute.
        let keepalive = TcpKeepalive::new()
            .with_time(Duration::from_secs(10))
            .with_interval(Duration::from_secs(5))
            .with_retries(3);
        let info = info
            .set_tcp_settings(TcpSettings::default().set_nodelay(true).set_keepalive(keepalive));
        Ok(Self { client: Client::open(info).map_err(unreadable)?, shown })
    }

    /// The address for people, without a password.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Asks the server whether it is there and lets us in.
    ///
    /// # Errors
    /// What is wrong, in words that say what to do.
    pub async fn check(&self) -> Result<(), String> {
        let mut connection = self.blocking().await.map_err(|error| self.explain(&error))?;
        redis::cmd("PING")
            .query_async::<()>(&mut connection)
            .await
            .map_err(|error| self.explain(&error))
    }

    /// A connection for blocking reads of at most [`BLOCK`], one reader each: a blocking command holds up
    /// every other on the same connection.
    ///
    /// The answer may take the block and a margin: with a shorter limit the client would give up while the
    /// server still serves the read, and what it then pops is lost.
    pub(super) async fn blocking(&self) -> Result<MultiplexedConnection, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(BLOCK + ANSWER));
        self.client.get_multiplexed_async_connection_with_config(&config).await
    }

    /// A connection for everything else. It is made when first used and made again when it breaks.
    pub(super) fn commands(&self) -> Result<ConnectionManager, RedisError> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(ANSWER))
            .set_number_of_retries(0);
        ConnectionManager::new_lazy_with_config(self.client.clone(), config)
    }

    /// What `error` means for whoever runs this, and what to do.
    pub(super) fn explain(&self, error: &RedisError) -> String {
        let at = &self.shown;
        match error.code() {
            Some("NOAUTH") => {
                format!("{at} wants a password: put it into REDIS_URL (redis://user:password@host)")
            }
            _ if error.kind() == ErrorKind::AuthenticationFailed => {
                format!("{at} refuses the user or the password in REDIS_URL")
            }
            Some("NOPERM") => format!("{at} does not allow this user what SafeClaw needs: {error}"),
            _ if error.is_connection_refusal() => {
                format!(
                    "nothing listens at {at}: start Redis (`redis-server`) or correct REDIS_URL"
                )
            }
            _ if error.is_timeout() => format!("{at} does not answer in time"),
            _ => format!("{at}: {error}"),
        }
    }
}

/// Learns how far the server's clock is from ours.
pub(super) async fn read_clock(
    connection: &mut impl redis::aio::ConnectionLike,
    clock: &Clock,
) -> Result<(), RedisError> {
    let before = Millis::of_this_machine();
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query_async(connection).await?;
    let after = Millis::of_this_machine();
    let middle = Millis(before.0 + after.since(before).as_millis() as u64 / 2);
    clock.set(Millis(seconds * 1_000 + micros / 1_000), middle);
    Ok(())
}

/// The pause before the next attempt, doubled each time.
#[derive(Debug)]
pub(super) struct BackOff(Duration);

impl BackOff {
    pub(super) fn new() -> Self {
        Self(BACK_OFF_LEAST)
    }

    pub(super) fn reset(&mut self) {
        self.0 = BACK_OFF_LEAST;
    }

    pub(super) async fn pause(&mut self) {
        tokio::time::sleep(self.0).await;
        self.0 = (self.0 * 2).min(BACK_OFF_MOST);
    }
}

/// Whether a connection leads to a cluster.
pub(super) trait Topology {
    fn is_cluster(&self) -> bool;
}

impl Topology for ConnectionManager {
    fn is_cluster(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_shown_without_the_password() {
        let address = RedisAddress::new("redis://me:hunter2@localhost:6380/1").unwrap();
        assert_eq!(address.shown(), "redis://localhost:6380");
    }

    #[test]
    fn an_error_about_the_address_holds_no_password() {
        for bad in ["http://me:hunter2@host", "hunter2", "redis://me:hunter2@host:x"] {
            let error = RedisAddress::new(bad).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
            assert!(error.contains("REDIS_URL"), "{error}");
        }
    }
}
