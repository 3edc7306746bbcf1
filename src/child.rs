//! The router as this program's child.
#![expect(clippy::disallowed_types, reason = "this is the one start of the router")]

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use broker::pipe::{Ended, Pipe, Starter};
use home::Home;
use tokio::process::{Child, Command};

/// How long a router that has closed its end of the pipe may take to end.
const LAST_STEP: Duration = Duration::from_secs(1);

/// Starts this same program as a router of `home`. What it has started is killed when this is dropped.
pub(crate) struct ChildRouter {
    home: PathBuf,
    child: Option<Child>,
}

impl ChildRouter {
    /// A router of `home` that has not been started.
    pub(crate) fn new(home: &Home) -> Self {
        Self { home: home.root().to_owned(), child: None }
    }
}

#[async_trait::async_trait]
impl Starter for ChildRouter {
    async fn start(&mut self) -> io::Result<Pipe> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["router", "--pipe", "--home"])
            .arg(&self.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A group of its own, so that Ctrl-C does not reach it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the router has no pipe"));
        };
        self.child = Some(child);
        Ok(Pipe { from_router: Box::new(stdout), to_router: Box::new(stdin) })
    }

    async fn ended(&mut self) -> Ended {
        let Some(mut child) = self.child.take() else { return Ended::Killed };
        match tokio::time::timeout(LAST_STEP, child.wait()).await {
            Ok(Ok(status)) if status.code().is_some() => Ended::ByItself,
            Ok(_) => Ended::Killed,
            Err(_) => {
                // What can't be killed has ended meanwhile.
                let _ = child.kill().await;
                Ended::Killed
            }
        }
    }
}
