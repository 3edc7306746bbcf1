//! What the workbench costs beside a bare bash: `safeclaw router work --stdio`, one command a line.
#![expect(clippy::disallowed_types, reason = "what is measured is a process")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use xshell::Shell;

use super::Figure;
use super::figure::{median, milliseconds};
use super::memory;
use super::program::Program;

const RUNS: usize = 15;

/// How many commands are timed at each workbench.
const COMMANDS: usize = 40;

/// Nobody listens at port 9 of this machine, and the workbench asks no model.
const NO_MODEL: &str = "127.0.0.1:9";

/// A workbench that has nothing to do for this long has settled.
const IDLE: Duration = Duration::from_millis(1_500);

/// Opens the workbench again and again, in turn with bash.
///
/// # Errors
/// When one does not start or does not answer.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let (home, project) = (sh.create_temp_dir()?, sh.create_temp_dir()?);
    let folder = project.path().to_str().context("a folder whose name is no UTF-8")?;
    let args = ["router", "work", "--stdio", folder];
    // The first start writes the defaults.
    opened(sh, &args, home.path())?.1.end()?;
    let (mut starts, mut ours, mut bare, mut held) = (vec![], vec![], vec![], vec![]);
    for _ in 0..RUNS {
        let (start, mut bench) = opened(sh, &args, home.path())?;
        starts.push(start);
        for _ in 0..COMMANDS {
            ours.push(answered(&mut bench)?);
        }
        bare.extend(bash()?);
        std::thread::sleep(IDLE);
        held.push(memory::all(bench.id())?);
        bench.end()?;
    }
    let (ours, bare) = (median(&ours), median(&bare));
    Ok(vec![
        Figure::new("from the start to the first answer of its bash", median(&starts), "ms")
            .at_most(60.0),
        Figure::new("one `true`, more than a bare bash takes", ours - bare, "ms").at_most(5.0),
        Figure::new("for comparison: one `true` of a bare bash", bare, "ms"),
        Figure::new("all of its processes, idle", median(&held), "MB").at_most(25.0),
    ])
}

/// A workbench whose bash has answered once, and how long that took from the start, in milliseconds.
fn opened(sh: &Shell, args: &[&str], home: &Path) -> Result<(f64, Program)> {
    let start = Instant::now();
    let mut bench = Program::safeclaw(sh, args, home, NO_MODEL)?;
    answered(&mut bench)?;
    Ok((milliseconds(start.elapsed()), bench))
}

/// How long one command takes, in milliseconds.
fn answered(bench: &mut Program) -> Result<f64> {
    let start = Instant::now();
    bench.say(r#"{"env":"bash","command":"true"}"#)?;
    bench.heard(r#"{"response":"#)?;
    Ok(milliseconds(start.elapsed()))
}

/// How long the same command takes in a bash whose pipe says when it is done, each time, in milliseconds.
fn bash() -> Result<Vec<f64>> {
    let mut bash = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = bash.stdin.take().context("no stdin")?;
    let mut stdout = BufReader::new(bash.stdout.take().context("no stdout")?);
    let mut times = Vec::new();
    for _ in 0..COMMANDS {
        let start = Instant::now();
        stdin.write_all(b"true; echo $?\n")?;
        stdout.read_line(&mut String::new())?;
        times.push(milliseconds(start.elapsed()));
    }
    drop(stdin);
    bash.wait()?;
    Ok(times)
}
