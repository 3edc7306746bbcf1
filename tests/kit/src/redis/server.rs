//! One real Redis server for the length of a test.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::RedisSetup;
use super::setup::Ports;
use crate::wait_until;

/// A running `redis-server` on a port of its own, with its data in a temporary folder. It ends with the
/// value.
#[derive(Debug)]
pub struct RedisServer {
    setup: RedisSetup,
    ports: Ports,
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

    pub(super) fn start_with(setup: RedisSetup, in_cluster: bool) -> Self {
        let folder = TempDir::with_prefix("safeclaw-redis-").unwrap();
        let mut server = Self { setup, ports: Ports::free(in_cluster), process: None, folder };
        while let Err(log) = server.launch() {
            assert!(log.contains("Address already in use"), "redis-server did not start:\n{log}");
            server.ports = Ports::free(in_cluster);
        }
        server
    }

    /// Its address for a client, with the password if it has one.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.setup.is_tls() { "rediss" } else { "redis" };
        match self.setup.password_for_clients() {
            Some(password) => format!("{scheme}://:{password}@127.0.0.1:{}", self.port()),
            None => format!("{scheme}://127.0.0.1:{}", self.port()),
        }
    }

    /// Its port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.ports.clients
    }

    /// The port on which it hears the other nodes of its cluster.
    pub(super) fn node_port(&self) -> Option<u16> {
        self.ports.nodes
    }

    /// The file with the CA that signed its certificate.
    ///
    /// # Panics
    /// When it has none, because it does not speak TLS.
    #[must_use]
    pub fn ca_file(&self) -> PathBuf {
        self.setup.ca_file().expect("a server with TLS")
    }

    /// What it answers to one command, as `redis-cli` prints it; an error is an answer too.
    ///
    /// # Panics
    /// When it can't be reached.
    #[must_use]
    pub fn ask(&self, command: &[&str]) -> String {
        let mut cli = Command::new("redis-cli");
        cli.args(["-h", "127.0.0.1", "-p", &self.port().to_string()]);
        if let Some(ca) = self.setup.ca_file() {
            cli.arg("--tls").arg("--cacert").arg(ca);
        }
        if let Some(password) = self.setup.password_for_clients() {
            cli.env("REDISCLI_AUTH", password);
        }
        let output = cli.args(command).output().expect("redis-cli, which comes with redis-server");
        let problem = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "redis-cli {command:?}: {problem}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Gives a command whose answer must be OK.
    ///
    /// # Panics
    /// When it is another.
    pub fn tell(&self, command: &[&str]) {
        assert_eq!(self.ask(command), "OK", "{command:?}");
    }

    /// Changes a setting while it runs.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn config_set(&self, name: &str, value: &str) {
        self.tell(&["CONFIG", "SET", name, value]);
    }

    /// Stops it in the middle of whatever it does, as a machine that is overloaded would, until
    /// [`RedisServer::thaw`]. Connections stay open.
    ///
    /// # Panics
    /// When it does not run.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    ///
    /// # Panics
    /// When it does not run.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Asks it to end in its own way (SIGTERM), and waits until it has. It stays down until
    /// [`RedisServer::restart`].
    ///
    /// # Panics
    /// When it does not run.
    pub fn terminate(&mut self) {
        self.signal(Signal::TERM);
        self.process.take().unwrap().wait().unwrap();
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
        fs::write(&config, self.setup.config(self.ports, self.folder.path())).unwrap();
        // Kept from the start on, so that it ends also when waiting for it panics.
        let process = self.process.insert(spawn(&config));
        let mut ended = false;
        wait_until("redis-server is ready", || {
            // In this order: what it wrote before its end is then in the log.
            ended = process.try_wait().unwrap().is_some();
            ended || read(&log).contains("Ready to accept connections")
        });
        if ended {
            self.process = None;
            return Err(read(&log));
        }
        Ok(())
    }

    fn signal(&self, signal: Signal) {
        let process = self.process.as_ref().expect("a server that runs");
        kill_process(Pid::from_child(process), signal).unwrap();
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("redis.log")
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
