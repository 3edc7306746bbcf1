//! How long it takes until the programs can be used, in a home that exists and has no skills.

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

/// Starts both again and again, in turn, so that what else the machine does meets both alike.
///
/// # Errors
/// When one does not start.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let home = sh.create_temp_dir()?;
    sh.create_dir(home.path().join("router/skills"))?;
    // The first start writes the defaults.
    chat(sh, home.path())?;
    let (mut chats, mut routers) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        chats.push(chat(sh, home.path())?);
        routers.push(router(sh, home.path())?);
    }
    Ok(vec![
        Figure::new("safeclaw, to its three lines and an answer", median(&chats), "ms")
            .at_most(20.0),
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

/// From the start of the router until it has said what it can run.
fn router(sh: &Shell, home: &Path) -> Result<f64> {
    let start = Instant::now();
    let mut program = Program::safeclaw(sh, &["router", "--pipe"], home, NO_MODEL)?;
    program.heard("{\"catalog\":")?;
    let took = milliseconds(start.elapsed());
    program.end()?;
    Ok(took)
}
