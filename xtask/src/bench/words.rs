//! How long the first words of an answer take from the model's server to the console.

use std::sync::mpsc;
use std::time::Instant;

use anyhow::Result;
use xshell::Shell;

use super::Figure;
use super::figure::{median, milliseconds};
use super::ollama;
use super::program::Program;

const TURNS: usize = 41;

/// The first line is shown once the second has begun; before that it may turn out to be the beginning of
/// something else.
const ANSWER: &str = r"Quite well, thank you.\nAnd you?";

/// Chats, and takes the time from each answer's first byte on the server to its first line on stdout.
///
/// # Errors
/// When something does not run.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let home = sh.create_temp_dir()?;
    sh.create_dir(home.path().join("router/skills"))?;
    let (sender, sent) = mpsc::channel();
    // Nobody who has stopped listening wants to know the time.
    let asked = move || {
        let _ = sender.send(Instant::now());
    };
    let address = ollama::serve(std::iter::repeat_n(ANSWER, TURNS), asked)?;
    let mut program = Program::safeclaw(sh, &[], home.path(), &address)?;
    let mut took = Vec::with_capacity(TURNS);
    for _ in 0..TURNS {
        program.say("How are you?")?;
        program.heard("Quite well")?;
        let heard = Instant::now();
        took.push(milliseconds(heard.duration_since(sent.recv()?)));
    }
    program.end()?;
    Ok(vec![
        Figure::new("first words, from the server to stdout", median(&took), "ms").at_most(5.0),
    ])
}
