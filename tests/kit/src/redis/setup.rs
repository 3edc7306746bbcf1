//! How a Redis server is set up.

use std::path::Path;
use std::sync::Arc;

use super::certificates::Certificates;
use super::{RedisCluster, RedisServer};
use crate::ports::free_port;

/// How a server is set up. The default has no password, no users and keeps nothing on disk.
#[derive(Debug, Clone, Default)]
pub struct RedisSetup {
    password: Option<String>,
    certificates: Option<Arc<Certificates>>,
    lines: Vec<String>,
}

impl RedisSetup {
    /// Asks clients for a password.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self.line(&format!("requirepass {password}")).line(&format!("masterauth {password}"))
    }

    /// Writes every change to the append-only file at once, so that it survives [`RedisServer::kill`].
    #[must_use]
    pub fn durable(self) -> Self {
        self.line("appendonly yes").line("appendfsync always")
    }

    /// Keeps an append-only file that reaches the disk once a second. What was acknowledged survives the
    /// end of the process, but not that of the machine.
    #[must_use]
    pub fn durable_each_second(self) -> Self {
        self.line("appendonly yes").line("appendfsync everysec")
    }

    /// Speaks TLS alone, with a certificate for 127.0.0.1 and localhost that a CA of its own has signed.
    #[must_use]
    pub fn tls(self) -> Self {
        self.tls_for(&["127.0.0.1", "localhost"])
    }

    /// The same with a certificate for other names.
    #[must_use]
    pub fn tls_for(mut self, names: &[&str]) -> Self {
        let files = Certificates::made_for(names);
        let (server, key, ca) = (files.server(), files.server_key(), files.ca());
        self.certificates = Some(Arc::new(files));
        self.line(&format!("tls-cert-file {}", server.display()))
            .line(&format!("tls-key-file {}", key.display()))
            .line(&format!("tls-ca-cert-file {}", ca.display()))
            .line("tls-auth-clients no")
            .line("tls-cluster yes")
    }

    /// Adds a user with ACL rules, such as `on >secret ~jobs +lpush`.
    #[must_use]
    pub fn user(self, name: &str, rules: &str) -> Self {
        self.line(&format!("user {name} {rules}"))
    }

    /// Adds a line to the server's configuration file.
    #[must_use]
    pub fn line(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// Starts the server and waits until it answers.
    ///
    /// # Panics
    /// When `redis-server` is missing, with the command that installs it, or does not start.
    #[must_use]
    pub fn start(self) -> RedisServer {
        RedisServer::start_with(self, false)
    }

    /// Starts three servers that are a cluster, each with a third of the slots, and waits until they agree.
    ///
    /// # Panics
    /// As [`RedisSetup::start`]. A cluster needs Redis 7.0 or later.
    #[must_use]
    pub fn start_cluster(self) -> RedisCluster {
        RedisCluster::start_with(&self)
    }

    pub(super) fn is_tls(&self) -> bool {
        self.certificates.is_some()
    }

    pub(super) fn password_for_clients(&self) -> Option<&str> {
        self.password.as_deref()
    }

    pub(super) fn ca_file(&self) -> Option<std::path::PathBuf> {
        self.certificates.as_ref().map(|files| files.ca())
    }

    /// The server's configuration file, for these ports: of clients, and of a cluster's other nodes.
    pub(super) fn config(&self, ports: Ports, folder: &Path) -> String {
        let Ports { clients, nodes } = ports;
        let port = match self.is_tls() {
            true => format!("port 0\ntls-port {clients}\n"),
            false => format!("port {clients}\n"),
        };
        let cluster = nodes.map_or_else(String::new, |nodes| {
            format!("cluster-enabled yes\ncluster-port {nodes}\ncluster-node-timeout 2000\n")
        });
        let folder = folder.display();
        let own =
            format!("bind 127.0.0.1\n{port}{cluster}dir {folder}\nlogfile redis.log\nsave \"\"\n");
        own + &self.lines.join("\n") + "\n"
    }
}

/// The ports of one server on 127.0.0.1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ports {
    /// Where clients connect.
    pub(super) clients: u16,
    /// Where the other nodes of a cluster connect.
    pub(super) nodes: Option<u16>,
}

impl Ports {
    pub(super) fn free(in_cluster: bool) -> Self {
        Self { clients: free_port(), nodes: in_cluster.then(free_port) }
    }
}
