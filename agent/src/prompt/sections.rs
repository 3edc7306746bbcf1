//! The values of the placeholders: one bounded section each.
//!
//! What the placeholders hold, by example, in the order of the built-in template; `k3v9x2ab` stands for
//! the fence, eight random letters that change with the session:
//!
//! | placeholder | from | for example |
//! |---|---|---|
//! | `SOUL_CONTENT` | SOUL.md, as it stands | `You are SafeClaw, a personal assistant ...` |
//! | `AGENT_ACTIONS` | agent_action.json, one line an action | `- _MEMORY_WRITE(new_memory: object) Remember facts ... E.g. "Remember my name is Frankie." <tool_code>[...]</tool_code>` |
//! | `ROUTER_ACTIONS` | router_actions.json, in the same way | `- CREATE_POST(platform: X\|LinkedIn, text: string) Publish ...` |
//! | `HOW_TO_ANSWER` | the way of asking | `Answer the message at the end in plain words ...` |
//! | `MEMORY_CONTENT` | memory.json, one line a key | `<memory-k3v9x2ab>` `name: Frankie` `</memory-k3v9x2ab>` |
//! | `ARTIFACT` | artifact.json, one line an observation | `<results-k3v9x2ab>` `{"status":"ok","action":"CREATE_POST",...}` `</results-k3v9x2ab>` |
//! | `USER_INPUT_HISTORY` | input_history.json, the latest 6 to 10 | `<history-k3v9x2ab>` `user: hello` `you: Hello!` `</history-k3v9x2ab>` |
//! | `USER_MESSAGE` | the message; then what this turn's actions brought | `<message-k3v9x2ab>` `Post 'Hi' to X.` `</message-k3v9x2ab>` |

use std::collections::BTreeMap;

use protocol::Object;

use super::limits::Limits;
use super::said::{Said, telling};
use super::template::HOW;
use super::{Fence, Gloss, Parts, actions, form, gloss, history, near, next};
use crate::model::{Fit, Way};
use crate::sanitize::{cut, fit, indented, one_line, tame};
use crate::workspace::Memory;

/// One bounded part of a prompt, before its fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    placeholder: &'static str,
    /// Each with the tag that goes around it; an empty tag means no fence.
    bodies: Vec<(&'static str, String)>,
}

/// How the sections are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner<'a> {
    /// What they have to fit.
    pub(super) fit: Fit<'a>,
    /// Whether the template has a place for how to answer.
    pub(super) has_place: bool,
    /// How large they may be.
    pub(super) limits: &'a Limits,
    /// What was left out so that all fits, in words.
    pub(super) cut: &'a [String],
}

const MEMORY_VALUE_LIMIT: usize = 400;
const REPAIR_LIMIT: usize = 1_000;

/// The value of every placeholder, fenced; takes another fence if a value contains it,
/// or the template does.
pub(super) fn values(
    parts: &Parts<'_>,
    template: &str,
    manner: Manner<'_>,
    fence: &mut Fence,
) -> BTreeMap<&'static str, String> {
    let sections = sections(parts, manner);
    let bodies = sections.iter().flat_map(|section| &section.bodies);
    fence.keep_out_of(bodies.map(|(_, body)| body.as_str()).chain([template]));
    sections.into_iter().map(|section| (section.placeholder, fenced(&section, fence))).collect()
}

fn fenced(section: &Section, fence: &Fence) -> String {
    let bodies = section.bodies.iter().map(|(tag, body)| match *tag {
        "" => body.clone(),
        tag => fence.around(tag, body),
    });
    bodies.collect::<Vec<_>>().join("\n")
}

fn sections(parts: &Parts<'_>, manner: Manner<'_>) -> Vec<Section> {
    let (way, limits) = (manner.fit.way, manner.limits);
    let one = |placeholder, tag, body| Section { placeholder, bodies: vec![(tag, body)] };
    let cards = [parts.agent_actions, parts.router_actions];
    let own = actions::render(parts.agent_actions.iter(), way, limits.agent_actions);
    let routed = match actions::are_few(cards) {
        true => actions::render(parts.router_actions.iter(), way, limits.router_actions),
        false => actions::names(parts.router_actions, limits.router_actions),
    };
    let observed: Vec<&Object> = parts.artifact.0.iter().collect();
    vec![
        one("SOUL_CONTENT", "", cut(parts.soul.trim(), limits.soul)),
        one("AGENT_ACTIONS", "", own),
        one("ROUTER_ACTIONS", "", routed),
        one(HOW, "", form::how_to_answer(way, cards)),
        one("MEMORY_CONTENT", "memory", memory(parts.memory, limits.memory)),
        one("ARTIFACT", "results", results(&observed, limits.artifact)),
        one("USER_INPUT_HISTORY", "history", history::render(parts.history, limits.history)),
        Section { placeholder: "USER_MESSAGE", bodies: message(parts, manner) },
    ]
}

/// How large those sections are that can give something.
pub(super) fn sizes(parts: &Parts<'_>, way: Way, limits: &Limits) -> Limits {
    let observed: Vec<&Object> = parts.artifact.0.iter().collect();
    let so_far: Vec<&Object> = parts.so_far.iter().map(|seen| &seen.fields).collect();
    let described = actions::render(parts.router_actions.iter(), way, limits.router_actions);
    Limits {
        memory: memory(parts.memory, limits.memory).len(),
        artifact: results(&observed, limits.artifact).len(),
        history: history::render(parts.history, limits.history).len(),
        router_actions: described.len(),
        so_far: results(&so_far, limits.so_far).len(),
        ..limits.clone()
    }
}

/// The newest entries that fit, in the order of the file.
fn memory(memory: &Memory, limit: usize) -> String {
    let mut lines = Vec::new();
    let mut size = 0;
    for (key, value) in memory.facts.iter().rev() {
        let value = fit(&Memory::shown(value), MEMORY_VALUE_LIMIT);
        let line = format!("{}: {}", tame(&one_line(key)), indented(&value));
        size += line.len() + 1;
        if size > limit {
            lines.push(format!(
                "[... {} older entries are not shown]",
                memory.facts.len() - lines.len()
            ));
            break;
        }
        lines.push(line);
    }
    lines.reverse();
    lines.join("\n")
}

/// Fields of a reply that are not for a model: those of the wire, because a small one has better things to read,
/// and the question to a person, whose code nobody else should be able to dictate.
const NOT_SHOWN: [&str; 5] = ["v", "message_id", "key_id", "mac", "approval"];

/// One line an observation, each with its share of the space.
fn results(observations: &[&Object], limit: usize) -> String {
    let share = limit / observations.len().max(1);
    let line = |fields: &&Object| {
        let mut told = Object::clone(fields);
        told.retain(|key, _| !NOT_SHOWN.contains(&key.as_str()));
        // Objects of JSON values always have a JSON form.
        fit(&serde_json::to_string(&told).unwrap_or_default(), share)
    };
    observations.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What helps with the message, the message, and behind it what this turn has brought so far, so that all before it stays
/// as it was.
fn message(parts: &Parts<'_>, manner: Manner<'_>) -> Vec<(&'static str, String)> {
    let plain = |text: String| ("", text);
    let mut bodies = Vec::new();
    if !manner.cut.is_empty() {
        bodies.push(plain(format!("[left out for want of space: {}]", manner.cut.join("; "))));
    }
    if manner.fit.gloss == Gloss::Wanted {
        bodies.push(plain(gloss::request(parts.message)));
        return bodies;
    }
    let told = telling(parts.message);
    let said = Said { message: &told, gloss: manner.fit.gloss.text() };
    let limit = manner.limits.router_actions;
    bodies.extend(near::described(parts, said, manner.fit.way, limit).map(plain));
    if manner.has_place {
        bodies.extend(near::examples(parts, said, manner.fit).map(plain));
    }
    bodies.push(("message", tame(parts.message)));
    if !parts.so_far.is_empty() {
        let fields: Vec<&Object> = parts.so_far.iter().map(|seen| &seen.fields).collect();
        bodies
            .push(plain("You have already acted on this message, with these results:".to_owned()));
        bodies.push(("results", results(&fields, manner.limits.so_far)));
        bodies.push(plain(next::steps(parts.so_far)));
    }
    if let Some(error) = parts.repair {
        let error = fit(error, REPAIR_LIMIT);
        bodies.push(plain(format!("Your last answer could not be read: {error}. Write it again.")));
    }
    if !manner.has_place {
        bodies.extend(form::in_one_line(manner.fit.way).map(|line| plain(line.to_owned())));
    }
    bodies
}
