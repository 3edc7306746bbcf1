//! Walks along a chain and tells the first link that does not hold.

use std::path::{Path, PathBuf};

use home::FileError;
use protocol::Object;
use serde_json::Value;

use super::archive::{self, is_compressed};
use super::fault::{Broken, Fault, Place};
use super::files::Files;
use super::row::{Head, Row, sha256};

/// What is taken as right.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accept {
    /// That the oldest files are elsewhere.
    pub archived: bool,
}

/// What was found in one log.
#[derive(Debug)]
pub struct Report {
    /// The log's name.
    pub name: String,
    /// How many rows hold.
    pub rows: u64,
    /// In how many files.
    pub files: usize,
    /// How many of those are compressed.
    pub compressed: usize,
    /// The last row that holds.
    pub head: Head,
    /// Those of the heads that were asked for that are in the log.
    pub seen: Vec<Head>,
    /// What a person should know although it holds.
    pub notes: Vec<String>,
    /// The first thing that is wrong.
    pub broken: Option<Broken>,
}

/// Walks along the log in `files`, and looks for the heads `wanted` in it.
///
/// # Errors
/// [`FileError`] when a file can't be read.
pub fn verify(files: &Files, wanted: &[Head], accept: Accept) -> Result<Report, FileError> {
    let name = files.name();
    let paths = in_order(files)?;
    let report = Report {
        rows: 0,
        files: paths.len(),
        compressed: paths.iter().filter(|path| is_compressed(path)).count(),
        head: Head::before_all(&name),
        name,
        seen: Vec::new(),
        notes: Vec::new(),
        broken: None,
    };
    let mut walk = Walk { report, wanted, accept, begun: false, strange: Vec::new(), from: None };
    walk.along(&paths)?;
    let mut report = walk.report;
    if let Some(Broken { fault, .. }) = &mut report.broken {
        explain(fault, &paths)?;
    }
    Ok(report)
}

/// The log's files, the oldest first.
pub(super) fn in_order(files: &Files) -> Result<Vec<PathBuf>, FileError> {
    files.in_order().map_err(|error| FileError::new("list", &files.current(), error))
}

struct Walk<'a> {
    report: Report,
    wanted: &'a [Head],
    accept: Accept,
    /// Whether a row has been met.
    begun: bool,
    /// What was met since the last row and is none, and where it begins.
    strange: Vec<u8>,
    from: Option<Place>,
}

impl Walk<'_> {
    fn along(&mut self, paths: &[PathBuf]) -> Result<(), FileError> {
        for path in paths {
            let mut last = 0;
            let read = each_line(path, |line, number| {
                last = number;
                let fault = self.step(line, Place::new(path, number));
                self.report.broken = fault;
                self.report.broken.is_none()
            });
            match read {
                Err(_) if is_compressed(path) && path.is_file() => {
                    let fault = Fault::Damaged { from: self.report.head.n + 1 };
                    self.report.broken = Some(broken(Place::new(path, last + 1), fault));
                }
                read => read?,
            }
            if self.report.broken.is_some() {
                return Ok(());
            }
        }
        self.report.broken = self.from.take().map(|place| self.at_the_end(place));
        Ok(())
    }

    fn step(&mut self, line: &[u8], place: Place) -> Option<Broken> {
        let Some(row) = Row::read(line.strip_suffix(b"\n").unwrap_or(line)) else {
            self.strange.extend_from_slice(line);
            self.from.get_or_insert(place);
            return None;
        };
        if !self.begun && row.head.n > 1 && self.from.is_none() {
            match before_archived(&row) {
                Some(before) if self.accept.archived => self.skip_to(before),
                Some(before) => return Some(broken(place, Fault::Archived { to: before.n })),
                None => {}
            }
        }
        if let Some(from) = self.from.take()
            && let Some(fault) = self.judge_strange(&row, &from)
        {
            return Some(broken(from, fault));
        }
        let expected = self.report.head.n + 1;
        if row.head.n != expected {
            let found = row.head.n;
            return Some(broken(place, Fault::Reordered { expected, found, expected_at: None }));
        }
        if !row.follows(&self.report.head) {
            return Some(broken(place, Fault::Changed { n: expected }));
        }
        self.begun = true;
        self.report.rows += 1;
        if self.wanted.contains(&row.head) {
            self.report.seen.push(row.head.clone());
        }
        self.report.head = row.head;
        None
    }

    fn skip_to(&mut self, before: Head) {
        self.report.notes.push(format!("the rows 1 to {} are not here", before.n));
        self.report.head = before;
    }

    /// What is wrong with what stands between the last row and `row`; nothing if that row tells of it.
    fn judge_strange(&mut self, row: &Row<'_>, from: &Place) -> Option<Fault> {
        let strange = std::mem::take(&mut self.strange);
        let lines = strange.split_inclusive(|&byte| byte == b'\n').count();
        let told = row.follows(&self.report.head)
            && row.fields().is_some_and(|fields| tells_of(&fields, &strange));
        let bytes = strange.len();
        if told && !self.begun {
            let note = format!(
                "{from}: {bytes} bytes from before the chain, which nothing vouches for; row 1 tells of them"
            );
            self.report.notes.push(note);
            None
        } else if told && lines == 1 {
            let note = format!(
                "{from}: half a row of {bytes} bytes, as a crash or a power cut leaves it; row {} tells of \
                it. If there was none, compare with a head that you have kept",
                row.head.n
            );
            self.report.notes.push(note);
            None
        } else if row.head.n > self.report.head.n + 1 {
            Some(Fault::Cut { n: self.report.head.n + 1 })
        } else {
            Some(Fault::PutIn { lines })
        }
    }

    /// What is wrong with what stands behind the last row.
    fn at_the_end(&self, place: Place) -> Broken {
        let lines = self.strange.split_inclusive(|&byte| byte == b'\n').count();
        let n = self.report.head.n + 1;
        let fault = match self.strange.last() {
            Some(b'\n') if lines == 1 => Fault::Cut { n },
            None | Some(b'\n') => Fault::PutIn { lines },
            Some(_) if lines == 1 => Fault::HalfWritten { n, bytes: self.strange.len() },
            Some(_) => Fault::PutIn { lines },
        };
        broken(place, fault)
    }
}

fn broken(place: Place, fault: Fault) -> Broken {
    Broken { place, fault }
}

/// Where the chain stood in front of a file that goes on after others.
fn before_archived(row: &Row<'_>) -> Option<Head> {
    let fields = row.fields()?;
    let hash = fields.get("after")?.as_str()?.to_owned();
    let before = Head { n: row.head.n.checked_sub(1)?, hash };
    (fields.get("row")? == "continues" && row.follows(&before)).then_some(before)
}

/// Whether a row `closed` tells of exactly these bytes; a line end may have been added to them.
fn tells_of(fields: &Object, strange: &[u8]) -> bool {
    let told = fields.get("sha256").and_then(Value::as_str);
    let is = |bytes: &[u8]| told == Some(sha256(bytes).as_str());
    fields.get("row").is_some_and(|row| row == "closed")
        && (is(strange) || strange.strip_suffix(b"\n").is_some_and(is))
}

/// Tells rows that are gone from rows that stand elsewhere.
fn explain(fault: &mut Fault, paths: &[PathBuf]) -> Result<(), FileError> {
    let Fault::Reordered { expected, found, expected_at } = fault else { return Ok(()) };
    if *found < *expected {
        return Ok(());
    }
    for path in paths {
        each_line(path, |line, number| {
            let row = Row::read(line.strip_suffix(b"\n").unwrap_or(line));
            if row.is_some_and(|row| row.head.n == *expected) {
                *expected_at = Some(Place::new(path, number));
            }
            expected_at.is_none()
        })?;
    }
    if expected_at.is_none() {
        *fault = Fault::Missing { from: *expected, to: *found - 1 };
    }
    Ok(())
}

/// Shows each line, with its end, and its number to `see`, until that has seen enough.
pub(super) fn each_line(
    path: &Path,
    mut see: impl FnMut(&[u8], usize) -> bool,
) -> Result<(), FileError> {
    let failed = |error| FileError::new("read", path, error);
    let (mut reader, mut line) = (archive::open(path).map_err(failed)?, Vec::new());
    for number in 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(failed)? == 0 || !see(&line, number) {
            break;
        }
    }
    Ok(())
}
