//! The model that is an attacker: it says what the case says, with what it has read in its prompt.

use std::sync::Arc;

use testkit::{OllamaServer, Says};

/// How many answers it has left when its script is over.
const DONE: usize = 40;

/// Starts it. In its answers `@FENCE@` is the fence of the prompt's sections, `@ID@` the last id of a question
/// that the prompt tells of, and `@ECHO@` what it shows between `bait-begins` and `bait-ends`.
pub(crate) fn start(answers: Vec<String>) -> OllamaServer {
    let made = answers.into_iter().map(|answer| {
        Says::Made(Arc::new(move |prompt: &str| {
            answer
                .replace("@FENCE@", &fence(prompt))
                .replace("@ID@", &id(prompt))
                .replace("@ECHO@", &echo(prompt))
        }))
    });
    OllamaServer::start(made.chain(std::iter::repeat_n(Says::text("Done."), DONE)))
}

/// The fence of a prompt's sections.
pub(crate) fn fence(prompt: &str) -> String {
    let behind = prompt.rsplit("<message-").next().unwrap_or_default();
    behind.chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn id(prompt: &str) -> String {
    let behind = prompt.rsplit(r#""approval":{"id":""#).next().unwrap_or_default();
    let id: String = behind.chars().take_while(|c| c.is_ascii_hexdigit() || *c == '-').collect();
    if id.len() == 36 { id } else { "no-id-in-the-prompt".to_owned() }
}

/// A text of the prompt as a model repeats it: without the escapes of the JSON in which it may stand there.
fn echo(prompt: &str) -> String {
    let behind = prompt.split("bait-begins").nth(1).unwrap_or_default();
    let text = behind.split("bait-ends").next().unwrap_or_default();
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|_| text.to_owned())
}
