//! The command line of `safeclaw`: a chat, or one of the subcommands, each in a file of its own here.

mod agent;
mod backup;
mod chat;
mod completions;
mod doctor;
mod import;
mod init;
mod manual;
mod restore;
mod resume;
mod rollback;
mod router;
mod stop;
mod storm;
mod trace;
mod unit;
mod unknown;
mod upgrade;
mod work;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use home::Home;

use chat::Chat;
pub(crate) use router::PREFIX as ROUTER_PREFIX;

/// All subcommands, in the order of `--help`. Another one is a file here and a line in this list.
const ALL: &[Entry] = &[
    Entry::of::<Chat>("chat"),
    Entry::of::<work::Work>("work"),
    Entry::of::<init::Init>("init"),
    Entry { name: "agent", command: ::agent::cli::command, run: agent::run },
    Entry { name: "storm", command: ::agent::cli::storm_command, run: storm::run },
    Entry { name: "router", command: ::router::cli::command, run: router::run },
    Entry::of::<unit::Service>(SERVICE),
    Entry::of::<doctor::Doctor>("doctor"),
    Entry::of::<trace::Trace>("trace"),
    Entry::of::<backup::Backup>("backup"),
    Entry::of::<restore::Restore>("restore"),
    Entry::of::<import::Import>("import"),
    Entry::of::<upgrade::Upgrade>("upgrade"),
    Entry::of::<rollback::Rollback>("rollback"),
    Entry::of::<stop::Stop>("stop"),
    Entry::of::<resume::Resume>("resume"),
    Entry::of::<completions::Completions>("completions"),
    Entry::of::<manual::Manual>("manual"),
];

/// The option `--home`, which stands before a subcommand or behind it.
const HOME: &str = "home";

/// The subcommand that installs units.
const SERVICE: &str = "service";

/// The option `--prompt`.
const PROMPT: &str = "prompt";

/// A personal AI agent behind a wall: the model may only ask, and the router decides.
///
/// Without a command it opens a chat. The router runs beside it as a process of its own; no Redis is needed,
/// and without a model it understands sentences like the examples that /actions shows.
#[derive(Debug, Parser)]
#[command(name = "safeclaw", version, allow_external_subcommands = true, after_help = FIRST_STEPS)]
struct Safeclaw {
    /// Where .env, workspace/, agent/ and router/ live [default: here if they are here, else the user's
    /// data folder].
    #[arg(long, global = true, value_name = "DIR", env = "SAFECLAW_HOME", hide_env_values = true)]
    home: Option<OsString>,

    /// Say TEXT, print the answer and end: with 0 when it was done, with 1 when not, with 3 when something waits
    /// for your yes. So does one argument with a blank in it: safeclaw "what is new".
    #[arg(short = 'p', long = "prompt", value_name = "TEXT")]
    prompt: Option<String>,
}

/// What a newcomer does first.
const FIRST_STEPS: &str = "\
First steps:
  safeclaw                        # a chat; /help says what there is
  safeclaw init                   # set it up: model, Telegram, page, what needs your yes
  safeclaw work DIR TASK          # have a task done in one folder; -p /undo takes it back
  safeclaw storm --help           # several minds around one question
  safeclaw router new-skill NAME  # write a skill
  safeclaw stop                   # stop everything at once; resume lets it go on";

/// A subcommand.
trait Subcommand: CommandFactory + FromArgMatches {
    /// Does it, in the home that the command line names, if it names one.
    fn run(self, home: Option<&Path>) -> ExitCode;
}

/// A subcommand as the command line knows it.
struct Entry {
    name: &'static str,
    command: fn() -> clap::Command,
    run: fn(&ArgMatches) -> ExitCode,
}

impl Entry {
    const fn of<S: Subcommand>(name: &'static str) -> Self {
        Self { name, command: S::command, run: run_one::<S> }
    }
}

fn run_one<S: Subcommand>(matches: &ArgMatches) -> ExitCode {
    let subcommand = S::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    subcommand.run(home_of(matches))
}

/// Prints what came of a command, or why it came to nothing.
fn say(outcome: Result<String, String>) -> ExitCode {
    match outcome {
        Ok(told) => {
            home::say!("{told}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            home::say_on_stderr!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Where the home is, if that was said before the subcommand or behind it.
fn home_of(matches: &ArgMatches) -> Option<&Path> {
    matches.get_one::<OsString>(HOME).map(Path::new)
}

/// The whole command line, for its help and for a test that walks through it.
fn command() -> clap::Command {
    ALL.iter().fold(Safeclaw::command(), |whole, entry| {
        whole.subcommand((entry.command)().name(entry.name))
    })
}

/// Does what `args` ask for; the first is the program.
pub(crate) fn run(args: Vec<OsString>) -> ExitCode {
    let matches = command().get_matches_from(args);
    let home = home_of(&matches);
    // Only root installs a unit of the system, which gives the home to its user.
    let is_roots = matches.subcommand_name() == Some(SERVICE);
    if !is_roots && let Err(error) = Home::as_owner(home) {
        return say(Err(error.to_string()));
    }
    match matches.subcommand() {
        None => match matches.get_one::<String>(PROMPT) {
            Some(text) => chat::say(text.clone(), home),
            None => Chat::default().run(home),
        },
        Some((text, rest)) if text.trim().contains(char::is_whitespace) && is_alone(rest) => {
            chat::say(text.to_owned(), home)
        }
        Some((name, rest)) => match ALL.iter().find(|entry| entry.name == name) {
            Some(entry) => (entry.run)(rest),
            None => unknown::refuse(name, ALL.iter().map(|entry| entry.name)),
        },
    }
}

/// Whether nothing stands behind a word that is no subcommand; the home, which is known everywhere, does not count.
fn is_alone(rest: &ArgMatches) -> bool {
    let more = rest.try_get_many::<OsString>("").ok().flatten();
    more.is_none_or(|more| more.len() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn the_home_stands_anywhere() {
        let matches = |args: &str| {
            command().get_matches_from(std::iter::once("safeclaw").chain(args.split(' ')))
        };
        for args in [
            "--home h router audit verify",
            "router --home h audit verify",
            "router audit verify --home h",
            "--home h agent config llm",
            "agent config llm --home h",
            "stop --home h",
            "--home h stop",
        ] {
            let matches = matches(args);
            let (_, rest) = matches.subcommand().unwrap();
            assert_eq!(home_of(rest), Some(Path::new("h")), "{args}");
            assert_eq!(home_of(&matches), Some(Path::new("h")), "{args}");
        }
        assert_eq!(home_of(&matches("--home h")), Some(Path::new("h")));
    }

    #[test]
    fn each_subcommand_says_what_it_does() {
        for subcommand in command().get_subcommands() {
            assert!(subcommand.get_about().is_some(), "{}", subcommand.get_name());
        }
    }
}
