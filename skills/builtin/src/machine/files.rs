//! Reads, searches and finds files.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use safeclaw_skill::SkillError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{LARGEST, Place, run, shown, unreachable};

/// How many names of a folder are listed.
const NAMES: usize = 500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct One {
    pub(super) path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pattern {
    pattern: String,
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Name {
    name: String,
    path: Option<String>,
}

/// A file's first characters, or the names in a folder.
pub(super) fn read(params: &One, place: &Place) -> Result<Value, SkillError> {
    let path = place.path(&params.path);
    let facts = fs::metadata(&path).map_err(|error| unreachable(&path, &error))?;
    if facts.is_dir() {
        return list(&path);
    }
    let (bytes, whole) = bytes(&path)?;
    if bytes.iter().take(8_000).any(|byte| *byte == 0) {
        let why =
            format!("{} is no text ({whole} bytes); SEND_FILE sends it as it is", path.display());
        return Err(SkillError::new(why));
    }
    Ok(json!({"path": path, "text": shown(&bytes, whole), "bytes": whole}))
}

/// What a file holds, with its true length; one that is too large is refused.
pub(super) fn bytes(path: &Path) -> Result<(Vec<u8>, usize), SkillError> {
    let facts = fs::metadata(path).map_err(|error| unreachable(path, &error))?;
    if !facts.is_file() {
        // A pipe would be waited for.
        return Err(SkillError::new(format!("{} is no file", path.display())));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreachable(path, &error))?;
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST {
        let size = facts.len();
        return Err(SkillError::new(format!(
            "{} has {size} bytes, and at most {LARGEST} are read; /exec head shows its beginning",
            path.display()
        )));
    }
    let whole = bytes.len();
    Ok((bytes, whole))
}

fn list(folder: &Path) -> Result<Value, SkillError> {
    let entries = fs::read_dir(folder).map_err(|error| unreachable(folder, &error))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| {
            let mark = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
            format!("{}{mark}", entry.file_name().to_string_lossy())
        })
        .collect();
    names.sort();
    let all = names.len();
    names.truncate(NAMES);
    Ok(json!({"path": folder, "entries": names, "count": all}))
}

/// Lines that match, each with its file and its number.
pub(super) fn grep(params: &Pattern, place: &Place) -> Result<Value, SkillError> {
    let folder = within(params.path.as_deref(), place);
    let pattern = OsStr::new(&params.pattern);
    let options = ["-rnI", "-D", "skip", "-E", "-e"].map(OsStr::new);
    let arguments = [&options[..], &[pattern, OsStr::new("--"), folder.as_os_str()]].concat();
    let ran = run::run("grep", &arguments, &place.here, &place.home)?;
    match ran.code {
        Some(0 | 1) => {}
        // Of several files, some could not be read.
        Some(_) if !ran.output.is_empty() => {}
        Some(code) => return Err(SkillError::new(format!("grep ended with {code}"))),
        None => {
            return Err(SkillError::new("it took longer than 10 seconds: name a smaller folder"));
        }
    }
    let lines = ran.output.iter().filter(|byte| **byte == b'\n').count();
    Ok(json!({"folder": folder, "lines": lines, "found": shown(&ran.output, ran.whole)}))
}

/// Files and folders with such a name, five folders deep.
pub(super) fn find(params: &Name, place: &Place) -> Result<Value, SkillError> {
    let folder = within(params.path.as_deref(), place);
    let before = [folder.as_os_str(), OsStr::new("-maxdepth"), OsStr::new("5")];
    let arguments = [&before[..], &[OsStr::new("-iname"), OsStr::new(&params.name)]].concat();
    let ran = run::run("find", &arguments, &place.here, &place.home)?;
    if ran.code.is_none() {
        return Err(SkillError::new("it took longer than 10 seconds: name a smaller folder"));
    }
    let count = ran.output.iter().filter(|byte| **byte == b'\n').count();
    Ok(json!({"folder": folder, "count": count, "found": shown(&ran.output, ran.whole)}))
}

/// A whole path never begins with a dash.
fn within(path: Option<&str>, place: &Place) -> PathBuf {
    path.map_or_else(|| place.here.clone(), |path| place.path(path))
}
