//! What the model has to read in an ordinary chat: how long its prompt is, and how much of it is what it
//! has just read, which every model server keeps.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, ensure};
use xshell::Shell;

use super::Figure;
use super::figure::{median, most};
use super::ollama::{self, Exchange};
use super::program::Program;

/// Ordinary messages with the answers of a scripted model; the first one is `hello`.
const CHAT: &str = include_str!("chat.txt");

/// Chats in a fresh home and looks at every prompt.
///
/// # Errors
/// When something does not run.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let lines: Vec<&str> = CHAT.lines().filter(|line| !line.is_empty()).collect();
    let chat = exchanges(&lines);
    let home = sh.create_temp_dir()?;
    let prompts = talk(sh, &chat, home.path())?;
    let expected = chat.iter().map(|exchange| exchange.answers.len()).sum();
    ensure!(prompts.len() == expected, "the model was asked {} times", prompts.len());
    let steps = steps(&chat, &prompts)?;
    let of = |value: fn(&Step) -> f64| steps.iter().map(value).collect::<Vec<f64>>();
    let (kept, behind) = (of(|step| step.kept), of(|step| step.behind));
    let lengths: Vec<f64> = prompts.iter().map(|prompt| prompt.len() as f64).collect();
    Ok(vec![
        Figure::new("first prompt for `hello`, bytes / 4", lengths[0] / 4.0, "tokens")
            .at_most(600.0),
        Figure::new("longest prompt of 30 turns", most(&lengths), "B").at_most(8_000.0),
        Figure::new("unchanged beginning from turn to turn, median", median(&kept), "%")
            .at_least(85.0),
        Figure::new("behind it besides the message, median", median(&behind), "B").at_most(1_200.0),
        Figure::new("behind it besides the message, most", most(&behind), "B"),
    ])
}

/// A line `> message`, and each line behind it one answer.
fn exchanges<'a>(lines: &'a [&'a str]) -> Vec<Exchange<'a>> {
    let begins = |line: &&str| line.starts_with("> ");
    let starts = (0..lines.len()).filter(|&place| begins(&lines[place]));
    let exchange = |start: usize| {
        let rest = &lines[start + 1..];
        let count = rest.iter().position(begins).unwrap_or(rest.len());
        Exchange { message: lines[start].trim_start_matches("> "), answers: &rest[..count] }
    };
    starts.map(exchange).collect()
}

/// Says everything in its turn and gives every prompt that the model was asked with.
fn talk(sh: &Shell, chat: &[Exchange<'_>], home: &Path) -> Result<Vec<String>> {
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let (seen, file) = (Arc::clone(&prompts), home.join("workspace/output/prompt_cache.txt"));
    let answers = chat.iter().flat_map(|exchange| exchange.answers).copied();
    let address = ollama::serve(answers, move || keep(&seen, &file))?;
    let mut program = Program::safeclaw(sh, &[], home, &address)?;
    for exchange in chat {
        program.say(exchange.message)?;
    }
    program.end()?;
    Ok(std::mem::take(&mut *prompts.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// The agent leaves each prompt in a file before it asks the model.
fn keep(prompts: &Mutex<Vec<String>>, file: &Path) {
    let prompt = std::fs::read_to_string(file).unwrap_or_default();
    prompts.lock().unwrap_or_else(PoisonError::into_inner).push(prompt);
}

/// From one turn's last prompt to the next turn's first one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    /// How much of the new prompt is the beginning of the old one, in percent.
    kept: f64,
    /// What stands behind that beginning besides the new message, in bytes.
    behind: f64,
}

fn steps(chat: &[Exchange<'_>], prompts: &[String]) -> Result<Vec<Step>> {
    let mut first = 0;
    let mut steps = Vec::new();
    for exchange in chat {
        let prompt = &prompts[first];
        ensure!(prompt.contains(exchange.message), "{:?} is in no prompt", exchange.message);
        if let Some(before) = first.checked_sub(1) {
            let same = shared_beginning(&prompts[before], prompt);
            steps.push(Step {
                kept: 100.0 * same as f64 / prompt.len() as f64,
                behind: (prompt.len() - same) as f64 - exchange.message.len() as f64,
            });
        }
        first += exchange.answers.len();
    }
    Ok(steps)
}

fn shared_beginning(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chat_has_thirty_messages_that_are_all_answered() {
        let lines: Vec<&str> = CHAT.lines().filter(|line| !line.is_empty()).collect();
        let chat = exchanges(&lines);
        assert_eq!((chat.len(), chat[0].message), (30, "hello"));
        assert!(chat.iter().all(|exchange| !exchange.answers.is_empty()));
    }

    #[test]
    fn a_step_goes_from_the_last_prompt_to_the_next_message() {
        let chat = [
            Exchange { message: "a", answers: &["act", "words"] },
            Exchange { message: "bb", answers: &["words"] },
        ];
        let mut prompts = ["rules: a", "rules: a acted", "rules: a.. bb"].map(str::to_owned);
        let same = "rules: a".len() as f64;
        let expected = Step { kept: 100.0 * same / 13.0, behind: 13.0 - same - 2.0 };
        assert_eq!(steps(&chat, &prompts).unwrap(), [expected]);
        prompts[2].clear();
        assert!(steps(&chat, &prompts).is_err(), "a prompt without its message counts for nothing");
    }
}
