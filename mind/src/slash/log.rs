//! `/log [DAY]`: shows what was said and done on a day of UTC, newest last.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::perform::{At, Perform, Read};

/// The part of a day that is shown, in bytes: the end of it.
const SHOWN: usize = 8 * 1024;

#[derive(Debug)]
struct ShowLog(Date);

pub(super) fn read(rest: &str) -> Read {
    let day = match rest {
        "" => jiff::Timestamp::now().to_zoned(TimeZone::UTC).date(),
        day => day.parse().map_err(|_| "it is /log or /log YYYY-MM-DD, a day of UTC".to_owned())?,
    };
    Ok(Arc::new(ShowLog(day)))
}

#[async_trait]
impl Perform for ShowLog {
    async fn perform(&self, at: At<'_>) {
        let path = at.session.files.journal.log_of(&self.0.to_string());
        match tokio::fs::read_to_string(&path).await {
            Ok(text) => at.text(shown(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                at.text(format!("Nothing was said on {} (UTC).", self.0));
            }
            Err(error) => at.fault(format!("{}: {error}", path.display())),
        }
    }
}

/// The end of a day's log, from the beginning of an entry on.
fn shown(text: &str) -> String {
    let start = text.ceil_char_boundary(text.len().saturating_sub(SHOWN));
    if start == 0 {
        return text.trim_end().to_owned();
    }
    let end = &text[start..];
    let entry = end.find("\n### ").map_or(end, |at| &end[at + 1..]);
    format!("(the beginning of the day is left out)\n\n{}", entry.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_day_is_shown_from_an_entry_on() {
        assert_eq!(shown("### 10:00:00 [user]\nhi\n\n"), "### 10:00:00 [user]\nhi");
        let long = format!(
            "### 10:00:00 [user]\n{}\n\n### 10:00:01 [user]\nhi\n\n",
            "\u{fc}".repeat(SHOWN)
        );
        assert_eq!(
            shown(&long),
            "(the beginning of the day is left out)\n\n### 10:00:01 [user]\nhi"
        );
    }

    #[test]
    fn a_day_is_a_date() {
        assert!(read("").is_ok() && read("2026-11-23").is_ok());
        for wrong in ["yesterday", "../2026-11-23", "2026-13-01"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
