//! Whether a home is in use: what is read while somebody writes it may be half of it.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Where multis writes the number of its process.
const PID_FILES: [&str; 2] = ["run/multis.pid", "multis.pid"];

/// What a process of these programs has in its command line.
const PROGRAMS: [&str; 3] = ["start_agent.py", "start_router.py", "multis"];

/// Refuses a home that is in use.
///
/// # Errors
/// Words that name the process.
pub(super) fn check(dir: &Path) -> Result<(), String> {
    for name in PID_FILES {
        let Ok(text) = fs::read_to_string(dir.join(name)) else { continue };
        let pid = text.trim().parse::<u32>().ok();
        // The number may be another process's by now.
        if let Some(pid) = pid.filter(|pid| is_one(*pid)) {
            return Err(in_use(dir, pid));
        }
    }
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    for pid in pids {
        let works_there =
            fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|at| at.starts_with(dir));
        if works_there && is_one(pid) {
            return Err(in_use(dir, pid));
        }
    }
    Ok(())
}

/// Whether a process that runs is one of these programs.
fn is_one(pid: u32) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    words.split(|byte| *byte == 0).any(|word| {
        let name = Path::new(std::ffi::OsStr::from_bytes(word)).file_name();
        let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        PROGRAMS.iter().any(|program| name == *program || name == format!("{program}.js"))
    })
}

fn in_use(dir: &Path, pid: u32) -> String {
    format!("{} is in use by process {pid}: end it first, and import then", dir.display())
}
