//! Attacks on other processes, and processes that do not want to end.
#![expect(
    clippy::disallowed_types,
    reason = "attacks that run in the sandbox make processes there"
)]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::{Pid, setsid};

use super::attack::Answer;
use super::one_call::{Reached, call};
use super::stage::Order;
use super::target::Target;

/// The order to stay and do nothing: what a daemon does, and the process that others are let loose on.
pub(super) const LINGER: &str = "linger";

/// What a process that lingers says when it is there.
pub(super) const HERE: &str = "here";

/// How long it stays if nobody ends it.
const STAY: Duration = Duration::from_secs(60);

/// `PTRACE_SEIZE`: traces without stopping.
const SEIZE: i64 = 0x4206;

pub(super) fn ptrace(target: &Target) -> Answer {
    on_others(target, |id| call(libc::SYS_ptrace, [SEIZE, id, 0, 0, 0, 0]))
}

/// The kernel judges at the opening whether it may.
pub(super) fn memory(target: &Target) -> Answer {
    on_others(target, |id| {
        let opened = File::open(format!("/proc/{id}/mem"));
        Ok(opened.map_or_else(Reached::Error, |_| Reached::Done))
    })
}

/// Tries the process that stands for this, then process 1.
fn on_others(target: &Target, attempt: impl Fn(i64) -> io::Result<Reached>) -> Answer {
    let mut refused = String::new();
    for id in [i64::from(target.victim), 1] {
        match attempt(id) {
            Ok(Reached::Done) => return Answer::Got(format!("reached process {id}")),
            Ok(Reached::Error(error)) => refused = error.to_string(),
            Err(error) => return Answer::Moot(error.to_string()),
        }
    }
    Answer::Refused(refused)
}

/// A signal that changes nothing for whoever runs.
pub(super) fn signal(target: &Target) -> Answer {
    if target.victim == std::process::id() {
        return Answer::Moot("the process has the same number in here".to_owned());
    }
    let victim = i32::try_from(target.victim).map_err(io::Error::other);
    let sent = victim.and_then(|id| Ok(kill(Pid::from_raw(id), Signal::SIGCONT)?));
    sent.map(|()| "it was sent".to_owned()).into()
}

pub(super) fn daemon(target: &Target) -> Answer {
    leave_one(target).map(|()| "it was started".to_owned()).into()
}

/// Starts a process and forgets it as soon as it is there.
fn leave_one(target: &Target) -> io::Result<()> {
    let mut arguments = std::env::args_os();
    let me = arguments.next().unwrap_or_default();
    start(Command::new(me).args(arguments), target).map(drop)
}

/// Starts one that lingers, and waits until it does.
pub(super) fn start(command: &mut Command, target: &Target) -> io::Result<Child> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let order = Order { attack: LINGER.to_owned(), target: target.clone() };
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&serde_json::to_vec(&order)?)?;
    }
    let mut said = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut said)?;
    }
    if said.trim() == HERE { Ok(child) } else { Err(io::Error::other("it ended at once")) }
}

/// Leaves the session and the group where it can, and stays.
pub(super) fn linger() -> io::Result<Answer> {
    let _ = setsid();
    let _ = SigSet::all().thread_block();
    writeln!(io::stdout(), "{HERE}")?;
    io::stdout().flush()?;
    sleep(STAY);
    Ok(Answer::Refused("its time is up".to_owned()))
}

pub(super) fn endless(_: &Target) -> Answer {
    let _ = SigSet::all().thread_block();
    sleep(STAY);
    Answer::Refused("its time is up".to_owned())
}
