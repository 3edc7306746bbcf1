//! Landlock: what may be touched, held by the kernel whatever the mounts say.
//!
//! In namespaces it is the second line, and keeps the skill from what mounts can't: shared memory through
//! /dev/zero, TCP, signals to process 1. Without namespaces it is the first.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::failure::{Failure, Trying};
use super::lent::find;
use super::plan::Plan;
use super::system::{PROGRAMS, SETTINGS, SINKS, ZERO};
use crate::{Lent, Level};

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
    let status = restrict(plan, lent(plan)?).map_err(io::Error::other).trying("apply Landlock")?;
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

fn restrict(
    plan: &Plan,
    lent: Vec<PathBeneath<File>>,
) -> Result<landlock::RestrictionStatus, RulesetError> {
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
        .add_rules(lent.into_iter().map(Ok::<_, RulesetError>))?
        .add_rules(path_beneath_rules([ZERO], read_data))?
        .add_rules(path_beneath_rules(SINKS, read_data | AccessFs::WriteFile))?;
    ruleset.restrict_self()
}

/// In namespaces all that is there, for it was put there to be read; otherwise what programs need.
fn readable(plan: &Plan) -> Vec<PathBuf> {
    if plan.level == Level::Namespaces {
        return vec![PathBuf::from("/")];
    }
    let system = PROGRAMS.iter().chain(&SETTINGS).chain(&MACHINE).map(Path::new);
    let own = [plan.folder.as_path()].into_iter().chain(plan.exe.as_deref());
    system.chain(own).map(Path::to_owned).collect()
}

/// The lent folders themselves, whatever stands in their place later, and what may be done there.
fn lent(plan: &Plan) -> Result<Vec<PathBeneath<File>>, Failure> {
    let access =
        |write| if write { AccessFs::from_all(NEWEST) } else { AccessFs::from_read(NEWEST) };
    let one = |lent: &Lent| {
        let mut seen = lent.seen_at(plan.level);
        if lent.in_place && plan.level == Level::Namespaces {
            // /tmp is a link in there, and nothing but what was built by us leads on from it.
            seen = seen.canonicalize().trying(format!("find {}", seen.display()))?;
        }
        let folder = find(&seen)?;
        Ok(PathBeneath::new(folder, access(lent.write)))
    };
    plan.lent.iter().map(one).collect()
}

fn writable(plan: &Plan) -> Vec<PathBuf> {
    match &plan.scratch {
        Some(scratch) => vec![scratch.clone()],
        None => vec![PathBuf::from("/work"), PathBuf::from("/dev/shm")],
    }
}
