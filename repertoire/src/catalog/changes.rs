//! What has changed in a skill's folder, for a person who has to say yes to it: what it may do first.

use std::collections::BTreeSet;
use std::fmt::Display;

use similar::TextDiff;

use super::brings::Brings;
use super::manifest::{Access, Manifest};
use super::portrait::{Piece, Portrait};

/// How many lines of a file's difference are shown, and of all together.
const LINES_OF_A_FILE: usize = 200;
const LINES_IN_ALL: usize = 1_000;

/// How much of a line is shown, in characters.
const WIDTH: usize = 200;

/// The manifest.
const MANIFEST: &str = "skill.toml";

/// How `new` differs from `old`; without an old one, what is there. Nothing in it is fit for a terminal yet.
pub fn changes(old: Option<&Portrait>, new: &Portrait) -> Vec<String> {
    let none = Portrait::default();
    let mut lines = powers(old, new);
    let old = old.unwrap_or(&none);
    let paths: BTreeSet<&String> = old.files.keys().chain(new.files.keys()).collect();
    let differing: Vec<&String> =
        paths.into_iter().filter(|path| old.files.get(*path) != new.files.get(*path)).collect();
    for path in &differing {
        lines.push(file(path, old.files.get(*path), new.files.get(*path)));
    }
    let mut shown = 0;
    for path in differing {
        let diff = text(path, old, new);
        if shown + diff.len() > LINES_IN_ALL {
            lines.push(format!("--- {path}: not shown, it is too much; look into the file"));
            continue;
        }
        shown += diff.len();
        lines.extend(diff);
    }
    lines
}

/// What the manifests let the skill do that differs: hosts, secrets, effect, program.
fn powers(old: Option<&Portrait>, new: &Portrait) -> Vec<String> {
    let manifest = |portrait: &Portrait| toml::from_str(portrait.text(MANIFEST)?).ok();
    let Some(new): Option<Manifest> = manifest(new) else {
        return vec!["! its skill.toml can't be read".to_owned()];
    };
    let old: Option<Manifest> = old.and_then(manifest);
    let (before, now) = (old.as_ref().map(facts), facts(&new));
    let mut lines = Vec::new();
    for (at, (what, now)) in now.iter().enumerate() {
        match before.as_ref().and_then(|before| before.get(at)) {
            Some((_, before)) if before == now => {}
            Some((_, before)) => lines.push(format!("! {what} CHANGED: {before} -> {now}")),
            None => lines.push(format!("! {what}: {now}")),
        }
    }
    lines
}

fn facts(manifest: &Manifest) -> Vec<(&'static str, String)> {
    let secrets = manifest.secrets.iter().map(|(name, secret)| {
        format!("{name} to {} as {}: {}", secret.host, secret.header, secret.format)
    });
    let settings = manifest.settings.iter().map(|(name, value)| format!("{name} = {value}"));
    let folders = manifest.folders.iter().map(|(name, folder)| {
        let access = if folder.access == Access::Write { "write" } else { "read" };
        format!("{name} ({access})")
    });
    let program = match (&manifest.command, &manifest.builtin) {
        (Some(command), _) => command.join(" "),
        (None, builtin) => format!("builtin {}", builtin.as_deref().unwrap_or("nothing")),
    };
    vec![
        ("hosts", list(manifest.net.hosts.iter())),
        ("secrets", list(secrets)),
        ("effect", manifest.effect.to_string()),
        ("reads", Brings::of(manifest.reads.as_ref(), !manifest.net.hosts.is_empty()).to_string()),
        ("program", program),
        ("folders", list(folders)),
        ("settings", list(settings)),
        ("runs again after a crash", format!("{:?}", manifest.idempotent).to_lowercase()),
    ]
}

fn list<T: Display>(items: impl Iterator<Item = T>) -> String {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

fn file(path: &str, old: Option<&Piece>, new: Option<&Piece>) -> String {
    match (old, new) {
        (None, Some(new)) => format!("added    {path} ({})", shape(new)),
        (Some(old), None) => format!("removed  {path} ({})", shape(old)),
        (Some(old), Some(new)) if shape(old) != shape(new) => {
            format!("changed  {path} ({} -> {})", shape(old), shape(new))
        }
        _ => format!("changed  {path}"),
    }
}

fn shape(piece: &Piece) -> String {
    match piece {
        Piece::Link(to) => format!("a link to {to}"),
        Piece::File { mode, size, .. } => format!("mode {mode:o}, {size} bytes"),
    }
}

/// The lines that differ, where both sides are text that was kept.
fn text(path: &str, old: &Portrait, new: &Portrait) -> Vec<String> {
    let side = |portrait: &Portrait| match portrait.files.get(path) {
        Some(Piece::File { .. }) => portrait.text(path).map(str::to_owned),
        _ => Some(String::new()),
    };
    let (Some(old), Some(new)) = (side(old), side(new)) else {
        return vec![format!("--- {path}: no text, or too long to be shown")];
    };
    if old == new {
        return Vec::new();
    }
    let diff = TextDiff::from_lines(&old, &new);
    let unified = diff.unified_diff().context_radius(2).to_string();
    let mut lines = vec![format!("--- {path}")];
    let all = unified.lines().count();
    lines.extend(unified.lines().take(LINES_OF_A_FILE).map(shortened));
    if all > LINES_OF_A_FILE {
        lines.push(format!("... {} more lines", all - LINES_OF_A_FILE));
    }
    lines
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}… ({} characters)", &line[..end], line.chars().count()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;

    fn portrait(files: &[(&str, &str)]) -> Portrait {
        let piece = |text: &str| Piece::File {
            mode: 0o644,
            size: text.len() as u64,
            sha256: Digest::of(text.as_bytes()),
            text: Some(text.to_owned()),
        };
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), piece(text)));
        Portrait { files: files.collect() }
    }

    const OLD: &str =
        "name = \"A\"\ninstruction = \"x\"\neffect = \"none\"\ncommand = [\"./run\"]\n";

    #[test]
    fn what_it_may_do_comes_first() {
        let new = OLD.replace("\"none\"", "\"external\"") + "[net]\nhosts = [\"evil.example\"]\n";
        let old = portrait(&[(MANIFEST, OLD), ("run", "a\nb\nc\n")]);
        let new = portrait(&[(MANIFEST, &new), ("run", "a\nB\nc\n"), ("more", "x\n")]);
        let lines = changes(Some(&old), &new);
        assert_eq!(lines[0], "! hosts CHANGED: none -> evil.example");
        assert_eq!(lines[1], "! effect CHANGED: none -> external");
        assert_eq!(lines[2], "! reads CHANGED: none -> public");
        assert_eq!(lines[3], "added    more (mode 644, 2 bytes)");
        for line in ["changed  run", "-b", "+B", "+x"] {
            assert!(lines.iter().any(|shown| shown == line), "{line}\n{lines:#?}");
        }
    }

    #[test]
    fn what_is_shown_is_bounded() {
        let many = "line\n".repeat(5_000);
        let long = "x".repeat(50_000);
        let lines = changes(None, &portrait(&[(MANIFEST, OLD), ("many", &many), ("long", &long)]));
        assert!(lines.len() < 300 && lines.iter().all(|line| line.chars().count() < 300));
        assert!(lines.iter().any(|line| line.starts_with("... ")), "{lines:?}");
    }
}
