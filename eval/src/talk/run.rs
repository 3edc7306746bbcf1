//! Asks every chat: as the agent does, and the same server directly.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use answer::{Answer, Shown, Words};
use anyhow::Result;
use conversation::workspace::{Artifact, Entered, History, Memory, SOUL};
use llm::{Message, Role};
use model::{Ask, Completion, Ended, Fit, Progress, TurnParts};
use prompt::{Fence, Passages, Prompt, Sections, Sources, Step};
use protocol::{SessionKey, Taint};
use serde::{Deserialize, Serialize};

use super::{Chat, Said, wrong};
use crate::ask::{Lane, Server};
use crate::cards::Actions;
use crate::record::{Kept, Records};
use crate::utterance::{Asked, Skills};

/// The one line that a server is told when it is asked directly.
const DIRECTLY: &str = "You are a helpful assistant. Answer in the language of the message.";

/// How chats are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// As the agent asks, in this way.
    AsTheAgent(Asked),
    /// The server, with one line that says what it is.
    Directly,
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsTheAgent(asked) => f.pad(&asked.to_string()),
            Self::Directly => f.pad("directly"),
        }
    }
}

/// One way of asking one model.
#[derive(Debug)]
pub struct Run<'a> {
    /// The model.
    pub server: &'a Server,
    /// How it is asked.
    pub how: How,
    /// Ask again what was asked before.
    pub fresh: bool,
}

/// One answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    id: String,
    digest: String,
    said: Said,
    /// How long it took until there was a word to be read, in milliseconds.
    first: Option<u64>,
}

impl Kept for Record {
    fn id(&self) -> &str {
        &self.id
    }

    fn digest(&self) -> &str {
        &self.digest
    }
}

/// What came of all chats, asked in one way.
#[derive(Debug, Default)]
struct Count {
    right: usize,
    all: usize,
    /// How often which fault came.
    faults: BTreeMap<String, usize>,
    first: Vec<Duration>,
}

impl Run<'_> {
    /// Asks `chats` that were not asked before; prints each answer that is wrong as it comes, unless the chat is held out, and
    /// the counts at the end.
    ///
    /// # Errors
    /// When the model does not answer, or nothing can be kept.
    pub async fn over(&self, chats: &[Chat], folder: &Path) -> Result<()> {
        let Self { server, how, fresh } = self;
        let mut records: Records<Record> =
            Records::open(folder, server.model(), &format!("talk-{how}"))?;
        if *fresh {
            records.forget(chats.iter().map(|chat| chat.id.as_str()))?;
        }
        let way = match how {
            How::AsTheAgent(asked) => asked.way(),
            How::Directly => Asked::Json.way(),
        };
        let (lane, mut count) = (server.asked(way)?, Count::default());
        for chat in chats {
            let record = match how {
                How::AsTheAgent(asked) => as_the_agent(&lane, *asked, chat, &mut records).await?,
                How::Directly => directly(&lane, chat, &mut records).await?,
            };
            count.take(*how, chat, &record);
        }
        println!("{}", count.line(*how));
        Ok(())
    }
}

impl Count {
    fn take(&mut self, how: How, chat: &Chat, record: &Record) {
        let faults = wrong(chat, &record.said);
        self.all += 1;
        self.right += usize::from(faults.is_empty());
        self.first.extend(record.first.map(Duration::from_millis));
        if faults.is_empty() {
            return;
        }
        let words: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let answer = match chat.split {
            crate::utterance::Split::Tune => {
                format!("\n    {:?} {:?}", record.said.words, record.said.actions)
            }
            crate::utterance::Split::Held => String::new(),
        };
        println!("{how} {}: {}{answer}", chat.id, words.join(", "));
        for fault in words {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    fn line(&mut self, how: How) -> String {
        self.first.sort_unstable();
        let first = self.first.get(self.first.len() / 2).copied().unwrap_or_default();
        let faults: Vec<String> =
            self.faults.iter().map(|(fault, count)| format!("{count} x {fault}")).collect();
        format!(
            "{how:9} {} of {} right, first word after {:.2} s (median); {}",
            self.right,
            self.all,
            first.as_secs_f64(),
            faults.join("; ")
        )
    }
}

/// What the agent looks at for a chat.
struct Turn<'a> {
    chat: &'a Chat,
    actions: Actions,
    session: SessionKey,
    memory: Memory,
    artifact: Artifact,
    history: History,
    known: Passages,
}

impl<'a> Turn<'a> {
    fn new(chat: &'a Chat) -> Result<Self> {
        let mut history = History::default();
        for (said, answer) in &chat.before {
            history.add(said.clone(), answer.clone());
        }
        Ok(Self {
            chat,
            actions: Actions::read(Skills::First)?,
            session: SessionKey::new("owner".to_owned())?,
            memory: Memory::of(chat.memory.clone()),
            artifact: Artifact::default(),
            history,
            known: Passages::default(),
        })
    }

    async fn sections(&self) -> Sections<'_> {
        let step = Step {
            session: &self.session,
            taint: Taint::CLEAN,
            soul: SOUL,
            cards: self.actions.cards(),
            memory: &self.memory,
            artifact: &self.artifact,
            history: &self.history,
            message: &self.chat.say,
            notes: None,
            known: &self.known,
            so_far: &[],
            repair: None,
        };
        Sources::built_in().gather(&step, &mut Entered::nothing()).await
    }

    fn parts(&self) -> TurnParts<'_> {
        TurnParts {
            message: &self.chat.say,
            cards: self.actions.cards(),
            so_far: &[],
            memory: &self.memory,
            history: &self.history,
            typed: &[],
        }
    }
}

/// The answer with the agent's prompt and forms. Of several steps it is the first: an action there is one too many.
async fn as_the_agent(
    lane: &Lane,
    asked: Asked,
    chat: &Chat,
    records: &mut Records<Record>,
) -> Result<Record> {
    let (turn, prompt) = (Turn::new(chat)?, Prompt::new(Fence::new(7))?);
    let sections = turn.sections().await;
    let ask = Ask::turn(&prompt, &sections, turn.parts());
    let digest = lane.digest(&ask).await;
    if let Some(known) = records.of(&chat.id, &digest) {
        return Ok(known.clone());
    }
    let cards = turn.actions.cards();
    let (completion, first) = heard(lane, &ask, Words::new(cards)).await?;
    let rendered = prompt.render(&sections, Fit::of(asked.way(), usize::MAX));
    let rules = rendered.text[..rendered.stable].to_owned();
    let said = match Answer::read(&completion, cards, &Shown::default()) {
        Ok(answer) => Said {
            words: answer.words,
            actions: answer.actions.iter().map(crate::record::shown).collect(),
            is_cut: completion.ended == Ended::AtLimit,
            rules,
        },
        // What can't be read as actions is an action that nobody asked for.
        Err(error) => Said {
            words: Words::of(&completion.text, cards),
            actions: vec![error.to_string()],
            ..Said::default()
        },
    };
    kept(chat, digest, said, first, records)
}

/// What the server says when it is asked without any of that.
async fn directly(lane: &Lane, chat: &Chat, records: &mut Records<Record>) -> Result<Record> {
    let known: Vec<String> =
        chat.memory.iter().map(|(key, value)| format!("{key}: {}", Memory::shown(value))).collect();
    let system = match known.as_slice() {
        [] => DIRECTLY.to_owned(),
        known => format!("{DIRECTLY} What you know of the user: {}", known.join("; ")),
    };
    let message = |role, text: &String| Message { role, text: text.clone() };
    let pair = |(said, answer): &(String, String)| {
        [message(Role::User, said), message(Role::Assistant, answer)]
    };
    let earlier: Vec<Message> = chat.before.iter().flat_map(pair).collect();
    let ask = Ask::chat(&system, &earlier, &chat.say);
    let digest = lane.digest(&ask).await;
    if let Some(known) = records.of(&chat.id, &digest) {
        return Ok(known.clone());
    }
    let (completion, first) = heard(lane, &ask, Words::new([&[], &[]])).await?;
    let is_cut = completion.ended == Ended::AtLimit;
    let said = Said { words: completion.text, is_cut, ..Said::default() };
    kept(chat, digest, said, first, records)
}

/// The completion, and how long it took until there was a word to be read.
async fn heard(
    lane: &Lane,
    ask: &Ask<'_>,
    mut words: Words<'_>,
) -> Result<(Completion, Option<Duration>)> {
    let (begun, mut first) = (Instant::now(), None);
    let completion = lane
        .ask_heard(ask, &mut |progress| match progress {
            Progress::WordsAlone => words = Words::alone(),
            Progress::Piece(piece) if !words.push(piece).trim().is_empty() => {
                first.get_or_insert_with(|| begun.elapsed());
            }
            _ => {}
        })
        .await?;
    Ok((completion, first))
}

fn kept(
    chat: &Chat,
    digest: String,
    said: Said,
    first: Option<Duration>,
    records: &mut Records<Record>,
) -> Result<Record> {
    let first = first.and_then(|first| u64::try_from(first.as_millis()).ok());
    let record = Record { id: chat.id.clone(), digest, said, first };
    records.add(record.clone())?;
    Ok(record)
}
