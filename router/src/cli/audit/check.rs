//! `audit verify` and `audit head`.

use std::path::Path;

use super::{AuditError, print};
use crate::audit_log::{Accept, Files, Head, Report, verify as walk};

pub(super) fn verify(folder: &Path, wanted: &[Head], archived: bool) -> Result<(), AuditError> {
    let reports = reports(folder, wanted, archived)?;
    if reports.is_empty() {
        print(&format!("there are no rows in {}\n", folder.display()))?;
    }
    for report in &reports {
        print(&told(report))?;
    }
    if reports.iter().any(|report| report.broken.is_some()) {
        return Err(AuditError::Broken { folder: folder.to_owned() });
    }
    let seen = |head: &Head| reports.iter().any(|report| report.seen.contains(head));
    match wanted.iter().find(|head| !seen(head)) {
        Some(head) => {
            let (head, folder) = (head.clone(), folder.to_owned());
            Err(AuditError::NoHead { head, archived, folder })
        }
        None if wanted.is_empty() => Ok(()),
        None => print("every head that was given is there\n"),
    }
}

/// The heads go to stdout alone, so that they can be kept in a file; what is broken is an error.
pub(super) fn heads(folder: &Path) -> Result<(), AuditError> {
    let reports = reports(folder, &[], true)?;
    for report in &reports {
        if report.broken.is_some() {
            eprint!("{}", told(report));
            return Err(AuditError::Broken { folder: folder.to_owned() });
        }
        print(&format!("{}  {}\n", report.head, report.name))?;
    }
    if reports.is_empty() {
        eprintln!("there are no rows in {}", folder.display());
    }
    Ok(())
}

fn reports(folder: &Path, wanted: &[Head], archived: bool) -> Result<Vec<Report>, AuditError> {
    let logs = Files::all(folder)?;
    let walked = logs.iter().map(|files| look(files, wanted, Accept { archived }));
    Ok(walked.collect::<Result<_, _>>()?)
}

/// A router may be in the midst of a row, or of beginning its next file: what looks broken is looked at again.
fn look(files: &Files, wanted: &[Head], accept: Accept) -> Result<Report, home::FileError> {
    for _ in 0..2 {
        match walk(files, wanted, accept) {
            Ok(report) if report.broken.is_none() => return Ok(report),
            _ => std::thread::sleep(std::time::Duration::from_millis(50)),
        }
    }
    walk(files, wanted, accept)
}

fn told(report: &Report) -> String {
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
