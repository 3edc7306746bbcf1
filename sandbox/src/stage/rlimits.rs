//! The bounds that the kernel holds for each process of a skill.

use std::fs;
use std::os::unix::fs::MetadataExt;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::getuid;

use super::failure::{Failure, Trying};
use super::plan::Plan;
use crate::Level;

/// The two stages of the launcher, which count as processes of the same user.
const STAGES: u64 = 2;

/// For how many calls there is room where all processes of the user count: others that begin at the same time
/// grow into the same bound.
const CALLS: u64 = 8;

/// Sets them for this process and all that it starts; nobody in there can raise them again.
pub(super) fn apply(plan: &Plan) -> Result<(), Failure> {
    let limits = &plan.limits;
    let processes = match plan.level {
        // In a user namespace of its own the skill's processes are the only ones that count.
        Level::Namespaces => STAGES + limits.processes,
        _ => running() + CALLS * limits.processes,
    };
    lower(Resource::RLIMIT_NPROC, processes)?;
    lower(Resource::RLIMIT_FSIZE, limits.file_bytes)?;
    lower(Resource::RLIMIT_NOFILE, limits.files)?;
    lower(Resource::RLIMIT_DATA, limits.memory)?;
    lower(Resource::RLIMIT_MEMLOCK, 0)?;
    lower(Resource::RLIMIT_MSGQUEUE, 0)?;
    lower(Resource::RLIMIT_CORE, 0)?;
    plan.cpu_seconds.map_or(Ok(()), |seconds| lower(Resource::RLIMIT_CPU, seconds))
}

fn lower(resource: Resource, bound: u64) -> Result<(), Failure> {
    let step = format!("limit {resource:?}");
    let (_, most) = getrlimit(resource).trying(step.as_str())?;
    let bound = bound.min(most);
    setrlimit(resource, bound, bound).trying(step)
}

/// How many processes and threads this user has on the whole machine.
fn running() -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else { return STAGES };
    let mine = processes.filter_map(Result::ok).filter(|process| {
        process.metadata().is_ok_and(|process| process.uid() == getuid().as_raw())
    });
    let threads = mine.filter_map(|process| fs::read_dir(process.path().join("task")).ok());
    threads.map(|threads| threads.count() as u64).sum()
}
