//! Tells the supervisor of a process, such as systemd, that the process is ready, alive, and about to end.
//!
//! The protocol is [`sd_notify`](https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html): lines such as `READY=1`
//! to the datagram socket that `NOTIFY_SOCKET` names. The crate `sd-notify` opens that socket for each message. The agent can't
//! open one any more once it is confined, so this one is opened early and kept.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// Where the supervisor listens.
const SOCKET: &str = "NOTIFY_SOCKET";

/// After how many microseconds without a sign it restarts the process ...
const PATIENCE: &str = "WATCHDOG_USEC";

/// ... of this number.
const PROCESS: &str = "WATCHDOG_PID";

/// The variables that are meant for one process and not for those that it starts.
pub const NAMES: [&str; 3] = [SOCKET, PATIENCE, PROCESS];

/// The supervisor of this process, if it has one that wants to hear from it.
#[derive(Debug, Default)]
pub struct Supervisor {
    socket: Option<UnixDatagram>,
    /// The longest time between two signs of life.
    patience: Option<Duration>,
}

impl Supervisor {
    /// The supervisor that the `environment` of this process names. One that can't be reached counts as none: a person who
    /// starts SafeClaw by hand has none either.
    pub fn of(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut socket = None;
        let (mut patience, mut process) = (None, None);
        for (name, value) in environment {
            match name.to_str() {
                Some(SOCKET) => socket = connected(&value).ok(),
                Some(PATIENCE) => patience = number(&value).map(Duration::from_micros),
                Some(PROCESS) => process = number(&value),
                _ => {}
            }
        }
        let is_meant = process.is_none_or(|process| process == u64::from(std::process::id()));
        Self { socket, patience: patience.filter(|span| is_meant && !span.is_zero()) }
    }

    /// The process does its work from now on; `status` is a line for people.
    pub fn ready(&self, status: &str) {
        let status: String = status.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.tell(&format!("READY=1\nSTATUS={status}"));
    }

    /// The process is about to end because it was asked to.
    pub fn ending(&self) {
        self.tell("STOPPING=1\nSTATUS=Ending");
    }

    /// Gives a sign of life in time, again and again. Wait for it beside the work that it vouches for, in the same task.
    pub async fn beat(&self) -> Infallible {
        let Some(patience) = self.patience else { return std::future::pending().await };
        loop {
            self.tell("WATCHDOG=1");
            tokio::time::sleep(patience / 3).await;
        }
    }

    /// A supervisor that does not listen is no reason to do anything else.
    fn tell(&self, lines: &str) {
        if let Some(socket) = &self.socket {
            let _ = socket.send(lines.as_bytes());
        }
    }
}

/// A socket that never makes the process wait.
fn connected(name: &OsStr) -> io::Result<UnixDatagram> {
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        path => SocketAddr::from_pathname(OsStr::from_bytes(path))?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

fn number(value: &OsStr) -> Option<u64> {
    value.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn heard(socket: &UnixDatagram) -> String {
        let mut message = [0; 200];
        let length = socket.recv(&mut message).unwrap();
        String::from_utf8(message[..length].to_vec()).unwrap()
    }

    #[tokio::test]
    async fn it_hears_of_the_beginning_of_life_and_of_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let systemd = UnixDatagram::bind(&path).unwrap();
        let path = path.to_str().unwrap();
        let supervisor =
            Supervisor::of(environment(&[(SOCKET, path), (PATIENCE, "30000"), ("A", "b")]));
        supervisor.ready("on\nthe page");
        assert_eq!(heard(&systemd), "READY=1\nSTATUS=on the page");
        tokio::select! {
            never = supervisor.beat() => match never {},
            heard = tokio::task::spawn_blocking(move || [heard(&systemd), heard(&systemd)]) => {
                assert_eq!(heard.unwrap(), ["WATCHDOG=1", "WATCHDOG=1"]);
            }
        }
        // Nobody listens any more.
        supervisor.ending();
    }

    #[test]
    fn a_sign_of_life_is_for_the_process_that_was_asked_for_it() {
        let wanted = |process: &str| {
            Supervisor::of(environment(&[(PATIENCE, "30000"), (PROCESS, process)])).patience
        };
        assert_eq!(wanted(&std::process::id().to_string()), Some(Duration::from_millis(30)));
        assert_eq!(wanted("1"), None);
        assert_eq!(Supervisor::of(environment(&[(PATIENCE, "0")])).patience, None);
        assert!(Supervisor::of(environment(&[(SOCKET, "/no/such")])).socket.is_none());
    }

    #[test]
    fn a_name_without_a_file_is_understood() {
        let name = format!("safeclaw-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let systemd = UnixDatagram::bind_addr(&address).unwrap();
        Supervisor::of(environment(&[(SOCKET, &format!("@{name}"))])).ending();
        assert!(heard(&systemd).starts_with("STOPPING=1"));
    }
}
