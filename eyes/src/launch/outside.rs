//! The outer process itself: it answers its agent until that has gone.

use std::ffi::OsString;
use std::fmt::Arguments;
use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::WORD;
use super::cage;
use super::desk::{Desk, Way};
use super::driver::{Driver, clear};
use super::words::{self, KILL, START};

/// How often a driver is started that ends before it is ready.
const TRIES: usize = 3;

/// Says it on stderr. Where nobody listens there is no other place.
fn complain(why: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{why}");
}

/// Serves the agent at stdin until it has gone. `args` is the driver.
#[must_use]
pub fn serve(args: &[OsString]) -> ExitCode {
    let agent = io::stdin().as_fd().try_clone_to_owned();
    let served = match (args, agent) {
        ([driver], Ok(agent)) => run(driver.into(), agent),
        (_, Ok(_)) => Err(io::ErrorKind::InvalidInput.into()),
        (_, Err(error)) => Err(error),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format_args!(
                "error: `{WORD}` is for safeclaw itself, which talks to it: {error}"
            ));
            ExitCode::FAILURE
        }
    }
}

fn run(program: PathBuf, agent: OwnedFd) -> io::Result<()> {
    let agent = UnixStream::from(agent);
    // It fails for whoever is no socket.
    agent.local_addr()?;
    agent.set_nonblocking(true)?;
    rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    let temp = TempDir::with_prefix("safeclaw-eyes-")?;
    let parent = temp.path().parent().unwrap_or(Path::new("/tmp")).to_owned();
    match cage::enter(&[temp.path()], &parent) {
        Ok(true) => {}
        Ok(false) => {
            complain(format_args!("the browser's files are not held: this kernel has no Landlock"))
        }
        Err(error) => complain(format_args!("the browser's files are not held: {error}")),
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let agent = tokio::net::UnixStream::from_std(agent)?;
        let way = Arc::new(Way::default());
        let desk = Desk::open(Arc::clone(&way)).await?;
        Outside { program, temp, way, desk, driver: None }.serve(agent).await
    })
}

/// One driver at most, and the desk before it.
struct Outside {
    program: PathBuf,
    temp: TempDir,
    way: Arc<Way>,
    desk: Desk,
    driver: Option<Driver>,
}

impl Outside {
    async fn serve(mut self, mut agent: tokio::net::UnixStream) -> io::Result<()> {
        let mut asked = [0];
        while agent.read(&mut asked).await.unwrap_or(0) > 0 {
            match asked[0] {
                START => {
                    let said = self.start().await;
                    let said = said.map_err(|error| format!("{} {error}", self.program.display()));
                    agent.write_all(&words::answer(&said)).await?;
                }
                KILL => self.kill().await,
                _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "it makes no sense")),
            }
        }
        self.kill().await;
        Ok(())
    }

    async fn start(&mut self) -> io::Result<String> {
        if !self.lives().await {
            self.kill().await;
            let driver = self.driver().await?;
            self.way.lead_to(driver.port, &driver.base);
            self.driver = Some(driver);
        }
        Ok(self.desk.address())
    }

    async fn lives(&mut self) -> bool {
        let doubt = self.way.settle();
        match &mut self.driver {
            Some(driver) => driver.lives(doubt).await,
            None => false,
        }
    }

    /// Starts a driver. It asks the system for a free port of IPv4 and wants the same one of IPv6, which may not be free:
    /// then it ends at once, and is started again.
    async fn driver(&self) -> io::Result<Driver> {
        let mut tried = 0;
        loop {
            tried += 1;
            match Driver::start(&self.program, self.temp.path()).await {
                Ok(driver) => return Ok(driver),
                Err(error) => {
                    clear().await;
                    if tried == TRIES || error.kind() != io::ErrorKind::UnexpectedEof {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Ends the driver, and leaves nothing of it on the disk.
    async fn kill(&mut self) {
        self.way.lead_nowhere();
        if let Some(driver) = self.driver.take() {
            driver.kill().await;
        }
        for entry in fs::read_dir(self.temp.path()).into_iter().flatten().flatten() {
            let path = entry.path();
            let gone =
                if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            if let Err(error) = gone {
                complain(format_args!("{} stays behind: {error}", path.display()));
            }
        }
    }
}
