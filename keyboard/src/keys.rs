//! Notices that a key was pressed while no line is edited, without taking it: the line editor reads it then.

use std::io;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How often it is looked, while the agent is at work.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until there is a key to read.
pub async fn pressed() {
    while !is_there() {
        tokio::time::sleep(LOOK).await;
    }
}

fn is_there() -> bool {
    let (stdin, at_once) = (io::stdin(), Timespec { tv_sec: 0, tv_nsec: 0 });
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut watched, Some(&at_once)).is_ok_and(|ready| ready > 0)
}
