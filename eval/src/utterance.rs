//! What people say, and what is expected of it: utterances.toml, read.

use std::fmt;

use anyhow::{Context, Result, ensure};
use model::Way;
use protocol::{ActionName, Object};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::expect::Expected;

/// The files, as they were when this was built.
const FILE: &str = include_str!("../utterances.toml");
const COUNTED: &str = include_str!("../counted.toml");

/// One message and what should come of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utterance {
    /// What it is called: each has its own.
    pub id: String,
    /// What it tests.
    pub group: Group,
    /// The language that it is said in.
    #[serde(default)]
    pub lang: Lang,
    /// Whether it may be looked at while prompts are worded.
    #[serde(default)]
    pub split: Split,
    /// Which skills there are besides the first-party ones.
    #[serde(default)]
    pub skills: Skills,
    /// What is said.
    pub say: String,
    /// What the turn's actions have brought by now: replies of a router or of local actions.
    #[serde(default)]
    pub seen: Vec<Object>,
    /// The actions that should come; none: no action may come.
    #[serde(default)]
    pub expect: Vec<Expected>,
    /// Whether the order of the actions matters.
    #[serde(default)]
    pub ordered: bool,
}

/// What an utterance tests.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// One action is needed.
    Action,
    /// None is.
    None,
    /// More than one is.
    Several,
    /// One has failed or has been done: the right next step may be none.
    Recover,
}

/// A language, by its ISO 639-1 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// German.
    De,
    /// Spanish.
    Es,
    /// Chinese.
    Zh,
    /// French.
    Fr,
    /// Russian.
    Ru,
}

/// A home's skills, besides the first-party ones. Nothing runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skills {
    /// Those of eval/skills.
    #[default]
    First,
    /// Those of eval/more_skills.
    More,
    /// Those of eval/counted_skills, with which no prompt was worded.
    Counted,
}

/// Which half an utterance belongs to.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Prompts are worded with a look at these.
    #[default]
    Tune,
    /// Nobody looks at these while prompts are worded.
    Held,
}

/// A way of asking: those of the agent, and that of the first SafeClaw to compare with.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Asked {
    /// The prompt of the first SafeClaw, in its order, with free `<tool_code>`.
    Seed,
    /// Free words with `<tool_code>` blocks.
    ToolCode,
    /// One JSON object, held to a schema.
    Json,
    /// Calls of tools that the request lists.
    Native,
}

impl Asked {
    /// The agent's way that it is; the seed's prompt asks for `<tool_code>`, too.
    #[must_use]
    pub fn way(self) -> Way {
        match self {
            Self::Seed | Self::ToolCode => Way::ToolCode,
            Self::Json => Way::Json,
            Self::Native => Way::Native,
        }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Seed => "seed",
            Self::ToolCode => "tool_code",
            Self::Json => "json",
            Self::Native => "native",
        })
    }
}

/// All utterances that may be tuned with.
///
/// # Errors
/// When the file can't be read as such.
pub fn all() -> Result<Vec<Utterance>> {
    read(FILE).context("eval/utterances.toml can't be read")
}

/// The utterances that are only counted.
///
/// # Errors
/// When the file can't be read as such.
pub fn counted() -> Result<Vec<Utterance>> {
    read(COUNTED).context("eval/counted.toml can't be read")
}

fn read(text: &str) -> Result<Vec<Utterance>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        utterance: Vec<Utterance>,
    }
    let file: File = toml::from_str(text)?;
    Ok(file.utterance)
}

/// The action that an observation is of.
///
/// # Errors
/// When it names none.
pub fn action_of(seen: &Object) -> Result<ActionName> {
    let name = seen.get("action").and_then(Value::as_str).unwrap_or_default();
    ensure!(!name.is_empty(), "something seen names no action");
    Ok(ActionName::new(name)?)
}
