//! Asks every chat twice: as the agent does, and the same server directly.

use std::collections::BTreeMap;
use std::time::Duration;

use agent::answer::{Answer, Shown, Words};
use agent::model::{Ask, Completion, Ended, Fit, TurnParts};
use agent::prompt::{Fence, Prompt, Sources, Step};
use agent::workspace::{Artifact, Entered, History, Memory, SOUL};
use anyhow::Result;
use llm::{Message, Role};
use protocol::{SessionKey, Taint};

use super::{Chat, Said, wrong};
use crate::ask::{Lane, Server};
use crate::cards::Actions;
use crate::utterance::Asked;

/// The one line that a server is told when it is asked directly.
const DIRECTLY: &str = "You are a helpful assistant. Answer in the language of the message.";

/// What came of all chats, asked in one way.
#[derive(Debug, Default)]
struct Count {
    right: usize,
    all: usize,
    /// How often which fault came.
    faults: BTreeMap<String, usize>,
    first: Vec<Duration>,
}

/// Asks `chats` as the agent does, in one way, and directly; prints each answer that is wrong as it comes, and the counts at the
/// end.
///
/// # Errors
/// When the model does not answer.
pub async fn run(server: &Server, asked: Asked, chats: &[Chat]) -> Result<()> {
    let lane = server.asked(asked.way())?;
    let (mut agents, mut direct) = (Count::default(), Count::default());
    for chat in chats {
        let (said, first) = as_the_agent(&lane, asked, chat).await?;
        agents.take(&asked.to_string(), chat, &said, first);
        let (said, first) = directly(&lane, chat).await?;
        direct.take("directly", chat, &said, first);
    }
    println!("{}\n{}", agents.line(&asked.to_string()), direct.line("directly"));
    Ok(())
}

impl Count {
    fn take(&mut self, asked: &str, chat: &Chat, said: &Said, first: Option<Duration>) {
        let faults = wrong(chat, said);
        self.all += 1;
        self.right += usize::from(faults.is_empty());
        self.first.extend(first);
        if faults.is_empty() {
            return;
        }
        let words: Vec<String> = faults.iter().map(ToString::to_string).collect();
        println!(
            "{asked} {}: {}\n    {:?} {:?}",
            chat.id,
            words.join(", "),
            said.words,
            said.actions
        );
        for fault in words {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    fn line(&mut self, asked: &str) -> String {
        self.first.sort_unstable();
        let first = self.first.get(self.first.len() / 2).copied().unwrap_or_default();
        let faults: Vec<String> =
            self.faults.iter().map(|(fault, count)| format!("{count} x {fault}")).collect();
        format!(
            "{asked:9} {} of {} right, first word after {:.2} s (median); {}",
            self.right,
            self.all,
            first.as_secs_f64(),
            faults.join("; ")
        )
    }
}

/// The answer with the agent's prompt and forms. Of several steps it is the first: an action there is one too many.
async fn as_the_agent(lane: &Lane, asked: Asked, chat: &Chat) -> Result<(Said, Option<Duration>)> {
    let (actions, session) = (Actions::read()?, SessionKey::new("owner".to_owned())?);
    let (memory, artifact) = (Memory::of(chat.memory.clone()), Artifact::default());
    let mut history = History::default();
    for (said, answer) in &chat.before {
        history.add(said.clone(), answer.clone());
    }
    let step = Step {
        session: &session,
        taint: Taint::CLEAN,
        soul: SOUL,
        cards: actions.cards(),
        memory: &memory,
        artifact: &artifact,
        history: &history,
        message: &chat.say,
        known: &[],
        so_far: &[],
        repair: None,
    };
    let sections = Sources::built_in().gather(&step, &mut Entered::nothing()).await;
    let prompt = Prompt::new(Fence::new(7))?;
    let turn = TurnParts {
        message: &chat.say,
        cards: actions.cards(),
        so_far: &[],
        memory: &memory,
        typed: &[],
    };
    let completion = lane.ask(&Ask::turn(&prompt, &sections, turn)).await?;
    let rendered = prompt.render(&sections, Fit::of(asked.way(), usize::MAX));
    let rules = rendered.text[..rendered.stable].to_owned();
    let read = Answer::read(&completion, actions.cards(), &Shown::default());
    let said = match read {
        Ok(answer) => Said {
            words: answer.words,
            actions: answer.actions.iter().map(crate::record::shown).collect(),
            is_cut: completion.ended == Ended::AtLimit,
            rules,
        },
        // What can't be read as actions is an action that nobody asked for.
        Err(error) => Said {
            words: Words::of(&completion.text, actions.cards()),
            actions: vec![error.to_string()],
            ..Said::default()
        },
    };
    Ok((said, completion.usage.first_token))
}

/// What the server says when it is asked without any of that.
async fn directly(lane: &Lane, chat: &Chat) -> Result<(Said, Option<Duration>)> {
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
    let completion: Completion = lane.ask(&Ask::chat(&system, &earlier, &chat.say)).await?;
    let is_cut = completion.ended == Ended::AtLimit;
    let said = Said { words: completion.text, is_cut, ..Said::default() };
    Ok((said, completion.usage.first_token))
}
