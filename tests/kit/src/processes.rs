//! Which process has started which.

use std::fs;

/// The child processes of `pid`, whichever of its threads has started them; none of one that has ended.
#[must_use]
pub fn children_of(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let listed = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let listed: String = listed.flatten().collect();
    listed.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}
