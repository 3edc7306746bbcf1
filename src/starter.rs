//! The process beside an agent that starts its routers.
//!
//! The agent confines itself before it talks to anybody, and whatever it started then would be confined as
//! well. So this process is started before: it does nothing but start the router of one home, with the same
//! arguments each time, and say how it ended; and, beside that, start the person's own editor on an empty file.
//! No request says more than that, so whoever has taken over the agent can have routers started and killed, and
//! an empty file opened before the person's eyes, and nothing else.
#![expect(clippy::disallowed_types, reason = "this is the one start of the router")]

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use broker::pipe::Ended;

use crate::desk;
use crate::handing::{self, Asked, Ends};

/// The first argument of this program that means this.
pub(crate) const WORD: &str = "starter";

/// How long a router that has closed its end of the pipe may take to end.
const LAST_STEP: Duration = Duration::from_secs(1);

/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(2);

/// Serves the agent at stdin until it has gone. A router that lives then notices by itself, as its pipe is closed.
pub(crate) fn serve(args: &[OsString]) -> ExitCode {
    let agent = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from);
    // Beside the routers: an editor may be open for as long as the person likes.
    let desk = io::stdout().as_fd().try_clone_to_owned().map(UnixStream::from);
    let writing = desk.map(|desk| std::thread::spawn(move || desk::serve(&desk)));
    let served = match (args, agent) {
        ([home, called], Ok(agent)) => {
            Routers { home, called, last: None, is_next: false }.serve(&agent)
        }
        (_, Ok(_)) => Err(io::ErrorKind::InvalidInput.into()),
        (_, Err(error)) => Err(error),
    };
    // What is being written is removed when the editor ends; nobody reads it any more.
    let _ = writing.map(std::thread::JoinHandle::join);
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            home::say_on_stderr!(
                "error: `{WORD}` is for safeclaw itself, which talks to it: {error}"
            );
            ExitCode::FAILURE
        }
    }
}

/// The routers of one home, one at a time.
struct Routers<'a> {
    home: &'a OsString,
    /// How people start what has started this process.
    called: &'a OsString,
    last: Option<Child>,
    /// Whether there was one before: a person may be typing by now.
    is_next: bool,
}

impl Routers<'_> {
    fn serve(mut self, agent: &UnixStream) -> io::Result<()> {
        while let Some(asked) = handing::asked(agent)? {
            match asked {
                Asked::Start => handing::hand(agent, &self.start())?,
                Asked::Ended => handing::tell(agent, self.ended())?,
                Asked::Kill => self.kill(),
            }
        }
        Ok(())
    }

    fn start(&mut self) -> io::Result<Ends> {
        self.kill();
        let mut router = Command::new(std::env::current_exe()?)
            .args(["router", "--pipe", "--home"])
            .arg(self.home)
            .arg(home::CALLED)
            .arg(self.called)
            .args(std::mem::replace(&mut self.is_next, true).then_some("--next"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A group of its own, so that nothing reaches it that is meant for others.
            .process_group(0)
            .spawn()?;
        let ends = router.stdin.take().zip(router.stdout.take());
        self.last = Some(router);
        let (stdin, stdout) = ends.ok_or_else(|| io::Error::other("the router has no pipe"))?;
        Ok(Ends { to_router: OwnedFd::from(stdin), from_router: OwnedFd::from(stdout) })
    }

    /// Gives the last router the time for its last step.
    fn ended(&mut self) -> Ended {
        let until = Instant::now() + LAST_STEP;
        let Some(mut router) = self.last.take() else { return Ended::Killed };
        loop {
            match router.try_wait() {
                Ok(Some(status)) if status.code().is_some() => return Ended::ByItself,
                Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
                Ok(Some(_)) => return Ended::Killed,
                Ok(None) | Err(_) => break,
            }
        }
        self.last = Some(router);
        self.kill();
        Ended::Killed
    }

    fn kill(&mut self) {
        if let Some(mut router) = self.last.take() {
            // What can't be killed has ended meanwhile.
            let _ = router.kill();
            let _ = router.wait();
        }
    }
}
