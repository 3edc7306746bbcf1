//! The model that both agents ask: a server that speaks Ollama's API and follows a script.

use std::sync::Arc;

use testkit::{OllamaServer, Says};

/// What each message of a talk is about: a word and a number, by which the message is found again in a prompt that holds older ones.
pub(crate) const ITEM: &str = "item-";

/// Its beginning lets the policy ask a person.
pub(crate) const ASKED: &str = "ask-";

/// What a message begins with that wants HELLO_WORLD for its item.
pub(crate) const GREET: &str = "Greet ";

/// What a message begins with that wants something remembered.
pub(crate) const REMEMBER: &str = "Remember ";

/// The texts beside which a prompt shows what has been done for its message.
const ACTED: [&str; 2] = [
    "You have already acted on this message",
    "These are the results of what the message asks for",
];

/// What it says last of a message about `item`.
pub(crate) fn done(item: &str) -> String {
    format!("Done with {item}.")
}

/// Starts it.
pub(crate) fn start() -> OllamaServer {
    OllamaServer::tireless(Says::Made(Arc::new(answer)))
}

fn answer(prompt: &str) -> String {
    let Some(item) = newest(prompt) else { return "Nothing to say.".to_owned() };
    let wants = |word: &str| prompt.contains(&format!("{word}{item}"));
    let call = |name: &str, params: String| {
        format!(r#"<tool_code>[{{"name": "{name}", "params": {params}}}]</tool_code>"#)
    };
    match ACTED.iter().any(|acted| prompt.contains(acted)) {
        false if wants(GREET) => call("HELLO_WORLD", format!(r#"{{"name": "{item}"}}"#)),
        false if wants(REMEMBER) => {
            call("_MEMORY_WRITE", format!(r#"{{"new_memory": {{"latest": "{item}"}}}}"#))
        }
        _ => done(item),
    }
}

/// The item with the highest number, with what stands in front of it.
fn newest(prompt: &str) -> Option<&str> {
    let number = |at: usize| {
        let rest = &prompt[at + ITEM.len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: u64 = rest[..end].parse().ok()?;
        let start = if prompt[..at].ends_with(ASKED) { at - ASKED.len() } else { at };
        Some((number, &prompt[start..at + ITEM.len() + end]))
    };
    prompt.match_indices(ITEM).filter_map(|(at, _)| number(at)).max().map(|(_, item)| item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_acts_once_on_the_newest_message_and_ends_then() {
        let prompt = "Greet item-9.\nDone with item-9.\nGreet ask-item-10.";
        assert_eq!(
            answer(prompt),
            r#"<tool_code>[{"name": "HELLO_WORLD", "params": {"name": "ask-item-10"}}]</tool_code>"#
        );
        for acted in ACTED {
            assert_eq!(answer(&format!("{prompt}\n{acted}.")), "Done with ask-item-10.");
        }
        assert_eq!(answer("Greet item-9.\nTell me of item-11."), "Done with item-11.");
        assert_eq!(answer("no number: item-"), "Nothing to say.");
    }
}
