//! What a speaker is asked: its own words as the assistant, all others' as the user, each with the speaker's name.
//!
//! The texts are those of AIStorm's specification. Its example introduces the agent in the instructions
//! themselves ("You are Agent B, a critical analyst ..."), so one that does is not introduced again.

use crate::cast::Agent;
use crate::escape::quoted;
use crate::log::Message;
use crate::name::{HUMAN, is_invisible, is_line_break, is_person};
use crate::premise::Premise;

/// Who says a part of a request, in the words of model servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The instructions.
    System,
    /// The person, and other agents.
    User,
    /// The agent that is asked.
    Assistant,
}

/// A part of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub text: String,
}

/// What stands behind an agent's own instructions.
const RULES: &str = "You will be provided with the history of the conversation so far with each participant's message \
     prefixed by the name of the speaker in the form `[<SpeakerName>]: `\n\nWhen responding, DO NOT add the prefix to \
     your response!";

/// What stands behind the premise once something was said.
const GO_ON: &str =
    "Continue the conversation based on the above premise and the conversation history.";

/// The request to `agent`, in at most about `bytes` of text: what was said first is left out first, and the
/// instructions and the premise never. The second value counts the messages that were left out.
#[must_use]
pub fn prompt(
    agent: &Agent,
    premise: &Premise,
    said: &[&Message],
    bytes: usize,
) -> (Vec<Spoken>, usize) {
    let system = Spoken { role: Role::System, text: instructions(agent) };
    let last = match said {
        [] => premise.as_str().to_owned(),
        _ => format!("Premise: {}\n\n{GO_ON}", premise.as_str()),
    };
    let last = Spoken { role: Role::User, text: last };
    let mut left = bytes.saturating_sub(system.text.len() + last.text.len());
    let mut kept = Vec::new();
    for message in said.iter().rev() {
        let spoken = spoken(agent, message);
        // Whatever the size, an agent hears what was said last.
        if !kept.is_empty() && spoken.text.len() > left {
            break;
        }
        left = left.saturating_sub(spoken.text.len());
        kept.push(spoken);
    }
    let left_out = said.len() - kept.len();
    let all = std::iter::once(system).chain(kept.into_iter().rev()).chain([last]);
    (all.collect(), left_out)
}

fn instructions(agent: &Agent) -> String {
    let (name, own) = (&agent.name, &agent.file.prompt);
    let introduced = own.strip_prefix(&format!("You are {name}"));
    match introduced.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)) {
        true => format!("{own}\n\n{RULES}"),
        false => format!("You are {name}. {own}\n\n{RULES}"),
    }
}

fn spoken(agent: &Agent, message: &Message) -> Spoken {
    let is_own = message.from == agent.name.as_str();
    let role = if is_own { Role::Assistant } else { Role::User };
    Spoken { role, text: format!("[{}]: {}", shown(&message.from), quoted(&message.text)) }
}

/// A speaker's name as models see it. One from a file of others' may hold anything.
fn shown(from: &str) -> String {
    if is_person(from) {
        return HUMAN.to_owned();
    }
    let breaks = |c: char| matches!(c, '[' | ']') || is_line_break(c) || is_invisible(c);
    from.chars().map(|c| if breaks(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests;
