//! A backup: one file that holds a home, and the way back.
//!
//! The file is a gzipped tar. Its first entry, `safeclaw-backup.json`, lists every other one with its length and its SHA-256
//! sum; the others are the files of the home by their paths. With a passphrase all of that is encrypted in the format of `age`
//! (age-encryption.org/v1), and only then it holds secrets.
//!
//! A backup is taken while SafeClaw works: each file of a home is written whole or only grows at its end, so that what is read
//! is what stood there at one moment. A restore wants the home for itself, looks at every sum before it writes anything, and
//! keeps what it replaces.
//!
//! An upgrade of a home's format stands on both: it makes a backup, restores it beside the home to prove it, and then writes the
//! new number; a rollback puts it back.

mod choose;
mod error;
mod manifest;
mod place;
mod read;
mod restore;
mod rollback;
mod upgrade;
mod write;

pub use age::secrecy::SecretString;
pub use error::BackupError;
pub use read::Backup;
pub use restore::{RestorePlan, Restored};
pub use rollback::{Rollback, RollbackPlan};
pub use upgrade::{Upgrade, UpgradePlan, plan_upgrade, upgrade};
pub use write::{Made, make};

/// The date of today in UTC, such as `2026-11-23`, for the name of a file.
#[must_use]
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
