//! The licences of other people's parts: who, under which, and its text as the part brings it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use super::parts::{Part, Parts};

/// How the name of a file begins that holds a licence or what goes with one.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// All of it as one text. A text that several parts bring stands once, behind all of them.
pub(super) fn text(parts: &Parts) -> Result<String> {
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut all = String::from("SafeClaw is made of these parts of other people:\n\n");
    let mut foreign: Vec<&Part> = parts.foreign().collect();
    foreign.sort_by_key(|part| (&part.name, &part.version));
    for part in foreign {
        let name = format!("{} {}", part.name, part.version);
        let licence = part.license.as_deref().unwrap_or("see its text below");
        writeln!(all, "{name}: {licence}")?;
        for file in files(part)? {
            let text = String::from_utf8_lossy(&fs::read(file)?).trim().replace("\r\n", "\n");
            by_text.entry(text).or_default().push(name.clone());
        }
    }
    let mut texts: Vec<(Vec<String>, String)> =
        by_text.into_iter().map(|(text, names)| (names, text)).collect();
    texts.sort();
    for (mut names, text) in texts {
        names.dedup();
        write!(all, "\n{}\n{}\n\n{text}\n", "-".repeat(80), names.join(", "))?;
    }
    Ok(all)
}

/// The files of a part that hold its licence.
fn files(part: &Part) -> Result<Vec<PathBuf>> {
    let Some(folder) = part.manifest_path.parent() else { return Ok(Vec::new()) };
    let named = part.license_file.iter().map(|file| folder.join(file));
    let mut files: Vec<PathBuf> = named.filter(|file| file.is_file()).collect();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
        if path.is_file() && NAMES.iter().any(|begin| name.starts_with(begin)) {
            files.push(path);
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}
