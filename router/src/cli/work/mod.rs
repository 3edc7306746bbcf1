//! `work`: a workbench in one folder, for a program that speaks one JSON object a line.
//!
//! It is the orchestrator of the 7aigent design: `{"env": "bash", "command": "ls"}` comes in, and
//! `{"response": {"output", "processed", "exit_code"}, "screen": {"bash": {"content"}, ...}}` goes out, one at a time. The first
//! form of that design is read as well (`{"type": "command", "environment", "command"}`). What can't be read is answered
//! `{"type": "error", "message"}`, and the next line is read. The end of stdin ends everything.

mod author;
mod bench;
mod line;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use home::Home;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::cli::error::CommandError;
use crate::sandbox::SelfCommand;
use crate::workbench::set_aside;
use bench::Bench;
use line::Asked;
use snapshot::Watched;

/// The largest line that is read, in bytes.
const LONGEST: u64 = 2 * 1024 * 1024;

/// Open a workbench in a folder, for a program that speaks JSON.
///
/// Bash, python and an editor keep their state in one sandbox. The folder is all of this machine that they can write to, and they have no network. Each line on stdin is a command
/// such as {"env": "bash", "command": "ls"}, and each is answered by one line on stdout. The end of stdin ends it.
#[derive(Debug, Args)]
#[command(after_long_help = super::typed_here(EXAMPLE))]
pub(super) struct Work {
    /// Speak one JSON object a line on stdin and stdout.
    #[arg(long, required = true)]
    stdio: bool,
    /// Let the environments run that lie in the folder's env/ already. What is written at the workbench runs anyway.
    #[arg(long)]
    allow_env: bool,
    /// The folder to work in.
    folder: PathBuf,
}

const EXAMPLE: &str = "\
Example:
  echo '{\"env\":\"bash\",\"command\":\"ls\"}' | start_router work --stdio ~/project";

/// Why there is no workbench.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkError {
    #[error("{0}")]
    Folder(String),
    #[error("this machine can't hold a workbench in: {0}")]
    NoSandbox(String),
    #[error("the workbench can't be prepared: {0}")]
    Unready(#[source] std::io::Error),
    #[error("can't speak on stdin and stdout: {0}")]
    Pipe(#[source] std::io::Error),
}

/// Serves the folder until stdin ends.
pub(super) async fn run(
    home: &Home,
    me: &SelfCommand,
    work: &Work,
) -> Result<ExitCode, CommandError> {
    let folder = folder(home, &work.folder)?;
    let before = Watched::look(&folder);
    let known = snapshot::repositories(&folder).map_err(WorkError::Unready)?;
    let bench = Bench::open(home, me, &folder, work.allow_env).await?;
    serve(bench).await.map_err(WorkError::Pipe)?;
    for told in set_aside(&folder, Some(&known)) {
        home::say_on_stderr!("{told}");
    }
    for path in before.changed(&Watched::look(&folder)) {
        home::say_on_stderr!(
            "look before you use it: {path} is new or changed, and other programs run it by themselves"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder as it may be lent. Whoever types its name means where it leads.
fn folder(home: &Home, given: &Path) -> Result<PathBuf, WorkError> {
    let shown = given.display();
    let real = given.canonicalize();
    let real =
        real.map_err(|error| WorkError::Folder(format!("{shown} can't be used: {error}")))?;
    crate::catalog::folder::usable(&real, true, home.root()).map_err(WorkError::Folder)
}

async fn serve(mut bench: Bench) -> std::io::Result<()> {
    let (mut lines, mut out) = (BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    loop {
        let mut bytes = Vec::new();
        if (&mut lines).take(LONGEST + 1).read_until(b'\n', &mut bytes).await? == 0 {
            return Ok(());
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let is_too_long = bytes.len() as u64 > LONGEST;
        if is_too_long {
            let mut rest = Vec::new();
            while (&mut lines).take(LONGEST).read_until(b'\n', &mut rest).await? > 0
                && rest.last() != Some(&b'\n')
            {
                rest.clear();
            }
        }
        let asked = if is_too_long {
            Err("the line is longer than 2 MB".to_owned())
        } else {
            Asked::read(&bytes)
        };
        let answer = match asked {
            Ok(asked) => bench.command(&asked).await,
            Err(why) => line::error(&format!("Parse error: {why}")),
        };
        out.write_all(format!("{answer}\n").as_bytes()).await?;
        out.flush().await?;
    }
}
