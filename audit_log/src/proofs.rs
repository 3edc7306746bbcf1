//! What a look at every log comes to, in words.

use std::path::Path;

use home::FileError;

use super::files::Files;
use super::row::Head;
use super::verify::{Accept, Report, verify};

/// What became of a look at each log of `folder`; the heads in `wanted` are looked for.
///
/// # Errors
/// [`FileError`] when a file can't be read.
pub fn reports(folder: &Path, wanted: &[Head], archived: bool) -> Result<Vec<Report>, FileError> {
    let listed = Files::all(folder)?;
    listed.iter().map(|files| look(files, wanted, Accept { archived })).collect()
}

/// A router may be in the midst of a row, or of beginning its next file: what looks broken is looked at again.
fn look(files: &Files, wanted: &[Head], accept: Accept) -> Result<Report, FileError> {
    for _ in 0..2 {
        match verify(files, wanted, accept) {
            Ok(report) if report.broken.is_none() => return Ok(report),
            _ => std::thread::sleep(std::time::Duration::from_millis(50)),
        }
    }
    verify(files, wanted, accept)
}

/// What became of one log, in lines for people.
#[must_use]
pub fn told(report: &Report) -> String {
    let Report { name, rows, files, compressed, head, .. } = report;
    let count = |count: u64, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let (rows, mut files) = (count(*rows, "row"), count(*files as u64, "file"));
    if *compressed > 0 {
        files.push_str(&format!(" ({compressed} of them compressed)"));
    }
    let mut text = match &report.broken {
        None => format!("{name}: {rows} in {files}, all as written; head {head}\n"),
        Some(broken) => {
            format!("{name}: BROKEN after {rows} that hold\n  {}: {}\n", broken.place, broken.fault)
        }
    };
    report.notes.iter().for_each(|note| text.push_str(&format!("  note: {note}\n")));
    text
}
