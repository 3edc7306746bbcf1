//! `audit verify` and `audit head`.

use std::path::Path;

use super::{AuditError, print};
use crate::audit_log::{Head, reports, told};

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
            home::say_part_on_stderr(format_args!("{}", told(report)));
            return Err(AuditError::Broken { folder: folder.to_owned() });
        }
        print(&format!("{}  {}\n", report.head, report.name))?;
    }
    if reports.is_empty() {
        home::say_on_stderr!("there are no rows in {}", folder.display());
    }
    Ok(())
}
