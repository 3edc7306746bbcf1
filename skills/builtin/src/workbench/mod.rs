//! A workbench: a bash, a python, an editor and whatever environments the project brings, in one folder of the owner's.
//!
//! One process serves one conversation and keeps the state of all environments. Each command is answered with what it
//! printed, and with the screen as it is after it: one panel for each environment, at most 50 lines. The names, the
//! numbers and the words that a model reads are those of the 7aigent design.

mod adhoc;
mod bash;
mod child;
mod editor;
mod environments;
mod output;
mod project;
mod python;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use safeclaw_skill::{Call, SkillError, serve_calls};
use serde::{Deserialize, Serialize};

use environments::Environments;

/// How long a command may take when it does not say.
const USUAL: u64 = 120;

/// The longest that one may ask for: the router ends a call after 10 minutes.
const LONGEST: u64 = 570;

/// What it is called with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// The environment; without one the action's own.
    env: Option<String>,
    /// What it is to do.
    command: String,
    /// How long that may take, in seconds.
    seconds: Option<u64>,
}

/// What a command gave.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    output: String,
    /// Whether the environment took it: that is not whether it succeeded.
    processed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    screen: BTreeMap<String, Panel>,
}

/// One environment's part of the screen.
#[derive(Debug, Serialize)]
struct Panel {
    content: String,
}

/// What an environment makes of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reply {
    output: String,
    processed: bool,
    exit_code: Option<i32>,
    /// It could not be taken, because too many processes run.
    crowded: bool,
}

impl Reply {
    /// It was taken, and gave `output`.
    fn of(output: impl Into<String>) -> Self {
        Self { output: output.into(), processed: true, exit_code: None, crowded: false }
    }

    /// It could not be taken.
    fn refused(why: impl Into<String>) -> Self {
        Self { output: why.into(), processed: false, exit_code: None, crowded: false }
    }

    /// It could not be taken, because `program` can't be started.
    fn not_started(program: &str, error: &std::io::Error) -> Self {
        let crowded = error.kind() == std::io::ErrorKind::WouldBlock;
        Self { crowded, ..Self::refused(format!("{program} can't be started: {error}")) }
    }
}

/// Something that takes commands and keeps its state.
trait Environment {
    /// Does `command`, for at most `limit`.
    fn command(&mut self, command: &str, limit: Duration) -> Reply;

    /// How things stand now.
    fn screen(&mut self) -> String;
}

/// Is the workbench until standard input ends.
pub(crate) fn serve() -> ExitCode {
    let mut open: Option<Environments> = None;
    serve_calls(move |params: Params, call: &Call| {
        let mut environments = match open.take() {
            Some(environments) => environments,
            None => opened(call)?,
        };
        let answer = answer(&mut environments, params, call.action());
        open = Some(environments);
        Ok(answer)
    })
}

fn opened(call: &Call) -> Result<Environments, SkillError> {
    // SHA-256 sums with blanks between them.
    let allowed: String = call.setting("allowed_environments")?;
    let allowed: Vec<_> = allowed.split_whitespace().map(str::to_owned).collect();
    Ok(Environments::at(call.folder("workspace")?, &allowed))
}

fn answer(environments: &mut Environments, params: Params, action: &str) -> Answer {
    let named = params.env.unwrap_or_else(|| action.to_ascii_lowercase());
    let (command, is_together) = drive::is_together(&params.command);
    if !is_together {
        environments.note_seen();
    }
    let limit = Duration::from_secs(params.seconds.unwrap_or(USUAL).clamp(1, LONGEST));
    let Reply { output, processed, exit_code, .. } = environments.command(&named, command, limit);
    let screen = environments.screen().into_iter();
    let screen = screen.map(|(name, content)| (name, Panel { content })).collect();
    Answer { output: output::cut(&output), processed, exit_code, screen }
}
