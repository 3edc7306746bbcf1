//! `safeclaw work`: one task in one folder, from a shell.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use channel::console::OneMessage;
use clap::Parser;

use super::{Subcommand, chat};

/// Work in one folder: open it for the agent, say TASK, print the answer and end.
///
/// The agent has a bash, a python and an editor there, in a sandbox: the folder is all of this machine that it can write to, and it has no
/// network. The folder is open for this task alone. What is done stands on stderr, and the answer on stdout. It ends with 0 when it
/// was done, with 1 when not, with 3 when something waits for your yes.
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
pub(super) struct Work {
    /// The folder to work in: a project, not your home directory.
    folder: PathBuf,
    /// What to do there.
    #[arg(required = true)]
    task: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  safeclaw work ~/project \"make the tests pass\"
  safeclaw work . \"what does this program do?\" > answer.txt
  safeclaw -p /undo    # put the folder back as it was before the latest task";

impl Subcommand for Work {
    fn run(self, home: Option<&Path>) -> ExitCode {
        match order(&self.folder, &self.task.join(" ")) {
            Ok(order) => chat::say_one(OneMessage::new(order).with_deeds_aside(), home),
            Err(why) => {
                home::say_on_stderr!("error: {why}");
                ExitCode::FAILURE
            }
        }
    }
}

/// What a person would type in a chat. Whoever types a path in a shell means where it leads.
fn order(folder: &Path, task: &str) -> Result<String, String> {
    let shown = folder.display();
    let real = folder.canonicalize().map_err(|error| format!("{shown} can't be used: {error}"))?;
    let is_plain = |path: &&str| !path.chars().any(|c| c == '"' || c.is_control());
    let path = real.to_str().filter(is_plain).ok_or_else(|| {
        format!("{shown} has a name that can't be typed: rename it without quotation marks")
    })?;
    if task.trim().is_empty() {
        return Err(format!("say what to do: {}", home::command("work DIR \"TASK\"")));
    }
    Ok(format!("/work --once \"{path}\" {}", task.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_a_person_would_type() {
        let tmp = Path::new("/usr/bin/..");
        assert_eq!(order(tmp, " go on "), Ok("/work --once \"/usr\" go on".to_owned()));
        assert!(order(Path::new("/no/such"), "x").unwrap_err().contains("can't be used"));
        assert!(order(tmp, " ").unwrap_err().contains("say what to do"));
    }
}
