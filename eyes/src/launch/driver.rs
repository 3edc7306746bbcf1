//! The driver: one process with everything that it has started.
#![expect(clippy::disallowed_types, reason = "the one start of the browser's driver")]

use std::fs;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, wait};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::desk::secret;

/// How long a driver may take to say where it listens.
const READY: Duration = Duration::from_secs(20);

/// How long a driver that left a request without an answer is watched before it counts as one that runs.
const DYING: Duration = Duration::from_secs(1);

/// What ChromeDriver prints when it listens; the port follows.
const LISTENS: &str = "started successfully on port ";

/// How often it is looked whether all that was killed is gone.
const LOOK: Duration = Duration::from_millis(2);

/// A driver that runs.
#[derive(Debug)]
pub(super) struct Driver {
    process: Child,
    group: Option<Pid>,
    /// Where it listens, on 127.0.0.1.
    pub(super) port: u16,
    /// What each path begins with there, without slashes: nobody else knows it.
    pub(super) base: String,
    _said: AbortOnDropHandle<()>,
}

impl Driver {
    /// Starts `program` with nothing but `temp` to write in.
    pub(super) async fn start(program: &Path, temp: &Path) -> io::Result<Self> {
        let base = secret();
        let mut process = Command::new(program)
            .args(["--port=0".to_owned(), format!("--url-base=/{base}")])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/snap/bin")
            .env("LANG", "C.UTF-8")
            .envs(["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"].map(|name| (name, temp)))
            .current_dir(temp)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let group = process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let stdout = process.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
        let mut lines = BufReader::new(stdout);
        let port = timeout(READY, port(&mut lines)).await.map_err(io::Error::from)??;
        let said = tokio::spawn(async move {
            // What nobody reads would hold it up in the end.
            let _ = tokio::io::copy(&mut lines, &mut tokio::io::sink()).await;
        });
        let _said = AbortOnDropHandle::new(said);
        Ok(Self { process, group, port, base, _said })
    }

    /// Whether it still runs. One that is in `doubt` gets a moment to end: the system closes the connections of a
    /// process that was killed before it says that the process has ended.
    pub(super) async fn lives(&mut self, doubt: bool) -> bool {
        if doubt {
            return timeout(DYING, self.process.wait()).await.is_err();
        }
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Ends it, its browsers, and whatever else it has left behind. It returns when all of them are gone.
    pub(super) async fn kill(mut self) {
        if let Some(group) = self.group {
            // It may have ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.wait().await;
        clear().await;
    }
}

/// Kills what has no other parent any more, until nothing is left: this process is the one that orphans come to.
pub(super) async fn clear() {
    loop {
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        let left = children();
        if left.is_empty() {
            return;
        }
        for child in left {
            let _ = kill_process(child, Signal::KILL);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The processes whose parent is this one.
pub(super) fn children() -> Vec<Pid> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let listed =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let all: String = listed.collect();
    all.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
}

/// Reads up to the line with the port.
async fn port(lines: &mut BufReader<ChildStdout>) -> io::Result<u16> {
    let mut line = String::new();
    while lines.read_line(&mut line).await? > 0 {
        let port = line.trim().trim_end_matches('.').rsplit_once(LISTENS);
        if let Some(Ok(port)) = port.map(|(_, port)| port.parse()) {
            return Ok(port);
        }
        line.clear();
    }
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended before it was ready"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn a_driver_in_doubt_is_watched_for_as_long_as_it_takes_to_end() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("chromedriver");
        let script =
            "#!/bin/sh\necho ChromeDriver was started successfully on port 1.\nexec sleep 600\n";
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let mut driver = Driver::start(&program, folder.path()).await.unwrap();
        assert!(driver.lives(false).await);
        assert!(driver.lives(true).await, "a doubt alone ends nothing");
        let group = driver.group.unwrap();
        let killed = async { kill_process(group, Signal::KILL).unwrap() };
        let (lives, ()) = tokio::join!(driver.lives(true), killed);
        assert!(!lives, "it was killed while it was watched");
    }
}
