//! Locks the place: after this nothing can be unlocked again, by the skill or by anything that it starts.

use nix::sys::prctl::set_no_new_privs;

use super::failure::{Failure, Trying};
use super::plan::Plan;
use super::{identity, landlock, rlimits, seccomp};

/// Takes everything from this process that the skill must not have. The order matters: seccomp comes last,
/// because it would refuse what the others do.
pub(super) fn apply(plan: &Plan) -> Result<(), Failure> {
    rlimits::apply(plan)?;
    set_no_new_privs().trying("forbid new powers")?;
    identity::give_up_powers()?;
    let held = landlock::apply(plan)?;
    seccomp::apply(plan, &held)
}
