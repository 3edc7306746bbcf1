//! router/governance.json: what it says, checked.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use home::nearest;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::paths::{Paths, normal};

/// What a fresh home has: programs that only read, and no folder.
pub const DEFAULT: &str = include_str!("governance.json");

/// Something wrong in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {why}")]
pub struct Mistake {
    /// Where it stands, as `commands.allow`.
    pub key: String,
    /// What is wrong, and what to write.
    pub why: String,
}

/// What router/governance.json says.
#[derive(Debug, Clone)]
pub struct Governance {
    pub(crate) allow: Vec<ListedCommand>,
    pub(crate) confirm: Vec<ListedCommand>,
    pub(crate) deny: Vec<ListedCommand>,
    paths: Paths,
    version: String,
}

/// A line of a list: a command, and words behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedCommand(Vec<String>);

impl fmt::Display for ListedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl ListedCommand {
    /// Whether `name` and its first words that are no options are these.
    pub(crate) fn begins(&self, name: &str, words: &[&str]) -> bool {
        let mut plain = words.iter().filter(|word| !word.starts_with('-'));
        self.0[0] == name && self.0[1..].iter().all(|word| plain.next() == Some(&word.as_str()))
    }

    /// Whether `name` has these words in this order, wherever they stand. `more` says that other words come in while it runs.
    pub(crate) fn is_in(&self, name: &str, words: &[&str], more: bool) -> bool {
        let mut rest = words.iter();
        self.0[0] == name
            && (more || self.0[1..].iter().all(|word| rest.any(|other| other == word)))
    }
}

impl Governance {
    /// One that denies everything.
    #[must_use]
    pub fn closed() -> Self {
        let lists = (Vec::new(), Vec::new(), Vec::new());
        let (allow, confirm, deny) = lists;
        Self { allow, confirm, deny, paths: Paths::default(), version: String::new() }
    }

    /// Whether it is the one that denies everything, and no file's.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.version.is_empty()
    }

    /// Reads the file's `text`. `home` is what `~` stands for.
    ///
    /// # Errors
    /// All that is wrong in it.
    pub fn read(text: &str, home: &Path) -> Result<Self, Vec<Mistake>> {
        let mut reading = Reading { faults: Vec::new(), home };
        let whole: Map<String, Value> = match serde_json::from_str(text) {
            Ok(Value::Object(whole)) => whole,
            Ok(_) => {
                return Err(vec![fault("the file", "it is an object with commands and paths")]);
            }
            Err(error) => return Err(vec![fault("the file", &error.to_string())]),
        };
        reading.keys("", &whole, &["commands", "paths"]);
        let commands = reading.section(&whole, "commands");
        let paths = reading.section(&whole, "paths");
        let lists = ["allow", "deny", "requireConfirmation", "allowlist", "denylist"];
        reading.keys("commands.", &commands, &lists);
        reading.keys("paths.", &paths, &["allowed", "writable", "denied"]);
        let read = Self {
            allow: reading.entries(&commands, &["allow", "allowlist"]),
            confirm: reading.entries(&commands, &["requireConfirmation"]),
            deny: reading.entries(&commands, &["deny", "denylist"]),
            paths: reading.paths(&paths),
            version: data_encoding::HEXLOWER.encode(&Sha256::digest(text)),
        };
        if reading.faults.is_empty() { Ok(read) } else { Err(reading.faults) }
    }

    /// The same, and these paths are not there either.
    #[must_use]
    pub fn denying_also(mut self, more: Vec<PathBuf>) -> Self {
        self.paths.denied.extend(more);
        self
    }

    /// The folders.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// SHA-256 of the file's bytes, in hexadecimal; empty where there is no file.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// How many commands are allowed, asked about and denied by name.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        BTreeMap::from([
            ("allow", self.allow.len()),
            ("requireConfirmation", self.confirm.len()),
            ("deny", self.deny.len()),
        ])
    }
}

struct Reading<'a> {
    faults: Vec<Mistake>,
    home: &'a Path,
}

fn fault(key: &str, why: &str) -> Mistake {
    Mistake { key: key.to_owned(), why: why.to_owned() }
}

impl Reading<'_> {
    fn fault(&mut self, key: &str, why: impl AsRef<str>) {
        self.faults.push(fault(key, why.as_ref()));
    }

    fn keys(&mut self, before: &str, section: &Map<String, Value>, known: &[&'static str]) {
        for key in section.keys().filter(|key| !known.contains(&key.as_str())) {
            let why = match (key.as_str(), nearest(key, known.iter().copied())) {
                ("rateLimits", _) => {
                    "[limits] of router/policy.toml says how much may be asked".to_owned()
                }
                (_, Some(near)) => format!("there is no such key; did you mean {before}{near}?"),
                (_, None) => format!("there is no such key; there are {}", known.join(", ")),
            };
            self.fault(&format!("{before}{key}"), why);
        }
    }

    fn section(&mut self, whole: &Map<String, Value>, key: &str) -> Map<String, Value> {
        match whole.get(key) {
            None => Map::new(),
            Some(Value::Object(section)) => section.clone(),
            Some(_) => {
                self.fault(key, "it is an object");
                Map::new()
            }
        }
    }

    /// The texts of a list, each with its key.
    fn texts(
        &mut self,
        name: &str,
        section: &Map<String, Value>,
        key: &str,
    ) -> Vec<(String, String)> {
        let list = match section.get(key) {
            None => return Vec::new(),
            Some(Value::Array(list)) => list.as_slice(),
            Some(_) => {
                self.fault(&format!("{name}.{key}"), "it is a list of texts");
                return Vec::new();
            }
        };
        let mut texts = Vec::new();
        for (at, value) in list.iter().enumerate() {
            let place = format!("{name}.{key}[{at}]");
            match value.as_str().map(str::trim) {
                Some(text) if !text.is_empty() => texts.push((place, text.to_owned())),
                _ => self.fault(&place, "it is a text"),
            }
        }
        texts
    }

    fn entries(&mut self, section: &Map<String, Value>, keys: &[&str]) -> Vec<ListedCommand> {
        let mut entries = Vec::new();
        for (place, text) in
            keys.iter().flat_map(|key| self.texts("commands", section, key)).collect::<Vec<_>>()
        {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            if text.contains(['*', '?', '|', ';', '&', '$', '`', '/', '\'', '"']) {
                self.fault(&place, format!("{text:?} is no command: write its name, and words behind it, as \"git push\""));
            } else {
                entries.push(ListedCommand(words));
            }
        }
        entries
    }

    fn paths(&mut self, section: &Map<String, Value>) -> Paths {
        let writable = self.folders(section, "writable", true);
        let mut allowed = self.folders(section, "allowed", true);
        let more = writable.iter().filter(|folder| !allowed.contains(folder));
        let more: Vec<_> = more.cloned().collect();
        allowed.extend(more);
        let denied = self.folders(section, "denied", false);
        Paths { allowed, writable, denied, home: self.home.to_owned() }
    }

    fn folders(&mut self, section: &Map<String, Value>, key: &str, opens: bool) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for (place, text) in self.texts("paths", section, key) {
            match self.folder(&text) {
                Some(folder) => folders.push(folder),
                // The same list may serve another system: what it denies is not here.
                None if !opens && text.as_bytes().get(1) == Some(&b':') => {}
                None => self.fault(
                    &place,
                    format!(
                        "{text:?} is no whole path: write it from / or ~/ on, without * and .."
                    ),
                ),
            }
        }
        folders
    }

    fn folder(&self, text: &str) -> Option<PathBuf> {
        let path = match text.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None if text == "~" => self.home.to_owned(),
            None => PathBuf::from(text),
        };
        let is_plain = !text.contains(['*', '?']) && !text.split('/').any(|part| part == "..");
        (path.is_absolute() && is_plain).then(|| normal(&path))
    }
}
