//! `safeclaw trace`: everything that is known of one message, from the channel to the skill and back.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use home::Home;
use protocol::Trace as Id;
use trail::TrailLine;

use super::Subcommand;

const MORE_HELP: &str = "\
Each message has an id: the time at which it came, as hexadecimal digits. It stands in every line of the agent's log that \
belongs to the message, on the queue, in the router's log, in the rows of the audit, and in the skills' logs. Without an id \
this lists the latest messages.

The logs hold about 2 MB each, so what is older is in the audit alone. A router that runs apart logs to stderr, which the \
journal of systemd keeps; \"service logs\" shows it.

  safeclaw trace
  safeclaw trace 19ab3f2c1d4";

/// How many messages are listed.
const LATEST: usize = 20;

/// Show what became of one message: in the agent, the router, the audit and the skills.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Trace {
    /// The message's id; without one the latest messages are listed.
    #[arg(value_name = "ID")]
    id: Option<Id>,
}

impl Subcommand for Trace {
    fn run(self, home: Option<&Path>) -> ExitCode {
        let home = Home::locate(home).map_err(|error| error.to_string());
        super::say(home.and_then(|home| match self.id {
            Some(id) => told(&home, id),
            None => listed(&home),
        }))
    }
}

fn told(home: &Home, id: Id) -> Result<String, String> {
    let mut lines = trail::of(home, id).map_err(|error| format!("a log can't be read: {error}"))?;
    let rows = router::audit_rows_of(home, id).map_err(|error| error.to_string())?;
    let row = |(at, text)| TrailLine { at, from: "audit".to_owned(), text };
    lines.extend(rows.into_iter().map(row));
    lines.sort_by_key(|line| line.at);
    if lines.is_empty() {
        let all = home::command("trace");
        return Err(format!(
            "nothing is known of a message {id} in {}: `{all}` lists the latest ones",
            home.root().display()
        ));
    }
    Ok(lines.iter().map(shown).collect::<String>().trim_end().to_owned())
}

fn listed(home: &Home) -> Result<String, String> {
    let latest =
        trail::latest(home, LATEST).map_err(|error| format!("the log can't be read: {error}"))?;
    if latest.is_empty() {
        return Err(format!("the log of {} knows no message yet", home.root().display()));
    }
    let mut text = String::new();
    for (at, id) in latest {
        // Writing to a String can't fail.
        let _ = writeln!(text, "{}  {id}", time(at));
    }
    let one = home::command("trace ID");
    Ok(format!("{text}`{one}` shows what became of one of them"))
}

/// The line with its time and its place, further lines below.
fn shown(line: &TrailLine) -> String {
    let clean = |text: &str| text.chars().filter(|c| !c.is_control()).collect::<String>();
    let mut lines = line.text.lines().map(clean);
    let first = lines.next().unwrap_or_default();
    let mut text = format!("{}  {:<12}  {first}\n", time(line.at), line.from);
    for more in lines {
        let _ = writeln!(text, "{:<40}{more}", "");
    }
    text
}

/// A time in UTC.
fn time(at: u64) -> String {
    let at = i64::try_from(at).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    at.map_or_else(String::new, |at| at.strftime("%Y-%m-%d %H:%M:%S%.3fZ").to_string())
}
