//! What an eval found, as it is kept in eval/results/: the counts from which the book's table is made.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::cards::root;
use crate::record::Record;
use crate::utterance::{Asked, Group, Split};

/// One model's results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The model's name.
    pub model: String,
    /// What served it.
    pub server: String,
    /// When it was asked, as `2026-11-22`.
    pub date: String,
    /// The command that repeats it.
    pub command: String,
    /// What people should know of these counts, such as why a way of asking has none: a sentence, in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The counts, one for each way of asking.
    pub row: Vec<Row>,
}

/// How often the answers were right in one way of asking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The way.
    pub way: Asked,
    /// Right and asked, where one action is needed.
    pub action: [usize; 2],
    /// Where none is.
    pub none: [usize; 2],
    /// Where several are.
    pub several: [usize; 2],
    /// Where one has failed or has been done.
    pub recover: [usize; 2],
    /// The half that nobody looked at while wording prompts, all groups together.
    pub held: [usize; 2],
    /// What is not said in English, all groups together.
    pub not_english: [usize; 2],
    /// The median time of an answer, in milliseconds.
    pub ms: u64,
}

impl Row {
    /// Counts.
    #[must_use]
    pub fn of(way: Asked, records: &[Record]) -> Self {
        let count = |chosen: &dyn Fn(&Record) -> bool| {
            let right = records.iter().filter(|one| chosen(one) && one.right).count();
            [right, records.iter().filter(|one| chosen(one)).count()]
        };
        let group = |group: Group| count(&|one: &Record| one.group == group);
        let mut times: Vec<u64> = records.iter().map(|one| one.ms).collect();
        times.sort_unstable();
        Self {
            way,
            action: group(Group::Action),
            none: group(Group::None),
            several: group(Group::Several),
            recover: group(Group::Recover),
            held: count(&|one| one.split == Split::Held),
            not_english: count(&|one| one.lang != crate::utterance::Lang::En),
            ms: times.get(times.len() / 2).copied().unwrap_or_default(),
        }
    }

    /// All groups together.
    #[must_use]
    pub fn all(&self) -> [usize; 2] {
        [self.action, self.none, self.several, self.recover]
            .iter()
            .fold([0, 0], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
    }
}

/// Takes `rows` if at least `floor` percent are right in the json way.
///
/// # Errors
/// When they are not, or that way was not asked.
pub fn reach(rows: &[Row], floor: u8) -> Result<()> {
    let row = rows.iter().find(|row| row.way == Asked::Json).filter(|row| row.all()[1] > 0);
    let [right, of] =
        row.context("nothing was asked in the json way, so no floor can be held")?.all();
    ensure!(
        100 * right >= usize::from(floor) * of,
        "only {right} of {of} are right in the json way, and {floor} % should be; --wrong shows the others"
    );
    Ok(())
}

fn folder() -> PathBuf {
    root().join("eval/results")
}

/// All results that are kept, by file name.
///
/// # Errors
/// When one can't be read.
pub fn kept() -> Result<Vec<Results>> {
    let Ok(entries) = fs::read_dir(folder()) else { return Ok(Vec::new()) };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file)?;
        toml::from_str(&text).with_context(|| format!("{} can't be read", file.display()))
    };
    files
        .iter()
        .filter(|file| file.extension().is_some_and(|end| end == "toml"))
        .map(read)
        .collect()
}

/// Keeps one model's results.
///
/// # Errors
/// When the file can't be written.
pub fn keep(results: &Results) -> Result<PathBuf> {
    let named = |c: char| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '_' };
    let name: String = results.model.chars().map(named).collect();
    let file = folder().join(format!("{name}.toml"));
    fs::create_dir_all(folder())?;
    fs::write(&file, toml::to_string(results)?)
        .with_context(|| format!("{} can't be written", file.display()))?;
    Ok(file)
}
