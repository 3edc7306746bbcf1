//! Commands that end without being run, in the same words on every transport, and the numbers that transports share.

use std::time::Duration;

use protocol::{Code, Stopped};

/// How long the reply to a command is kept to answer a copy of it, and how long an id that was taken back before it came
/// is remembered: as long as the longest wait of an agent.
pub(crate) const REMEMBERED: Duration = Duration::from_secs(600);

/// How often a command may be begun.
pub(crate) const MOST_ATTEMPTS: u32 = 3;

/// Nobody waits for it any more.
pub(crate) fn taken_back() -> Stopped {
    Stopped::new(Code::Cancelled, "it was taken back before it was begun")
}

/// It is too late.
pub(crate) fn late() -> Stopped {
    Stopped::new(Code::Deadline, "its deadline passed while it waited; it was not run")
}

/// There are too many.
pub(crate) fn queue_full() -> Stopped {
    Stopped::new(Code::QueueFull, "too many commands wait already; try again later")
}

/// It is too much.
pub(crate) fn too_large() -> Stopped {
    Stopped::new(Code::TooLarge, "it is larger than a command may be")
}

/// Every router that began it has ended.
pub(crate) fn poison() -> Stopped {
    let message = "it was begun several times, and each time its router ended; it is not run again";
    Stopped::new(Code::Poison, message).maybe_executed()
}

/// It is not signed as it must be.
pub(crate) fn bad_signature(why: &str) -> Stopped {
    let message = format!(
        "{why}; it was not run. Give the agent and the router the same file as SAFECLAW_KEY_FILE, and clocks that agree"
    );
    Stopped::new(Code::BadSignature, message)
}

/// The router takes nothing more.
pub(crate) fn draining() -> Stopped {
    Stopped::new(Code::Draining, "the router is shutting down")
}

/// The same for a command that a router had begun which has ended since: it may have come as far as anything.
pub(crate) fn begun_before(stopped: Stopped) -> Stopped {
    if stopped.maybe_executed {
        return stopped;
    }
    let message = format!("{}; but a router that ended may have run it before", stopped.message);
    Stopped { message, ..stopped }.maybe_executed()
}
