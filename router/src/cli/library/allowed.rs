//! Which folder is open, as router/config.json says.

use std::path::{Path, PathBuf};

use home::Home;
use serde_json::json;

use super::LibraryCliError;
use crate::catalog::folder::usable;
use crate::cli::wishes::{change, read};

/// The process whose wishes these are: all actions of the library share it.
const PROCESS: &str = "LIBRARY";

/// Opens `folder`, which [`real`] has found, for reading.
pub(in crate::cli) fn open(home: &Home, folder: &Path, own: bool) -> Result<(), LibraryCliError> {
    let path = folder.to_str().ok_or_else(|| refused("its path is no text"))?;
    let wishes = json!({
        "folders": {"papers": path},
        "settings": {"papers": path, "own": own.to_string()},
    });
    Ok(change(home, |skills| {
        skills.insert(PROCESS.to_owned(), wishes);
    })?)
}

/// `folder` as one that a skill may be given for reading.
pub(in crate::cli) fn real(home: &Home, folder: &Path) -> Result<PathBuf, LibraryCliError> {
    let whole = std::path::absolute(folder)
        .and_then(std::fs::canonicalize)
        .map_err(|error| refused(&format!("{}: {error}", folder.display())))?;
    usable(&whole, false, home.root()).map_err(|why| refused(&why))
}

/// Opens no folder any more.
pub(in crate::cli) fn close(home: &Home) -> Result<(), LibraryCliError> {
    Ok(change(home, |skills| {
        skills.shift_remove(PROCESS);
    })?)
}

/// The folder that is open.
pub(in crate::cli) fn folder(home: &Home) -> Result<Option<String>, LibraryCliError> {
    let config = read(home)?;
    let folder = &config["skills"][PROCESS]["folders"]["papers"];
    Ok(folder.as_str().map(str::to_owned))
}

fn refused(why: &str) -> LibraryCliError {
    LibraryCliError::Refused(why.to_owned())
}
