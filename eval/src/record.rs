//! What models answered, one line each, in target/eval/<model>/<way>.jsonl: for study, and so that nobody asks twice.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use agent::answer::Action;
use agent::model::{Call, Completion};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::utterance::{Asked, Group, Lang, Split};

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which utterance.
    pub id: String,
    /// Its group.
    pub group: Group,
    /// Its language.
    pub lang: Lang,
    /// Its half.
    pub split: Split,
    /// Whether the answer is right.
    pub right: bool,
    /// What was said.
    pub say: String,
    /// What tells what was asked of whom, and in which form, from everything else.
    #[serde(default)]
    pub digest: String,
    /// The completion's text, raw.
    pub text: String,
    /// The server's tool calls: name and parameters.
    #[serde(default)]
    pub calls: Vec<(String, String)>,
    /// The actions that were read from it.
    pub actions: Vec<String>,
    /// Why it can't be read.
    #[serde(default)]
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The tokens of the prompt.
    #[serde(default)]
    pub read: Option<u64>,
    /// The tokens of the answer.
    #[serde(default)]
    pub written: Option<u64>,
}

impl Record {
    /// What the model gave back.
    #[must_use]
    pub fn completion(&self) -> Completion {
        let call =
            |(name, params): &(String, String)| Call { name: name.clone(), params: params.clone() };
        Completion {
            text: self.text.clone(),
            calls: self.calls.iter().map(call).collect(),
            ..Completion::default()
        }
    }
}

/// An action as it stands in a record.
#[must_use]
pub fn shown(action: &Action) -> String {
    format!("{} {}", action.name, serde_json::Value::Object(action.params.clone()))
}

/// The answers of one model in one way.
#[derive(Debug)]
pub struct Records {
    file: PathBuf,
    known: BTreeMap<String, Record>,
    added: usize,
}

impl Records {
    /// Those that are kept below `folder`.
    ///
    /// # Errors
    /// When the file can't be read or written.
    pub fn open(folder: &Path, model: &str, asked: Asked) -> Result<Self> {
        let model: String = model
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '_' })
            .collect();
        let folder = folder.join(model);
        fs::create_dir_all(&folder)
            .with_context(|| format!("{} can't be made", folder.display()))?;
        let file = folder.join(format!("{asked}.jsonl"));
        let bytes = if file.exists() { fs::read(&file)? } else { Vec::new() };
        // A line that a crash broke, perhaps within a character, is asked again, and the next one begins behind it.
        let text = String::from_utf8_lossy(&bytes);
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(OpenOptions::new().append(true).open(&file)?)?;
        }
        let read = text.lines().filter_map(|line| serde_json::from_str::<Record>(line).ok());
        let known = read.map(|record| (record.id.clone(), record)).collect();
        Ok(Self { file, known, added: 0 })
    }

    /// Drops what is kept of these, so that they are asked anew.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn forget<'a>(&mut self, ids: impl Iterator<Item = &'a str>) -> Result<()> {
        ids.for_each(|id| drop(self.known.remove(id)));
        let lines = self.known.values().map(|record| Ok(serde_json::to_string(record)? + "\n"));
        let text = lines.collect::<Result<String>>()?;
        Ok(home::file::write(&self.file, text.as_bytes())?)
    }

    /// What was answered to this, if the same was asked in the same form at the same place.
    #[must_use]
    pub fn of(&self, id: &str, digest: &str) -> Option<&Record> {
        self.known.get(id).filter(|record| record.digest == digest)
    }

    /// How many were added since this was opened.
    #[must_use]
    pub fn added(&self) -> usize {
        self.added
    }

    /// Keeps one more.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn add(&mut self, record: Record) -> Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file)?;
        writeln!(file, "{}", serde_json::to_string(&record)?)?;
        self.known.insert(record.id.clone(), record);
        self.added += 1;
        Ok(())
    }
}
