//! A real Redis server for the length of a test.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

use crate::wait_until;

/// The ports that servers are given: below those that systems hand out to clients on their own, so that
/// no client holds a server's port while it restarts.
const PORTS: std::ops::Range<u16> = 15_000..30_000;

/// How a server is set up. The default has no password, no users and keeps nothing on disk.
#[derive(Debug, Clone, Default)]
pub struct RedisSetup {
    password: Option<String>,
    lines: Vec<String>,
}

impl RedisSetup {
    /// Asks clients for a password.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self.line(&format!("requirepass {password}"))
    }

    /// Writes every change to the append-only file at once, so that it survives [`RedisServer::kill`].
    #[must_use]
    pub fn durable(self) -> Self {
        self.line("appendonly yes").line("appendfsync always")
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
        let folder = TempDir::with_prefix("safeclaw-redis-").unwrap();
        let mut server = RedisServer { setup: self, port: free_port(), process: None, folder };
        while let Err(log) = server.launch() {
            assert!(log.contains("Address already in use"), "redis-server did not start:\n{log}");
            server.port = free_port();
        }
        server
    }
}

/// A running `redis-server` on a port of its own, with its data in a temporary folder. It ends with the
/// value.
#[derive(Debug)]
pub struct RedisServer {
    setup: RedisSetup,
    port: u16,
    process: Option<Child>,
    folder: TempDir,
}

impl RedisServer {
    /// Starts a server without a password.
    ///
    /// # Panics
    /// As [`RedisSetup::start`].
    #[must_use]
    pub fn start() -> Self {
        RedisSetup::default().start()
    }

    /// Its address for a client, with the password if it has one.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.setup.password {
            Some(password) => format!("redis://:{password}@127.0.0.1:{}", self.port),
            None => format!("redis://127.0.0.1:{}", self.port),
        }
    }

    /// Its port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Kills it without a chance to say or save anything. It stays down until [`RedisServer::restart`].
    ///
    /// # Panics
    /// When the system refuses.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Kills it if it runs, and starts it again on the same port with the same folder.
    ///
    /// # Panics
    /// When it does not start.
    pub fn restart(&mut self) {
        self.kill();
        self.launch().unwrap_or_else(|log| panic!("redis-server did not start again:\n{log}"));
    }

    /// Starts the process; the error is its log.
    fn launch(&mut self) -> Result<(), String> {
        let log = self.log();
        fs::write(&log, "").unwrap();
        let config = self.folder.path().join("redis.conf");
        fs::write(&config, self.config()).unwrap();
        let mut process = spawn(&config);
        let mut ended = false;
        wait_until("redis-server is ready", || {
            // In this order: what it wrote before its end is then in the log.
            ended = process.try_wait().unwrap().is_some();
            ended || read(&log).contains("Ready to accept connections")
        });
        if ended {
            return Err(read(&log));
        }
        self.process = Some(process);
        Ok(())
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("redis.log")
    }

    fn config(&self) -> String {
        let (port, folder) = (self.port, self.folder.path().display());
        let own =
            format!("bind 127.0.0.1\nport {port}\ndir {folder}\nlogfile redis.log\nsave \"\"\n");
        own + &self.setup.lines.join("\n") + "\n"
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(config: &Path) -> Child {
    let started = Command::new("redis-server").arg(config).stdout(Stdio::null()).spawn();
    match started {
        Ok(process) => process,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            panic!("redis-server is missing; run: sudo apt-get install redis-server")
        }
        Err(e) => panic!("redis-server can't be started: {e}"),
    }
}

fn read(log: &Path) -> String {
    String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned()
}

/// A port that nobody listens on at this moment. Processes that test at the same time begin at different
/// places, so they rarely meet.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let count = NEXT.fetch_add(1, Ordering::Relaxed);
        let place = std::process::id().wrapping_mul(97).wrapping_add(count);
        let port = PORTS.start + (place % PORTS.len() as u32) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
