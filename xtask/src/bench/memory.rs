//! What the processes hold while nobody says anything: the proportional set size of `smaps_rollup`, in
//! which a page that several processes map counts for each of them in part.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use xshell::Shell;

use super::Figure;
use super::figure::median;
use super::ollama::{self, Exchange};
use super::program::Program;

const RUNS: usize = 5;

/// A program that has nothing to do for this long has settled.
const IDLE: Duration = Duration::from_millis(1_500);

/// A turn with everything in it: the model's stream, the queue, the sandbox, and words.
const TURN: Exchange<'_> = Exchange {
    message: "Post 'Hello World' to X.",
    answers: [
        r#"<tool_code>[{\"name\": \"CREATE_POST\", \"params\": {\"platform\": \"X\", \"text\": \"Hello World\"}}]</tool_code>"#,
        "Nothing was sent, because no token is set.",
    ]
    .as_slice(),
};

/// The figures of one run, in MB: agent, router and all processes after the start, and the same after a turn.
type Run = [f64; 6];

/// Looks at fresh homes with the first-party skills.
///
/// # Errors
/// When something does not run.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let runs: Vec<Run> = (0..RUNS).map(|_| once(sh)).collect::<Result<_>>()?;
    let figure = |what: &str, place: usize, most: f64| {
        let values: Vec<f64> = runs.iter().map(|run| run[place]).collect();
        Figure::new(what, median(&values), "MB").at_most(most)
    };
    Ok(vec![
        figure("agent, after the start", 0, 12.0),
        figure("router, after the start", 1, 7.0),
        figure("all of safeclaw's processes, after the start", 2, 20.0),
        figure("agent, after a turn with an action", 3, 12.0),
        figure("router, after a turn with an action", 4, 7.0),
        figure("all processes, after a turn with an action", 5, 20.0),
    ])
}

fn once(sh: &Shell) -> Result<Run> {
    let home = sh.create_temp_dir()?;
    let address = ollama::serve(TURN.answers.iter().copied(), || {})?;
    let mut agent = Program::safeclaw(sh, &[], home.path(), &address)?;
    agent.noticed("skills:")?;
    std::thread::sleep(IDLE);
    // Between the two stands the process that starts routers.
    let router = child(child(agent.id())?)?;
    let idle = [held(agent.id())?, held(router)?, all(agent.id())?];
    agent.say(TURN.message)?;
    agent.heard("dry run CREATE_POST:")?;
    agent.heard(TURN.answers[1])?;
    std::thread::sleep(IDLE);
    let used = [held(agent.id())?, held(router)?, all(agent.id())?];
    agent.end()?;
    Ok([idle[0], idle[1], idle[2], used[0], used[1], used[2]])
}

/// The one process that process `id` has started.
fn child(id: u32) -> Result<u32> {
    match children(id)?[..] {
        [child] => Ok(child),
        ref children => bail!("{id} should have one child, not {children:?}"),
    }
}

/// The processes that process `id` has started.
fn children(id: u32) -> Result<Vec<u32>> {
    let mut children = String::new();
    for thread in fs::read_dir(format!("/proc/{id}/task"))? {
        children += &fs::read_to_string(thread?.path().join("children"))?;
    }
    children.split_whitespace().map(|child| Ok(child.parse()?)).collect()
}

/// What process `id` and all that come from it hold, sandboxes that stand ready included, in MB.
pub(super) fn all(id: u32) -> Result<f64> {
    let of_children: Vec<f64> = children(id)?.into_iter().map(all).collect::<Result<_>>()?;
    Ok(held(id)? + of_children.iter().sum::<f64>())
}

/// What process `id` holds, in MB (10^6 bytes).
fn held(id: u32) -> Result<f64> {
    let rollup = fs::read_to_string(format!("/proc/{id}/smaps_rollup"))?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")).context("no Pss line")?;
    Ok(kib.parse::<f64>()? * 1_024.0 / 1e6)
}
