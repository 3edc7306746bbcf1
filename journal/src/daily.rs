//! The log of a day, for people: `log/YYYY-MM-DD.md` with `### HH:MM:SS [role]`, all in UTC.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use jiff::Timestamp;
use protocol::Millis;

use super::{JournalEvent, Role};

/// Appends events to the logs of their days in `folder`. The journal holds the same, so a log is not synced.
pub(super) fn append(folder: &Path, events: &[JournalEvent]) -> io::Result<()> {
    home::file::make_folder(folder).map_err(io::Error::other)?;
    for of_a_day in events.chunk_by(|one, other| day(one.at) == day(other.at)) {
        let Some(first) = of_a_day.first() else { continue };
        let path = folder.join(format!("{}.md", day(first.at)));
        let text: String = of_a_day.iter().map(entry).collect();
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true).mode(0o600).open(path)?.write_all(text.as_bytes())?;
    }
    Ok(())
}

fn entry(event: &JournalEvent) -> String {
    let mut text = String::new();
    let (time, role) = (time(event.at, "%H:%M:%S"), event.role.name());
    let words = match event.role {
        Role::Clear => "started afresh",
        _ => event.text.trim_end(),
    };
    // Writing to a String can't fail.
    let _ = write!(text, "### {time} [{role}]\n{words}\n\n");
    text
}

/// The day of UTC, as `YYYY-MM-DD`.
fn day(at: Millis) -> String {
    time(at, "%Y-%m-%d")
}

fn time(at: Millis, form: &str) -> String {
    let at = i64::try_from(at.0).ok().and_then(|at| Timestamp::from_millisecond(at).ok());
    at.unwrap_or(Timestamp::MAX).strftime(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(at: u64, role: Role, text: &str) -> JournalEvent {
        let bits = protocol::Taint::CLEAN;
        JournalEvent { at: Millis(at), role, from: String::new(), text: text.to_owned(), bits }
    }

    #[test]
    fn each_day_has_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        // 2026-11-23 23:59:59 UTC, and two seconds later.
        let late = 1_795_478_399_000;
        let events = [
            event(late, Role::User, "Good night.\n"),
            event(late + 2_000, Role::Assistant, "Good\nmorning."),
            event(late + 3_000, Role::Clear, ""),
        ];
        append(folder.path(), &events[..2]).unwrap();
        append(folder.path(), &events[2..]).unwrap();
        let text = |day: &str| fs::read_to_string(folder.path().join(day)).unwrap();
        assert_eq!(text("2026-11-23.md"), "### 23:59:59 [user]\nGood night.\n\n");
        let next =
            "### 00:00:01 [assistant]\nGood\nmorning.\n\n### 00:00:02 [clear]\nstarted afresh\n\n";
        assert_eq!(text("2026-11-24.md"), next);
    }

    #[test]
    fn a_clock_that_is_far_off_still_has_a_day() {
        assert_eq!(day(Millis(0)), "1970-01-01");
        assert_eq!(day(Millis(u64::MAX)), "9999-12-30");
    }
}
