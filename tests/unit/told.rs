//! What the processes tell their supervisor.

use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;
use testkit::{Chat, RedisServer, TempHome};

use super::{SAFECLAW, with_a_page};

/// The patience of the supervisor, in microseconds.
const PATIENCE: &str = "90000";

/// A supervisor that listens as systemd does.
struct Supervisor {
    socket: UnixDatagram,
    path: PathBuf,
    _folder: TempDir,
}

impl Supervisor {
    fn listening() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        // No measure of speed: whoever is silent for so long says nothing any more.
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self { socket, path, _folder: folder }
    }

    /// Reads until a message has `line`, and gives the message.
    fn hears(&self, line: &str) -> String {
        loop {
            let mut message = [0; 500];
            let length = self.socket.recv(&mut message).unwrap();
            let message = String::from_utf8(message[..length].to_vec()).unwrap();
            if message.lines().any(|told| told == line) {
                return message;
            }
        }
    }

    /// Starts a process of the house that tells this one.
    fn starts(&self, words: &[&str], home: &TempHome, redis: &str) -> Chat {
        let path = self.path.to_str().unwrap();
        let variables =
            [("NOTIFY_SOCKET", path), ("WATCHDOG_USEC", PATIENCE), ("REDIS_URL", redis)];
        Chat::start(SAFECLAW, words, home.root(), &variables)
    }
}

#[test]
fn the_supervisor_hears_that_the_whole_house_is_ready_alive_and_ending() {
    let (home, supervisor) = (with_a_page(), Supervisor::listening());
    let mut house = supervisor.starts(&[], &home, "");
    house.close();
    let ready = supervisor.hears("READY=1");
    assert!(ready.contains("STATUS=Reached by console, http"), "{ready}");
    for _ in 0..3 {
        supervisor.hears("WATCHDOG=1");
    }
    house.terminate();
    supervisor.hears("STOPPING=1");
    assert_eq!(house.wait().code(), Some(0));
}

#[test]
fn so_it_does_of_an_agent_and_a_router_on_a_redis() {
    let server = RedisServer::start();
    for (word, status) in [("router", "Serving safeclaw:command_queue"), ("agent", "Reached by")] {
        let (home, supervisor) = (with_a_page(), Supervisor::listening());
        let mut process = supervisor.starts(&[word], &home, &server.url());
        let ready = supervisor.hears("READY=1");
        assert!(ready.contains(&format!("STATUS={status}")), "{word}: {ready}");
        supervisor.hears("WATCHDOG=1");
        process.terminate();
        supervisor.hears("STOPPING=1");
        assert_eq!(process.wait().code(), Some(0), "{word}");
    }
}
