//! Where a Redis is, from its URL.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use redis::io::tcp::{TcpSettings, socket2::TcpKeepalive};
use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisError};

use super::topology::Topology;
use super::{ANSWER, BLOCK, Ca, Connection};

/// The address of a Redis, or of one node of a cluster, from its URL.
#[derive(Clone)]
pub struct RedisAddress {
    pub(super) client: Client,
    pub(super) ca: Option<Ca>,
    /// What was last seen there; clones share it.
    pub(super) topology: Arc<Topology>,
    shown: String,
}

/// An address that can't be used. No message shows a password.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// It is no URL of a Redis.
    #[error(
        "REDIS_URL is no address of a Redis ({reason}); it looks like redis://user:password@host:6379/0, or rediss:// for TLS"
    )]
    Url {
        /// What is wrong with it.
        reason: String,
    },
    /// It asks for TLS without looking at the certificate.
    #[error(
        "REDIS_URL ends in #insecure, so anybody could stand in for that Redis: take it away, and name the CA of the server in REDIS_CA_FILE"
    )]
    Insecure,
    /// A CA is named for a connection without TLS.
    #[error(
        "REDIS_CA_FILE is set, but REDIS_URL does not ask for TLS: let it begin with rediss://, or take REDIS_CA_FILE away"
    )]
    CaWithoutTls,
    /// The file of the CA can't be read.
    #[error("REDIS_CA_FILE can't be read: {}", path.display())]
    CaFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file of the CA holds none.
    #[error(
        "REDIS_CA_FILE holds no certificate, or a broken one: {} must be a PEM file with the CA that signed the server's certificate (-----BEGIN CERTIFICATE-----)", path.display()
    )]
    NoCa {
        /// The file.
        path: PathBuf,
    },
}

impl RedisAddress {
    /// Reads a URL such as `redis://user:password@host:6379/0`, `rediss://host:6379` for TLS with a
    /// certificate of a public CA, or `unix:///run/redis.sock`. Of a cluster it names any node.
    ///
    /// # Errors
    /// [`AddressError`] when it can't be read. Its text holds no password.
    pub fn new(url: &str) -> Result<Self, AddressError> {
        let unreadable =
            |error: RedisError| AddressError::Url { reason: error.category().to_owned() };
        let info = url.into_connection_info().map_err(unreadable)?;
        if matches!(info.addr(), ConnectionAddr::TcpTls { insecure: true, .. }) {
            return Err(AddressError::Insecure);
        }
        let shown = shown(info.addr());
        let client = Client::open(noticing_silence(info)).map_err(unreadable)?;
        Ok(Self { client, ca: None, topology: Arc::default(), shown })
    }

    /// The same over TLS, with a certificate that this CA and no other has signed.
    pub(in crate::redis) fn with_ca(url: &str, ca: Ca) -> Result<Self, AddressError> {
        let address = Self::new(url)?;
        let client = address.client.get_connection_info().clone();
        if !matches!(client.addr(), ConnectionAddr::TcpTls { .. }) {
            return Err(AddressError::CaWithoutTls);
        }
        let client = Client::build_with_tls(client, ca.certificates())
            .map_err(|error| AddressError::Url { reason: error.category().to_owned() })?;
        Ok(Self { client, ca: Some(ca), ..address })
    }

    /// The address for people, without a password.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether the server is reached through a Unix socket.
    #[must_use]
    pub fn is_unix_socket(&self) -> bool {
        matches!(self.client.get_connection_info().addr(), ConnectionAddr::Unix(_))
    }

    /// Asks the server whether it is there, lets us in, and is new enough.
    ///
    /// # Errors
    /// What is wrong, in words that say what to do.
    pub async fn check(&self) -> Result<(), String> {
        let (_, server) = self.node(ANSWER).await.map_err(|error| self.explain(&error))?;
        if let Some(version) = server.too_old() {
            return Err(self.explain_age(version));
        }
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
    pub(in crate::redis) async fn blocking(&self) -> Result<Connection, RedisError> {
        Connection::new(self.clone(), BLOCK + ANSWER).made().await
    }

    /// A connection for everything else. It is made when first used and made again when it breaks.
    pub(in crate::redis) fn commands(&self) -> Result<Connection, RedisError> {
        Ok(Connection::new(self.clone(), ANSWER))
    }

    pub(super) fn is_tls(&self) -> bool {
        matches!(self.client.get_connection_info().addr(), ConnectionAddr::TcpTls { .. })
    }
}

/// Shows no password.
impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedisAddress").field(&self.shown).finish()
    }
}

fn shown(address: &ConnectionAddr) -> String {
    // An IPv6 address has colons of its own.
    let host = |host: &str| if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    match address {
        ConnectionAddr::Tcp(name, port) => format!("redis://{}:{port}", host(name)),
        ConnectionAddr::TcpTls { host: name, port, .. } => {
            format!("rediss://{}:{port}", host(name))
        }
        ConnectionAddr::Unix(path) => format!("unix://{}", path.display()),
        _ => "redis".to_owned(),
    }
}

/// With a peer that vanishes without a word noticed within half a minute.
fn noticing_silence(info: ConnectionInfo) -> ConnectionInfo {
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(10))
        .with_interval(Duration::from_secs(5))
        .with_retries(3);
    info.set_tcp_settings(TcpSettings::default().set_nodelay(true).set_keepalive(keepalive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_shown_without_the_password() {
        for (url, shown) in [
            ("redis://me:hunter2@localhost:6380/1", "redis://localhost:6380"),
            ("rediss://me:hunter2@localhost:6380/1", "rediss://localhost:6380"),
            ("redis://:hunter2@[::1]:6380", "redis://[::1]:6380"),
        ] {
            let address = RedisAddress::new(url).unwrap();
            assert_eq!(address.shown(), shown);
            assert!(!format!("{address:?}").contains("hunter2"));
        }
    }

    #[test]
    fn an_error_about_the_address_holds_no_password() {
        for bad in [
            "http://me:hunter2@host",
            "hunter2",
            "redis://me:hunter2@host:x",
            "rediss://me:hunter2@host#insecure",
        ] {
            let error = RedisAddress::new(bad).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
            assert!(error.contains("REDIS_URL"), "{error}");
        }
    }
}
