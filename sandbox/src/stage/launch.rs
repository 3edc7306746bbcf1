//! The first stage: stands outside, prepares who the skill is, and outlives it by a moment.
//!
//! It gives up root, makes the namespaces, starts the second stage in them, forwards the skill's network
//! and ends as the skill ended. When the router is gone it goes too, and takes everything with it.
#![expect(clippy::disallowed_types, reason = "this is where the sandbox makes its processes")]

use std::fs::{self, File};
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

use super::failure::{FAILED, Failure, Trying};
use super::forward::{self, Proxy};
use super::plan::Plan;
use super::{identity, lent, loopback};
use crate::Level;

/// What the first stage keeps from before it stepped down.
struct Held {
    alive: File,
    proxy: Option<Proxy>,
}

/// Runs the job and gives the exit code that stands for the skill's end.
pub(super) fn run(plan: &Plan) -> Result<ExitCode, Failure> {
    let held = hold(plan)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0).trying("forbid core dumps")?;
    // When memory runs out the kernel should end a skill before it ends the router.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let is_to_step_down = identity::is_to_step_down();
    let user = if is_to_step_down { lent::take(plan)? } else { identity::NOBODY };
    identity::step_down(user)?;
    let mut listener = None;
    if plan.level == Level::Namespaces {
        identity::enter_namespaces()?;
        if plan.net.is_some() {
            loopback::bring_up().trying("bring up the loopback interface")?;
            listener = Some(forward::listen().trying("listen for the proxy")?);
        }
        identity::hand_on_powers()?;
    }
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .trying("start the launcher's loop")?
        .block_on(watch(plan, held, listener))
}

/// Finds what is needed from the host and closes every other descriptor that was inherited.
fn hold(plan: &Plan) -> Result<Held, Failure> {
    let alive =
        File::open(format!("/proc/self/fd/{}", plan.alive)).trying("watch for the router's end")?;
    let proxy = plan.net.as_deref().map(Proxy::find).transpose();
    let proxy = proxy.trying("find the proxy's socket")?;
    let kept = [Some(alive.as_raw_fd()), proxy.as_ref().map(Proxy::number)];
    close_others(&kept).trying("close inherited descriptors")?;
    Ok(Held { alive, proxy })
}

fn close_others(kept: &[Option<RawFd>]) -> io::Result<()> {
    let open: Vec<RawFd> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for number in open.into_iter().filter(|number| *number > 2 && !kept.contains(&Some(*number))) {
        // The directory that was read stands in its own list and is closed by now.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

/// Starts the second stage and waits for it, or for the end of the router.
async fn watch(
    plan: &Plan,
    held: Held,
    listener: Option<TcpListener>,
) -> Result<ExitCode, Failure> {
    let mut alive = pipe::Receiver::from_file(held.alive).trying("watch for the router's end")?;
    let mut inside = start_inside(plan).trying("start the second stage")?;
    identity::give_up_powers()?;
    if let (Some(listener), Some(proxy)) = (listener, held.proxy) {
        tokio::spawn(forward::run(listener, proxy));
    }
    tokio::select! {
        ended = inside.wait() => Ok(code_of(ended.trying("wait for the second stage")?)),
        // Nothing is ever written there: a read ends when the router, the only writer, is gone.
        _ = alive.read_u8() => {
            killpg(Pid::from_raw(0), Signal::SIGKILL).trying("end with the router")?;
            Ok(ExitCode::from(FAILED))
        }
    }
}

fn start_inside(plan: &Plan) -> io::Result<Child> {
    // The path of the binary may be out of reach by now; the one that runs always is within reach.
    Command::new("/proc/self/exe").args(&plan.again).env_clear().spawn()
}

/// The code that stands for an end: its own, or 128 and the signal, as a shell has it.
fn code_of(ended: ExitStatus) -> ExitCode {
    let code = ended.code().unwrap_or_else(|| 128 + ended.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
