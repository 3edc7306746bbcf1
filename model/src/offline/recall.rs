//! Answers simple questions from memory.

use std::sync::OnceLock;

use conversation::workspace::Memory;
use regex::Regex;

/// The questions that ask for one thing, with whose it is and the thing in their groups, and those that ask for all.
const ONE: &str = r"(?i)^\s*(?:(?:what|who|where|when)(?:['’]s|\s+is|\s+are|\s+was)|do\s+you\s+(?:know|remember)|tell\s+me)\s+(my|the)\s+(.+?)\s*[?.!]*\s*$";
const ALL: &str = r"(?i)^\s*what\s+do\s+you\s+(?:know|remember)(?:\s+about\s+me)?\s*[?.!]*\s*$";

/// How many entries are told at most.
const TOLD: usize = 20;

/// The answer to a question about memory; `None` if the message is none or the memory has no answer.
pub(super) fn answer(message: &str, memory: &Memory) -> Option<String> {
    static PATTERNS: OnceLock<Option<(Regex, Regex)>> = OnceLock::new();
    let (one, all) =
        PATTERNS.get_or_init(|| Regex::new(ONE).ok().zip(Regex::new(ALL).ok())).as_ref()?;
    if all.is_match(message) && !memory.facts.is_empty() {
        return Some(everything(memory));
    }
    let (_, [whose, asked]) = one.captures(message)?.extract();
    let asked = plain(asked);
    let (_, value) = memory.facts.iter().find(|(key, _)| plain(key) == asked)?;
    let whose = if whose.eq_ignore_ascii_case("my") { "Your" } else { "The" };
    let is = if value.is_string() { " is" } else { ":" };
    Some(format!("{whose} {asked}{is} {}.", Memory::shown(value)))
}

fn everything(memory: &Memory) -> String {
    let told = memory.facts.iter().rev().take(TOLD);
    let mut lines: Vec<String> =
        told.map(|(key, value)| format!("- {key}: {}", Memory::shown(value))).collect();
    if memory.facts.len() > TOLD {
        lines.push(format!("- and {} more: /memory shows them", memory.facts.len() - TOLD));
    }
    format!("I know this:\n{}", lines.join("\n"))
}

/// A key as people say it: `favourite_colour` and `My favourite colour` are the same.
fn plain(key: &str) -> String {
    let words = key.to_lowercase().replace(['_', '-'], " ");
    let words: Vec<&str> = words.split_whitespace().collect();
    let own = words.strip_prefix(&["my"]).unwrap_or(&words);
    own.join(" ")
}
