//! What everything stands on: the home, its permissions, the disk and the clock.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use home::format::NEWEST;
use home::{Check, FormatError, Home, HomeFormat, command};

/// Less room than this, in bytes, is too little to keep what is said and done.
const TOO_LITTLE: u64 = 64 * 1024 * 1024;

/// Less room than this, in bytes, will not last.
const LITTLE: u64 = 1024 * 1024 * 1024;

/// A file of the home that is younger than now by more tells that the clock was set back.
const AHEAD: Duration = Duration::from_secs(3_600);

/// 2025-01-01: nothing of this program is older.
const EARLIEST: Duration = Duration::from_secs(1_735_689_600);

pub(super) fn checks(home: &Home) -> Vec<Check> {
    let format = home.root().exists().then(|| format(home));
    [folder(home)].into_iter().chain(format).chain([disk(home), clock(home)]).collect()
}

fn folder(home: &Home) -> Check {
    const NAME: &str = "home";
    let root = home.root();
    let shown = root.display();
    let Ok(metadata) = fs::metadata(root) else {
        return Check::warn(
            NAME,
            format!("{shown} is not there yet"),
            "safeclaw makes it at its first start",
        );
    };
    let mode = metadata.permissions().mode() & 0o777;
    let me = rustix::process::geteuid().as_raw();
    if metadata.uid() != me && me != 0 {
        let seen = format!("{shown} belongs to user {}, and you are user {me}", metadata.uid());
        return Check::fail(NAME, seen, format!("sudo chown -R \"$USER\" '{shown}'"));
    }
    if mode & 0o700 != 0o700 {
        let seen = format!("{shown} can't be used by its owner (mode {mode:03o})");
        return Check::fail(NAME, seen, format!("chmod u+rwx '{shown}'"));
    }
    if mode & 0o022 != 0 {
        let seen = format!("others can write to {shown} (mode {mode:03o})");
        return Check::fail(NAME, seen, format!("chmod go-w '{shown}'"));
    }
    if rustix::fs::access(root, rustix::fs::Access::WRITE_OK) == Err(rustix::io::Errno::ROFS) {
        let seen = format!("{shown} is read-only");
        return Check::fail(NAME, seen, "mount it writable, or choose another home with --home");
    }
    Check::ok(NAME, format!("{shown}, mode {mode:03o}"))
}

fn format(home: &Home) -> Check {
    const NAME: &str = "format";
    match HomeFormat::usable(home.root()) {
        Ok(format) if format.format == NEWEST => Check::ok(NAME, format!("the newest, {NEWEST}")),
        Ok(format) => Check::warn(
            NAME,
            format!(
                "{} of {NEWEST}: all of it is read, and what is newer is not written",
                format.format
            ),
            format!("`{}`, which makes and proves a copy first", command("upgrade")),
        ),
        Err(error) => Check::fail(NAME, error.to_string(), mend(&error)),
    }
}

fn mend(error: &FormatError) -> String {
    match error {
        FormatError::Newer { by, .. } => {
            format!("use SafeClaw {by} or newer, or go back with `{}`", command("rollback"))
        }
        FormatError::RollingBack(_) => format!("`{}` finishes it", command("rollback --yes")),
        FormatError::Broken { .. } | FormatError::File(_) => {
            "put format.json back from a backup, or see who can read it".to_owned()
        }
    }
}

fn disk(home: &Home) -> Check {
    const NAME: &str = "disk";
    // The nearest folder that is there.
    let there = home.root().ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    match rustix::fs::statvfs(there) {
        Err(error) => Check::warn(
            NAME,
            format!("it can't be measured: {error}"),
            "put the home on a local disk",
        ),
        Ok(stat) => room(NAME, stat.f_bavail.saturating_mul(stat.f_frsize)),
    }
}

fn room(name: &'static str, free: u64) -> Check {
    let mend = "make room; the largest of SafeClaw's own files are those in router/audit and workspace/output";
    let seen = format!("{} MiB are free", free / (1024 * 1024));
    match free {
        ..TOO_LITTLE => Check::fail(name, seen, mend),
        TOO_LITTLE..LITTLE => Check::warn(name, seen, mend),
        _ => Check::ok(name, seen),
    }
}

fn clock(home: &Home) -> Check {
    const NAME: &str = "clock";
    let mend = "set it: timedatectl set-ntp true";
    let now = SystemTime::now();
    if now < SystemTime::UNIX_EPOCH + EARLIEST {
        return Check::fail(NAME, "it stands before 2025", mend);
    }
    let newest = newest(home);
    match newest.and_then(|newest| newest.duration_since(now).ok()) {
        Some(ahead) if ahead > AHEAD => {
            let seen =
                format!("a file of the home is {} h younger than now", ahead.as_secs() / 3_600);
            Check::warn(NAME, seen, mend)
        }
        _ => Check::ok(NAME, "no file of the home is younger than now"),
    }
}

/// When the youngest file that stands directly in a folder of the home was written.
fn newest(home: &Home) -> Option<SystemTime> {
    let folders = [home.root().to_owned(), home.workspace(), home.router()];
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()
}

#[cfg(test)]
mod tests {
    use home::Status;

    use super::*;

    #[test]
    fn room_is_told_before_there_is_none() {
        let status = |mib: u64| room("disk", mib * 1024 * 1024).status;
        assert_eq!(
            (status(1), status(500), status(5_000)),
            (Status::Fail, Status::Warn, Status::Ok)
        );
    }
}
