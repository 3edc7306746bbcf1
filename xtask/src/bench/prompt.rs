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
    let prompts = asked(sh, &chat, None)?;
    let steps = steps(&chat, &prompts)?;
    let seeds = self::steps(&chat, &asked(sh, &chat, Some(SEEDS_ORDER))?)?;
    eprint!("{}", side_by_side(&steps, &seeds));
    let kept_by_seed: Vec<f64> = seeds.iter().map(|step| step.kept).collect();
    let of = |value: fn(&Step) -> f64| steps.iter().map(value).collect::<Vec<f64>>();
    let (kept, behind) = (of(|step| step.kept), of(|step| step.behind));
    let lengths: Vec<f64> = prompts.iter().map(|prompt| prompt.len() as f64).collect();
    Ok(vec![
        Figure::new("first prompt for `hello`, bytes / 4", lengths[0] / 4.0, "tokens")
            .at_most(600.0),
        Figure::new("longest prompt of 30 turns", most(&lengths), "B").at_most(8_000.0),
        Figure::new("unchanged beginning from turn to turn, median", median(&kept), "%")
            .at_least(85.0),
        Figure::new("the same in the first SafeClaw's order, median", median(&kept_by_seed), "%"),
        Figure::new("behind it besides the message, median", median(&behind), "B").at_most(1_200.0),
        Figure::new("behind it besides the message, most", most(&behind), "B"),
    ])
}

/// A template in the order of the first SafeClaw: what changes stands before what stays.
const SEEDS_ORDER: &str = "{{SOUL_CONTENT}}\n{{MEMORY_CONTENT}}\n{{ARTIFACT}}\n{{USER_INPUT_HISTORY}}\n\
    {{AGENT_ACTIONS}}\n{{ROUTER_ACTIONS}}\n{{HOW_TO_ANSWER}}\n{{USER_MESSAGE}}\n";

/// The prompts of the whole chat in a fresh home, with a template of one's own.
fn asked(sh: &Shell, chat: &[Exchange<'_>], template: Option<&str>) -> Result<Vec<String>> {
    let home = sh.create_temp_dir()?;
    if let Some(template) = template {
        sh.write_file(home.path().join("workspace/PROMPT.md"), template)?;
    }
    let prompts = talk(sh, chat, home.path())?;
    let expected: usize = chat.iter().map(|exchange| exchange.answers.len()).sum();
    ensure!(prompts.len() == expected, "the model was asked {} times", prompts.len());
    Ok(prompts)
}

/// How much of each turn's prompt is what the last one began with, in our order and in the first SafeClaw's.
fn side_by_side(ours: &[Step], seeds: &[Step]) -> String {
    let mut text = "turn   unchanged   behind it   unchanged in the first one's order\n".to_owned();
    for (place, (our, seed)) in ours.iter().zip(seeds).enumerate() {
        let turn = place + 2;
        let (kept, behind, kept_by_seed) = (our.kept, our.behind, seed.kept);
        text += &format!("{turn:>4}{kept:>10.0} %{behind:>10.0} B{kept_by_seed:>10.0} %\n");
    }
    text
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
    fn both_orders_stand_side_by_side() {
        let step = |kept| Step { kept, behind: 340.0 };
        assert_eq!(
            side_by_side(&[step(91.2)], &[step(12.0)]),
            "turn   unchanged   behind it   unchanged in the first one's order\n   2        91 %       340 B        12 %\n"
        );
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
