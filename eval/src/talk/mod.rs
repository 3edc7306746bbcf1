//! Everyday chats in which no action is right: talk.toml, read.

mod check;
mod run;

use anyhow::{Context, Result, ensure};
use protocol::Object;
use serde::{Deserialize, Serialize};

pub use check::{Said, Wrong, wrong};
pub use run::{How, Run};

use crate::utterance::{Lang, Split};

/// The file, as it was when this was built.
const FILE: &str = include_str!("../../talk.toml");

/// One message that wants a good answer and no action.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chat {
    /// What it is called: each has its own.
    pub id: String,
    /// What it is about.
    pub kind: Kind,
    /// The language that it is said in, and that the answer should have.
    #[serde(default)]
    pub lang: Lang,
    /// Whether its answers may be looked at while prompts are worded.
    #[serde(default)]
    pub split: Split,
    /// What was said before: messages with their answers, oldest first.
    #[serde(default)]
    pub before: Vec<(String, String)>,
    /// What the agent knows, by key.
    #[serde(default)]
    pub memory: Object,
    /// What is said.
    pub say: String,
    /// What stands in a good answer: of each entry one of the parts between `|`, in any letter case.
    #[serde(default)]
    pub has: Vec<String>,
    /// What does not.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// How many words it has at least; of Chinese, characters.
    #[serde(default)]
    pub least: usize,
    /// How many at most.
    #[serde(default)]
    pub most: Option<usize>,
    /// Whether a block of code belongs in it.
    #[serde(default)]
    pub code: bool,
}

/// What a chat is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something that many know.
    Question,
    /// What only what was said before explains.
    FollowUp,
    /// A text to be written.
    Writing,
    /// Code to be written or explained.
    Code,
    /// Nothing in particular.
    SmallTalk,
    /// What the agent is and can do.
    AboutYou,
    /// Something that is remembered, or is not.
    Memory,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    chat: Vec<Chat>,
}

/// All chats.
///
/// # Errors
/// When the file can't be read as such, or an id stands there twice.
pub fn all() -> Result<Vec<Chat>> {
    let File { chat } = toml::from_str(FILE).context("eval/talk.toml")?;
    for (place, one) in chat.iter().enumerate() {
        let is_new = chat[..place].iter().all(|other| other.id != one.id);
        ensure!(is_new, "eval/talk.toml has {} twice", one.id);
    }
    Ok(chat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_enough_chats_and_half_of_them_are_held_out() {
        let all = all().unwrap();
        let held = all.iter().filter(|chat| chat.split == Split::Held).count();
        assert!(all.len() >= 60, "{} chats", all.len());
        assert!(held.abs_diff(all.len() - held) <= 2, "{held} of {} are held out", all.len());
        for lang in [Lang::En, Lang::De, Lang::Es, Lang::Zh] {
            let spoken = all.iter().filter(|chat| chat.lang == lang).count();
            assert!(spoken >= 7, "{lang:?}: {spoken}");
        }
    }
}
