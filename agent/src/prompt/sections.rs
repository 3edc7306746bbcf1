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
//! | `MEMORY_CONTENT` | memory.json, one line a key | `<memory-k3v9x2ab>` `name: Frankie` `</memory-k3v9x2ab>` |
//! | `ARTIFACT` | artifact.json, one line an observation | `<results-k3v9x2ab>` `{"status":"ok","action":"CREATE_POST",...}` `</results-k3v9x2ab>` |
//! | `USER_INPUT_HISTORY` | input_history.json, the latest 6 to 10 | `<history-k3v9x2ab>` `user: hello` `you: Hello!` `</history-k3v9x2ab>` |
//! | `USER_MESSAGE` | the message; then what this turn's actions brought | `<message-k3v9x2ab>` `Post 'Hi' to X.` `</message-k3v9x2ab>` |

use std::collections::BTreeMap;

use protocol::Object;

use super::tame::{cut, fit, indented, one_line, tame};
use super::{Fence, Parts, actions, history};
use crate::channel::MAX_MESSAGE;
use crate::workspace::Memory;

/// One bounded part of a prompt, before its fence.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    placeholder: &'static str,
    /// Each with the tag that goes around it; an empty tag means no fence.
    bodies: Vec<(&'static str, String)>,
}

/// How large the sections may be, in bytes, before the fence. Together they fit the window of a small
/// model; with the first-party skills an ordinary chat stays below 8 kB.
const SOUL_LIMIT: usize = 4_000;
const AGENT_ACTIONS_LIMIT: usize = 4_000;
const ROUTER_ACTIONS_LIMIT: usize = 14_000;
const MEMORY_LIMIT: usize = 3_000;
const MEMORY_VALUE_LIMIT: usize = 400;
const ARTIFACT_LIMIT: usize = 3_000;
const HISTORY_LIMIT: usize = 5_400;
const SO_FAR_LIMIT: usize = 8_000;
const REPAIR_LIMIT: usize = 1_000;

/// The value of every placeholder, fenced; takes another fence if a value contains it,
/// or the template does.
pub(super) fn values(
    parts: &Parts<'_>,
    template: &str,
    fence: &mut Fence,
) -> BTreeMap<&'static str, String> {
    let sections = sections(parts);
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

fn sections(parts: &Parts<'_>) -> Vec<Section> {
    let one = |placeholder, tag, body| Section { placeholder, bodies: vec![(tag, body)] };
    let soul = cut(parts.soul.trim(), SOUL_LIMIT);
    vec![
        one("SOUL_CONTENT", "", soul),
        one("AGENT_ACTIONS", "", actions::render(parts.agent_actions, AGENT_ACTIONS_LIMIT)),
        one("ROUTER_ACTIONS", "", actions::render(parts.router_actions, ROUTER_ACTIONS_LIMIT)),
        one("MEMORY_CONTENT", "memory", memory(parts.memory)),
        one(
            "ARTIFACT",
            "results",
            results(&parts.artifact.0.iter().collect::<Vec<_>>(), ARTIFACT_LIMIT),
        ),
        one("USER_INPUT_HISTORY", "history", history::render(parts.history, HISTORY_LIMIT)),
        Section { placeholder: "USER_MESSAGE", bodies: message(parts) },
    ]
}

/// The newest entries that fit, in the order of the file.
fn memory(memory: &Memory) -> String {
    let mut lines = Vec::new();
    let mut size = 0;
    for (key, value) in memory.facts.iter().rev() {
        let value = fit(&Memory::shown(value), MEMORY_VALUE_LIMIT);
        let line = format!("{}: {}", tame(&one_line(key)), indented(&value));
        size += line.len() + 1;
        if size > MEMORY_LIMIT {
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

/// The message, and behind it what this turn has brought so far, so that all before it stays as it was.
fn message(parts: &Parts<'_>) -> Vec<(&'static str, String)> {
    let mut bodies = vec![("message", fit(parts.message, MAX_MESSAGE))];
    if !parts.so_far.is_empty() {
        let fields: Vec<&Object> = parts.so_far.iter().map(|seen| &seen.fields).collect();
        bodies.push(("", "You have already acted on this message, with these results:".to_owned()));
        bodies.push(("results", results(&fields, SO_FAR_LIMIT)));
        bodies.push(("", "Answer the user from them. Act again only if it is needed.".to_owned()));
    }
    if let Some(error) = parts.repair {
        let error = fit(error, REPAIR_LIMIT);
        bodies.push(("", format!("Your last answer could not be read: {error}. Write it again.")));
    }
    bodies
}
