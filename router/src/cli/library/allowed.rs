//! Which folder is open, as router/config.json says.

use std::path::{Path, PathBuf};

use home::{Home, file};
use serde_json::{Map, Value, json};

use super::LibraryCliError;
use crate::catalog::folder::usable;

/// The process whose wishes these are: all actions of the library share it.
const PROCESS: &str = "LIBRARY";

/// The largest config.json that is read, in bytes.
const MOST: u64 = 1024 * 1024;

/// Opens `folder` for reading; its whole path.
pub(super) fn open(home: &Home, folder: &Path, own: bool) -> Result<PathBuf, LibraryCliError> {
    let folder = real(home, folder)?;
    let path = folder.to_str().ok_or_else(|| refused("its path is no text"))?;
    let wishes = json!({
        "folders": {"papers": path},
        "settings": {"papers": path, "own": own.to_string()},
    });
    change(home, |skills| {
        skills.insert(PROCESS.to_owned(), wishes);
    })?;
    Ok(folder)
}

/// `folder` as one that a skill may be given for reading.
pub(super) fn real(home: &Home, folder: &Path) -> Result<PathBuf, LibraryCliError> {
    let whole = std::path::absolute(folder)
        .and_then(std::fs::canonicalize)
        .map_err(|error| refused(&format!("{}: {error}", folder.display())))?;
    usable(&whole, false, home.root()).map_err(|why| refused(&why))
}

/// Opens no folder any more.
pub(super) fn close(home: &Home) -> Result<(), LibraryCliError> {
    change(home, |skills| {
        skills.shift_remove(PROCESS);
    })
}

/// The folder that is open.
pub(super) fn folder(home: &Home) -> Result<Option<String>, LibraryCliError> {
    let config = read(home)?;
    let folder = &config["skills"][PROCESS]["folders"]["papers"];
    Ok(folder.as_str().map(str::to_owned))
}

fn read(home: &Home) -> Result<Value, LibraryCliError> {
    let path = home.router().join("config.json");
    let Some(bytes) = file::read(&path, MOST)? else { return Ok(json!({})) };
    serde_json::from_slice(&bytes)
        .map_err(|error| refused(&format!("{} is no JSON: {error}", path.display())))
}

fn change(home: &Home, with: impl FnOnce(&mut Map<String, Value>)) -> Result<(), LibraryCliError> {
    let mut config = read(home)?;
    let skills = config
        .as_object_mut()
        .map(|config| config.entry("skills").or_insert_with(|| json!({})))
        .and_then(Value::as_object_mut)
        .ok_or_else(|| refused("router/config.json: skills is no object"))?;
    with(skills);
    let text = format!("{config:#}\n");
    Ok(file::write(&home.router().join("config.json"), text.as_bytes())?)
}

fn refused(why: &str) -> LibraryCliError {
    LibraryCliError::Refused(why.to_owned())
}
