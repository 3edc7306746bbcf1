//! The journal a page at a time, from its end to where the conversation of now began. A place in it is a number of bytes from its
//! beginning.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use protocol::Millis;

use super::{JournalEvent, Role};

/// How much of the file is looked at for one page, in bytes.
const WINDOW: u64 = 1024 * 1024;

/// How much of it is looked at for one line that is longer than that, in bytes.
const LARGEST: u64 = 8 * 1024 * 1024;

/// How many windows are looked at for the beginning of the latest turns.
const WINDOWS: usize = 8;

/// Some events that follow on one another.
#[derive(Debug, PartialEq)]
pub struct JournalPage {
    /// The events, oldest first.
    pub events: Vec<JournalEvent>,
    /// Where they begin: what is older stands before it. Nothing of this conversation is older than 0.
    pub start: u64,
}

/// The latest events of the journal at `path` that stand before the place `before` and behind the last [`Role::Clear`] before it,
/// at most `most`. Lines that can't be read are left out.
///
/// # Errors
/// When the file can't be read; one that is not there is empty.
pub fn page(path: &Path, before: u64, most: usize) -> io::Result<JournalPage> {
    let Some(file) = open(path)? else { return Ok(JournalPage { events: Vec::new(), start: 0 }) };
    let window = Window::of(&file, before)?;
    let mut lines = window.lines();
    lines.drain(..lines.len().saturating_sub(most));
    let mut start = lines.first().map_or(window.start, |(place, _)| *place);
    let mut events: Vec<JournalEvent> = lines.iter().filter_map(|(_, line)| read(line)).collect();
    if let Some(at) = events.iter().rposition(|event| event.role == Role::Clear) {
        events.drain(..=at);
        start = 0;
    }
    Ok(JournalPage { events, start })
}

/// The place of the message with these words that was said last at or before `first`; without one, of the first event that
/// is not older than `since`. It never stands before the last [`Role::Clear`].
///
/// # Errors
/// When the file can't be read; one that is not there is empty.
pub fn place(path: &Path, first: Option<(Millis, &str)>, since: Millis) -> io::Result<u64> {
    let Some(file) = open(path)? else { return Ok(0) };
    let mut end = file.metadata()?.len();
    for _ in 0..WINDOWS {
        let window = Window::of(&file, end)?;
        for (place, line) in window.lines().into_iter().rev() {
            let Some(event) = read(line) else { continue };
            if first.is_some_and(|(at, words)| is_said(&event, at, words)) {
                return Ok(place);
            }
            if event.at < since || event.role == Role::Clear {
                return Ok(end);
            }
            end = place;
        }
        end = window.start;
        if end == 0 {
            break;
        }
    }
    Ok(end)
}

/// The latest events of the journal at `path`, oldest first, back to the first for which `is_end` holds, which is among them: at
/// most `most`, of the last [`WINDOWS`] windows. Lines that can't be read are left out.
pub(super) fn back_to(
    path: &Path,
    most: usize,
    is_end: &mut impl FnMut(&JournalEvent) -> bool,
) -> io::Result<Vec<JournalEvent>> {
    let Some(file) = open(path)? else { return Ok(Vec::new()) };
    let mut end = file.metadata()?.len();
    let mut events = Vec::new();
    for _ in 0..WINDOWS {
        let window = Window::of(&file, end)?;
        for event in window.lines().into_iter().rev().filter_map(|(_, line)| read(line)) {
            if events.len() >= most {
                break;
            }
            let is_over = is_end(&event);
            events.push(event);
            if is_over {
                events.reverse();
                return Ok(events);
            }
        }
        end = window.start;
        if end == 0 || events.len() >= most {
            break;
        }
    }
    events.reverse();
    Ok(events)
}

fn is_said(event: &JournalEvent, at: Millis, words: &str) -> bool {
    let is_message = !matches!(event.role, Role::Assistant | Role::Action | Role::Clear);
    is_message && event.at <= at && event.text == words
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read(line: &[u8]) -> Option<JournalEvent> {
    std::str::from_utf8(line).ok().and_then(JournalEvent::read)
}

/// A part of the file that ends at a place and begins with a whole line, if it holds one.
struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    fn of(file: &File, end: u64) -> io::Result<Self> {
        let end = end.min(file.metadata()?.len());
        let mut size = WINDOW;
        loop {
            let start = end.saturating_sub(size);
            let mut bytes = vec![0; usize::try_from(end - start).unwrap_or_default()];
            file.read_exact_at(&mut bytes, start)?;
            if start == 0 {
                return Ok(Self { start, bytes });
            }
            // What is left of a line that began earlier belongs to the window before.
            let inner = &bytes[..bytes.len().saturating_sub(1)];
            if let Some(at) = inner.iter().position(|byte| *byte == b'\n') {
                bytes.drain(..=at);
                return Ok(Self { start: start + at as u64 + 1, bytes });
            }
            if size >= LARGEST {
                return Ok(Self { start, bytes });
            }
            size *= 2;
        }
    }

    /// Its lines, each with its place.
    fn lines(&self) -> Vec<(u64, &[u8])> {
        let mut place = self.start;
        let mut lines = Vec::new();
        for line in self.bytes.split_inclusive(|byte| *byte == b'\n') {
            lines.push((place, line));
            place += line.len() as u64;
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use protocol::Taint;

    use super::*;

    fn event(at: u64, role: Role, text: &str) -> JournalEvent {
        let (from, text) = (String::new(), text.to_owned());
        JournalEvent { at: Millis(at), role, from, text, bits: Taint::CLEAN }
    }

    /// A journal of these events, and the place of each.
    fn journal(events: &[JournalEvent]) -> (tempfile::TempDir, Vec<u64>) {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<String> = events.iter().map(JournalEvent::line).collect();
        let next = |end: &mut u64, line: &String| {
            let place = *end;
            *end += line.len() as u64;
            Some(place)
        };
        let places = lines.iter().scan(0, next).collect();
        std::fs::write(folder.path().join("j"), lines.concat()).unwrap();
        (folder, places)
    }

    #[test]
    fn page_after_page_gives_all_and_each_once() {
        let events: Vec<JournalEvent> =
            (0..250).map(|n| event(n, Role::User, &"x".repeat(n as usize * 100))).collect();
        let (folder, _) = journal(&events);
        let (mut all, mut before) = (Vec::new(), u64::MAX);
        while before > 0 {
            let page = page(&folder.path().join("j"), before, 20).unwrap();
            assert!(page.start < before && page.events.len() <= 20);
            before = page.start;
            all.splice(0..0, page.events);
        }
        assert_eq!(all, events);
    }

    #[test]
    fn what_can_not_be_read_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        assert_eq!(page(&path, u64::MAX, 5).unwrap(), JournalPage { events: Vec::new(), start: 0 });
        let long = "y".repeat(3 * WINDOW as usize);
        let line = event(1, Role::User, "a").line();
        std::fs::write(&path, format!("{line}{long}\n\u{0}\n{line}")).unwrap();
        let (mut found, mut before) = (0, u64::MAX);
        while before > 0 {
            let page = page(&path, before, 5).unwrap();
            assert!(page.start < before);
            (found, before) = (found + page.events.len(), page.start);
        }
        assert_eq!(found, 2);
    }

    #[test]
    fn pages_and_places_end_where_another_conversation_began() {
        let events = [
            event(1, Role::User, "before"),
            event(5, Role::Clear, ""),
            event(5, Role::User, "one"),
            event(6, Role::User, "two"),
        ];
        let (folder, places) = journal(&events);
        let path = folder.path().join("j");
        let two = page(&path, u64::MAX, 1).unwrap();
        assert_eq!((two.events, two.start), (vec![events[3].clone()], places[3]));
        let one = page(&path, places[3], 5).unwrap();
        assert_eq!((one.events, one.start), (vec![events[2].clone()], 0));
        assert_eq!(place(&path, None, Millis(1)).unwrap(), places[2]);
        assert_eq!(place(&path, Some((Millis(9), "before")), Millis(1)).unwrap(), places[2]);
    }

    #[test]
    fn the_latest_turns_begin_where_their_first_message_stands() {
        let user = |at, text| event(at, Role::User, text);
        let said = |at, text| event(at, Role::Assistant, text);
        let events = [user(1, "hi"), said(2, "hi"), user(5, "hi"), said(6, "ho"), user(9, "hi")];
        let (folder, places) = journal(&events);
        let at = |first, since| place(&folder.path().join("j"), first, Millis(since)).unwrap();
        assert_eq!(at(Some((Millis(6), "hi")), 3), places[2]);
        assert_eq!(at(Some((Millis(9), "hi")), 3), places[4]);
        let end = std::fs::metadata(folder.path().join("j")).unwrap().len();
        assert_eq!(at(Some((Millis(20), "not yet written")), 10), end);
        assert_eq!(at(None, 5), places[2]);
        assert_eq!(at(None, 0), 0);
        assert_eq!(at(None, 100), end);
    }
}
