//! What models answered, one line each, in target/eval/<model>/<way>.jsonl (talk-<way>.jsonl): for study, and so that nobody asks twice.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use answer::Action;
use anyhow::{Context, Result};
use model::{Call, Completion};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::utterance::{Group, Lang, Split};

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
    /// What the model gave back in each step of the turn, raw.
    pub steps: Vec<Step>,
    /// The actions that were read from all of them.
    pub actions: Vec<String>,
    /// Why the first can't be read.
    #[serde(default)]
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// One answer of a turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The completion's text.
    pub text: String,
    /// The server's tool calls: name and parameters.
    #[serde(default)]
    pub calls: Vec<(String, String)>,
    /// Whether it was asked for as words alone.
    #[serde(default)]
    pub words_alone: bool,
    /// The tokens of the prompt.
    #[serde(default)]
    pub read: Option<u64>,
    /// The tokens of the answer.
    #[serde(default)]
    pub written: Option<u64>,
}

impl Step {
    /// What the model gave back.
    #[must_use]
    pub fn of(completion: &Completion) -> Self {
        let calls = completion.calls.iter().map(|call| (call.name.clone(), call.params.clone()));
        Self {
            text: completion.text.clone(),
            calls: calls.collect(),
            words_alone: completion.words_alone,
            read: completion.usage.read,
            written: completion.usage.written,
        }
    }

    /// The same as the agent reads it.
    #[must_use]
    pub fn completion(&self) -> Completion {
        let call =
            |(name, params): &(String, String)| Call { name: name.clone(), params: params.clone() };
        Completion {
            text: self.text.clone(),
            calls: self.calls.iter().map(call).collect(),
            words_alone: self.words_alone,
            ..Completion::default()
        }
    }
}

/// An action as it stands in a record.
#[must_use]
pub fn shown(action: &Action) -> String {
    format!("{} {}", action.name, serde_json::Value::Object(action.params.clone()))
}

/// Something that was answered, as it is kept.
pub trait Kept: Clone + Serialize + DeserializeOwned {
    /// Which message it answers.
    fn id(&self) -> &str;
    /// What tells what was asked of whom from everything else.
    fn digest(&self) -> &str;
}

impl Kept for Record {
    fn id(&self) -> &str {
        &self.id
    }

    fn digest(&self) -> &str {
        &self.digest
    }
}

/// The answers of one model in one way, by message and by what was asked.
#[derive(Debug)]
pub struct Records<R> {
    file: PathBuf,
    known: BTreeMap<(String, String), R>,
    added: usize,
}

impl<R: Kept> Records<R> {
    /// Those that are kept below `folder` in the file of this name.
    ///
    /// # Errors
    /// When the file can't be read or written.
    pub fn open(folder: &Path, model: &str, name: &str) -> Result<Self> {
        let model: String = model
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '_' })
            .collect();
        let folder = folder.join(model);
        fs::create_dir_all(&folder)
            .with_context(|| format!("{} can't be made", folder.display()))?;
        let file = folder.join(format!("{name}.jsonl"));
        let bytes = if file.exists() { fs::read(&file)? } else { Vec::new() };
        // A line that a crash broke, perhaps within a character, is asked again, and the next one begins behind it.
        let text = String::from_utf8_lossy(&bytes);
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(OpenOptions::new().append(true).open(&file)?)?;
        }
        let read = text.lines().filter_map(|line| serde_json::from_str::<R>(line).ok());
        let known = read.map(|record| (key(&record), record)).collect();
        Ok(Self { file, known, added: 0 })
    }

    /// Drops what is kept of these, so that they are asked anew.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn forget<'a>(&mut self, ids: impl Iterator<Item = &'a str>) -> Result<()> {
        let ids: Vec<&str> = ids.collect();
        self.known.retain(|(id, _), _| !ids.contains(&id.as_str()));
        let lines = self.known.values().map(|record| Ok(serde_json::to_string(record)? + "\n"));
        let text = lines.collect::<Result<String>>()?;
        Ok(home::file::write(&self.file, text.as_bytes())?)
    }

    /// What was answered to this, if the same was asked in the same form at the same place.
    #[must_use]
    pub fn of(&self, id: &str, digest: &str) -> Option<&R> {
        self.known.get(&(id.to_owned(), digest.to_owned()))
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
    pub fn add(&mut self, record: R) -> Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file)?;
        writeln!(file, "{}", serde_json::to_string(&record)?)?;
        self.known.insert(key(&record), record);
        self.added += 1;
        Ok(())
    }
}

fn key<R: Kept>(record: &R) -> (String, String) {
    (record.id().to_owned(), record.digest().to_owned())
}
