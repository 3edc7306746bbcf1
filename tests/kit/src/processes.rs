//! Which process has started which, and what one holds.

use std::{fs, io};

use crate::wait_until;

/// The child processes of `pid`, whichever of its threads has started them; none of one that has ended.
#[must_use]
pub fn children_of(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let listed = threads.map(|thread| fs::read_to_string(thread.path().join("children")));
    let listed: String = listed.flatten().collect();
    listed.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// What process `pid` holds, in MB (10^6 bytes): its proportional set size, in which a page that several processes map
/// counts for each of them in part.
///
/// # Errors
/// When there is no such process, or it is another user's.
pub fn held_by(pid: u32) -> io::Result<f64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let size =
        rollup.lines().find_map(|line| line.strip_prefix("Pss:")?.trim().strip_suffix(" kB"));
    let kib: f64 = size.and_then(|size| size.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
    Ok(kib * 1_024.0 / 1e6)
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
