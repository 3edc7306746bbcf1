//! The second stage: process 1 inside. It builds the place, locks it, starts the skill and waits for it.
//!
//! It is held in as tightly as the skill, so that there is nothing to gain by attacking it.

use std::path::Path;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::sys::prctl::{set_dumpable, set_pdeathsig};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::{Pid, chdir, sethostname};

use super::failure::{Failure, Trying};
use super::plan::Plan;
use super::{confine, mounts, start};
use crate::Level;

/// Runs the skill to its end and gives the exit code that stands for it. Whatever the skill left running
/// dies with process 1.
pub(super) fn run(plan: &Plan) -> Result<ExitCode, Failure> {
    set_pdeathsig(Signal::SIGKILL).trying("die with the launcher")?;
    if plan.level == Level::Namespaces {
        sethostname("sandbox").trying("name the host")?;
        mounts::build(plan)?;
    }
    chdir(plan.scratch.as_deref().unwrap_or(Path::new("/work"))).trying("enter the scratch")?;
    confine::apply(plan)?;
    // The plan is still in memory: from here on /proc/1 can't be read by the skill.
    set_dumpable(false).trying("close /proc/1")?;
    if plan.program.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    reap_until(start::start(plan)?)
}

/// Waits for every child, those that lost their parent included, until `skill` ends.
fn reap_until(skill: Pid) -> Result<ExitCode, Failure> {
    loop {
        match wait() {
            Ok(WaitStatus::Exited(pid, code)) if pid == skill => return Ok(code_from(code)),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == skill => {
                return Ok(code_from(128 + signal as i32));
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error).trying("wait for the skill"),
        }
    }
}

fn code_from(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
