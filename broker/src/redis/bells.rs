//! Waits until something lies in a list, without taking it.
//!
//! A blocking move of a list's last element onto its own end changes nothing, and returns once there is an
//! element. So a reader that dies, or whose connection does, has nothing in its hands that could be lost.

use redis::Cmd;

use super::link::BLOCK;

/// The command that returns once something lies in `list`, or after [`BLOCK`].
pub(super) fn bell(list: &str) -> Cmd {
    let mut bell = redis::cmd("BLMOVE");
    bell.arg(list).arg(list).arg("RIGHT").arg("RIGHT").arg(BLOCK.as_secs_f64());
    bell
}
