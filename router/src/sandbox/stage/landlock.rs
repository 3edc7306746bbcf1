//! Landlock: what may be touched, held by the kernel whatever the mounts say.
//!
//! In namespaces it is the second line, and keeps the skill from what mounts can't: shared memory through
//! /dev/zero, TCP, signals to process 1. Without namespaces it is the first.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::failure::{Failure, Trying};
use super::plan::Plan;
use super::system::{PROGRAMS, SETTINGS, SINKS, ZERO};
use crate::sandbox::Level;

/// The newest rules that are asked for; an older kernel enforces those that it knows.
const NEWEST: ABI = ABI::V9;

/// Where the host's /proc is in sight, all that is shown of it: how large the machine is.
const MACHINE: [&str; 2] = ["/proc/cpuinfo", "/proc/meminfo"];

/// What the kernel holds by Landlock.
pub(super) struct Held {
    /// Whether signals reach only the skill's own processes.
    pub(super) signals: bool,
}

/// Holds this process and all that it starts. Where the kernel has no Landlock, namespaces alone must do;
/// without them it is an error.
pub(super) fn apply(plan: &Plan) -> Result<Held, Failure> {
    let status = restrict(plan).map_err(io::Error::other).trying("apply Landlock")?;
    if status.ruleset == RulesetStatus::NotEnforced && plan.level != Level::Namespaces {
        let missing = io::Error::from(io::ErrorKind::Unsupported);
        return Err(missing).trying("apply Landlock, which this kernel does not have");
    }
    let signals = matches!(
        status.landlock,
        LandlockStatus::Available { effective_abi, .. } if effective_abi >= ABI::V6
    );
    Ok(Held { signals })
}

fn restrict(plan: &Plan) -> Result<landlock::RestrictionStatus, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    let read = AccessFs::from_read(NEWEST);
    let read_data: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut ruleset = Ruleset::default().handle_access(all)?.scope(Scope::from_all(NEWEST))?;
    if plan.net.is_none() {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let ruleset = ruleset
        .create()?
        .add_rules(path_beneath_rules(readable(plan), read))?
        .add_rules(path_beneath_rules(writable(plan), all))?
        .add_rules(path_beneath_rules([ZERO], read_data))?
        .add_rules(path_beneath_rules(SINKS, read_data | AccessFs::WriteFile))?;
    ruleset.restrict_self()
}

/// In namespaces all that is there, for it was put there to be read; otherwise what programs need.
fn readable(plan: &Plan) -> Vec<&Path> {
    if plan.level == Level::Namespaces {
        return vec![Path::new("/")];
    }
    let system = PROGRAMS.iter().chain(&SETTINGS).chain(&MACHINE).map(Path::new);
    system.chain([plan.folder.as_path()]).chain(plan.exe.as_deref()).collect()
}

fn writable(plan: &Plan) -> Vec<&Path> {
    match &plan.scratch {
        Some(scratch) => vec![scratch],
        None => vec![Path::new("/work"), Path::new("/dev/shm")],
    }
}
