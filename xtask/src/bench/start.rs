//! How long it takes until the programs can be used, in a home that exists and has no skills, and until what a person says
//! first is answered, in one that has the first-party skills.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use xshell::Shell;

use super::Figure;
use super::figure::{median, milliseconds};
use super::program::Program;

const RUNS: usize = 61;

/// Nobody listens at port 9 of this machine; a start must not depend on the model anyway.
const NO_MODEL: &str = "127.0.0.1:9";

/// What a person says first, and the beginning of the line that answers it: of the agent alone, and of a skill in its sandbox.
const SENTENCE: [&str; 2] = ["Remember my name is Frankie.", "ok I'll remember"];
const SKILL: [&str; 2] = ["Post 'Hello World' to X.", "dry run CREATE_POST:"];

/// Starts both again and again, in turn, so that what else the machine does meets both alike.
///
/// # Errors
/// When one does not start.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let home = sh.create_temp_dir()?;
    sh.create_dir(home.path().join("router/skills"))?;
    // The first start writes the defaults.
    chat(sh, home.path())?;
    let whole = sh.create_temp_dir()?;
    answered(sh, whole.path(), SKILL)?;
    let (mut chats, mut routers) = (Vec::new(), Vec::new());
    let (mut sentences, mut skills) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        chats.push(chat(sh, home.path())?);
        routers.push(router(sh, home.path())?);
        sentences.push(answered(sh, whole.path(), SENTENCE)?);
        skills.push(answered(sh, whole.path(), SKILL)?);
    }
    Ok(vec![
        Figure::new("safeclaw, to its three lines and an answer", median(&chats), "ms")
            .at_most(20.0),
        Figure::new("safeclaw, to a first sentence answered, offline", median(&sentences), "ms")
            .at_most(100.0),
        Figure::new("safeclaw, to a first skill that has run, offline", median(&skills), "ms")
            .at_most(150.0),
        Figure::new("router, to its catalogue", median(&routers), "ms").at_most(15.0),
    ])
}

/// From the start of `safeclaw` until its three lines stand there and a command is answered.
fn chat(sh: &Shell, home: &Path) -> Result<f64> {
    let start = Instant::now();
    let mut program = Program::safeclaw(sh, &[], home, NO_MODEL)?;
    program.say("/status")?;
    program.noticed("skills:")?;
    program.heard("model:")?;
    let took = milliseconds(start.elapsed());
    program.end()?;
    Ok(took)
}

/// From the start of `safeclaw`, in a home with the first-party skills, until what is said has been answered.
fn answered(sh: &Shell, home: &Path, [said, answer]: [&str; 2]) -> Result<f64> {
    let start = Instant::now();
    let mut program = Program::safeclaw(sh, &[], home, NO_MODEL)?;
    program.say(said)?;
    program.heard(answer)?;
    let took = milliseconds(start.elapsed());
    program.end()?;
    Ok(took)
}

/// From the start of the router until it has said what it can run.
fn router(sh: &Shell, home: &Path) -> Result<f64> {
    let start = Instant::now();
    let mut program = Program::safeclaw(sh, &["router", "--pipe"], home, NO_MODEL)?;
    program.heard("{\"catalog\":")?;
    let took = milliseconds(start.elapsed());
    program.end()?;
    Ok(took)
}
