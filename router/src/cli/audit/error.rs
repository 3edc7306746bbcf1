//! Why a command of `audit` came to nothing.

use std::path::PathBuf;

use crate::audit_log::Head;

/// Why the log does not hold, or could not be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditError {
    #[error(
        "the audit log does not hold: keep a copy of {} as it is, and find out who or what else writes \
        there. The router goes on with the chain; what is broken stays broken", folder.display()
    )]
    Broken { folder: PathBuf },
    #[error(
        "no log has a row {} with the hash {}: the end was cut off, or the rows were written anew since \
        this head was kept{}. Is it from this home ({})?",
        head.n, head.hash, if *.archived { ", or it is in a file that was moved away" } else { "" },
        folder.display()
    )]
    NoHead { head: Head, archived: bool, folder: PathBuf },
    #[error(transparent)]
    File(#[from] home::FileError),
    #[error("can't print: {0}")]
    Print(#[from] std::io::Error),
}
