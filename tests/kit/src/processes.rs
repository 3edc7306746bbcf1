//! Which process has started which.

use std::fs;

use crate::wait_until;

/// The child processes of `pid`, whichever of its threads has started them; none of one that has ended.
#[must_use]
pub fn children_of(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let listed = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let listed: String = listed.flatten().collect();
    listed.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// Blocks until a process runs whose command line holds `words`.
///
/// # Panics
/// When there is none after a minute.
pub fn wait_until_runs(words: &str) {
    let is_it = |process: fs::DirEntry| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(words)
    };
    wait_until("it runs", || fs::read_dir("/proc").unwrap().flatten().any(is_it));
}

/// The process id of the router of the `safeclaw` with the id `pid`. Waits for one while there is none.
pub(crate) fn router_of(pid: u32) -> u32 {
    let mut router = None;
    wait_until("there is a router", || {
        router = children_of(pid).into_iter().flat_map(children_of).next();
        router.is_some()
    });
    router.unwrap()
}
