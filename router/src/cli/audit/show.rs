//! `audit tail` and `audit export`.

use std::path::Path;
use std::time::Duration;

use home::{FileError, Home};
use protocol::{Object, Trace};
use serde_json::Value;
use when::Since;

use super::{AuditError, print};
use crate::audit_log::{Entries, Entry, Files, Follower, json, last, words};

/// How often it is looked for new rows.
const LOOK: Duration = Duration::from_millis(200);

pub(super) fn tail(folder: &Path, count: usize) -> Result<(), AuditError> {
    let newest = last(&Files::all(folder)?, count)?;
    if newest.is_empty() && count > 0 {
        home::say_on_stderr!("there are no rows in {}", folder.display());
    }
    newest.iter().try_for_each(|entry| print(&words(entry)))
}

pub(super) fn follow(folder: &Path, count: usize) -> Result<(), AuditError> {
    let mut followers = Vec::new();
    join(folder, &mut followers, false)?;
    tail(folder, count)?;
    loop {
        let mut news = Vec::new();
        for follower in &mut followers {
            news.extend(follower.news()?);
        }
        news.sort_by_key(Entry::at);
        news.iter().try_for_each(|entry| print(&words(entry)))?;
        std::thread::sleep(LOOK);
        join(folder, &mut followers, true)?;
    }
}

/// Follows the logs that are not followed yet.
fn join(folder: &Path, followers: &mut Vec<Follower>, new: bool) -> Result<(), AuditError> {
    for files in Files::all(folder)? {
        if !followers.iter().any(|follower| follower.follows(&files.name())) {
            followers.push(Follower::new(&files, new)?);
        }
    }
    Ok(())
}

pub(super) fn export(folder: &Path, since: Option<Since>, as_json: bool) -> Result<(), AuditError> {
    let since = since.map_or(0, Since::millis);
    for entry in Entries::since(&Files::all(folder)?, since)? {
        print(&if as_json { document(entry?) } else { words(&entry?) })?;
    }
    Ok(())
}

/// The rows of one message, by time: when, in milliseconds since 1970, and what.
///
/// # Errors
/// [`FileError`] when a file can't be read.
pub fn traced(home: &Home, trace: Trace) -> Result<Vec<(u64, String)>, FileError> {
    let id = trace.to_string();
    let is_of_it = |entry: &Entry| entry.fields.get("trace").and_then(Value::as_str) == Some(&id);
    let rows = Entries::since(&Files::all(&home.router_audit())?, 0)?.holding(&id);
    let told = |entry: Entry| {
        let words = words(&entry);
        let what = words.split_once("  ").map_or(&*words, |(_, what)| what);
        (entry.at(), what.trim_end().to_owned())
    };
    rows.filter(|row| row.as_ref().map_or(true, is_of_it)).map(|row| row.map(told)).collect()
}

/// The row as it was written, with the name of its log in front.
fn document(entry: Entry) -> String {
    let mut document = Object::from_iter([("log".to_owned(), entry.log.into())]);
    document.extend(entry.fields);
    let text = serde_json::to_string(&document).unwrap_or_default();
    format!("{}\n", json(text))
}
