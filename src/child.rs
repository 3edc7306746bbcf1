//! The router, which is started and ended through the process that this one starts first.
#![expect(clippy::disallowed_types, reason = "this is the one start of the starter")]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use broker::pipe::{Ended, Pipe, Starter};
use home::{Home, Invocation};
use settings::own_names;
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::desk::Desk;
use crate::handing::{self, Asked};
use crate::starter;

/// How long an answer may take. The starter's longest is a router that does not end, and it waits a second for that.
const ANSWER: Duration = Duration::from_secs(10);

/// A router of one home. What was started for it is killed when this is dropped.
pub(crate) struct ChildRouter {
    starter: Arc<UnixStream>,
    desk: Arc<UnixStream>,
    /// It ends by itself when nobody asks any more.
    _process: Child,
}

impl ChildRouter {
    /// Starts what starts routers of `home`; there is no router yet.
    pub(crate) fn new(home: &Home) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let (desk, other) = UnixStream::pair()?;
        ours.set_read_timeout(Some(ANSWER))?;
        let mut command = Command::new(std::env::current_exe()?);
        // The wall asks no model and talks with nobody, so the keys to those stay with the mind.
        for name in own_names() {
            command.env_remove(name);
        }
        for name in supervisor::NAMES {
            command.env_remove(name);
        }
        let process = command
            .arg(starter::WORD)
            .arg(home.root())
            .arg(Invocation::here().prefix())
            .stdin(OwnedFd::from(theirs))
            .stdout(OwnedFd::from(other))
            // A group of its own, so that Ctrl-C does not reach it.
            .process_group(0)
            .spawn()?;
        Ok(Self { starter: Arc::new(ours), desk: Arc::new(desk), _process: process })
    }

    /// The way to an editor of the person's own, which the same process starts.
    pub(crate) fn desk(&self) -> Desk {
        Desk::new(Arc::clone(&self.desk))
    }

    /// Asks, and reads the answer, where waiting holds up nobody.
    async fn ask<R: Send + 'static>(
        &self,
        asked: Asked,
        answer: fn(&UnixStream) -> io::Result<R>,
    ) -> io::Result<R> {
        let starter = Arc::clone(&self.starter);
        let answered = tokio::task::spawn_blocking(move || {
            handing::ask(&starter, asked)?;
            answer(&starter)
        });
        answered.await?
    }
}

#[async_trait::async_trait]
impl Starter for ChildRouter {
    async fn start(&mut self) -> io::Result<Pipe> {
        let ends = self.ask(Asked::Start, handing::take).await?;
        Ok(Pipe {
            from_router: Box::new(Receiver::from_owned_fd(ends.from_router)?),
            to_router: Box::new(Sender::from_owned_fd(ends.to_router)?),
        })
    }

    async fn ended(&mut self) -> Ended {
        self.ask(Asked::Ended, handing::told).await.unwrap_or(Ended::Killed)
    }
}

impl Drop for ChildRouter {
    fn drop(&mut self) {
        // A starter that has gone has nothing to kill.
        let _ = handing::ask(&self.starter, Asked::Kill);
    }
}
