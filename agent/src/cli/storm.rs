//! `safeclaw storm`: several minds around one question, on the command line.

mod desk;
mod screen;

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use confine::{UnixSockets, confine_with};
use home::{Home, file};
use mind::storm::{FOLDER, PERSONAS, Shelf, StormError, TOKENS};
use model::Endpoints;
use settings::Settings;

use desk::Desk;

use crate::error::StartError;
use crate::log;

/// Let several minds talk about one question, and keep what they say in Markdown files.
///
/// Each storm is a folder with its agents (Agents/*.md), its premise and its log, as AIStorm has them; edit them
/// with whatever you like. Agents speak in the order of their files' names, and you speak whenever you like.
#[derive(Debug, Parser)]
#[command(name = "storm", after_help = EXAMPLES)]
struct Args {
    /// The folder of the storms [default: AIStormSessions in the workspace].
    #[arg(long, global = true, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Example:
  safeclaw storm new weekend --premise \"What could two people build in a weekend?\"
  safeclaw storm start weekend            # each agent speaks once
  safeclaw storm say weekend It rains.    # your word, in between
  safeclaw storm next weekend 5           # the next five speakers
  safeclaw storm export weekend html > weekend.html";

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a storm: its folder with agents, premise and an empty log.
    ///
    /// The agents are copies of your personas (workspace/personas/*.md). Without any, three are written to begin
    /// with, which your model thinks for.
    New {
        /// How it is called: one file name.
        name: String,
        /// What it is about; `-` reads it from the standard input.
        #[arg(long, value_name = "TEXT")]
        premise: String,
        /// Which personas take part [default: all].
        #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
        agents: Vec<String>,
    },
    /// Let each agent speak once.
    Start {
        /// Which storm.
        name: String,
        #[command(flatten)]
        budget: Budget,
    },
    /// Let the next agents speak.
    Next {
        /// Which storm.
        name: String,
        /// How many of them.
        #[arg(default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
        count: u32,
        #[command(flatten)]
        budget: Budget,
    },
    /// Let all agents speak in turn, for several rounds.
    Auto {
        /// Which storm.
        name: String,
        /// How many rounds.
        #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
        rounds: u32,
        #[command(flatten)]
        budget: Budget,
    },
    /// Say something yourself; that moves no turn.
    Say {
        /// Which storm.
        name: String,
        /// What you say; `-` reads it from the standard input.
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Stop a storm that goes on in another window, after the present speaker.
    Stop {
        /// Which storm.
        name: String,
    },
    /// List the storms, and who is next in each.
    List,
    /// Print a storm as Markdown, as a page of HTML, or as a line of JSON for each message.
    Export {
        /// Which storm.
        name: String,
        /// In which form.
        format: Format,
    },
}

#[derive(Debug, Clone, Copy, clap::Args)]
struct Budget {
    /// How many tokens its agents may take in all, those of earlier runs included.
    #[arg(long, default_value_t = TOKENS, value_name = "COUNT")]
    tokens: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Md,
    Html,
    Jsonl,
}

impl From<Format> for storm::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Md => Self::Markdown,
            Format::Html => Self::Html,
            Format::Jsonl => Self::JsonLines,
        }
    }
}

/// The command line of storms, to be a part of a larger one.
#[must_use]
pub fn storm_command() -> clap::Command {
    Args::command()
}

/// Does what `matches` of [`storm_command`] ask for, in the home that was named, if one was.
#[must_use]
pub fn storm(matches: &ArgMatches, home: Option<&Path>) -> ExitCode {
    let args = Args::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    super::finish(run(args, home))
}

fn run(args: Args, home: Option<&Path>) -> Result<(), StartError> {
    let home = Home::find(home)?;
    let _warnings_on_stderr = log::start(&home);
    let settings = Settings::read(&home)?;
    let folder = folder(args.dir, &home)?;
    let given = match &args.command {
        Command::New { premise, .. } => read(premise)?,
        Command::Say { text, .. } => read(&text.join(" "))?,
        _ => String::new(),
    };
    // The last step of one thread, as for a chat.
    let _ = confine_with(&home, UnixSockets::Refused, std::slice::from_ref(&folder));
    let maker = settings.maker(Arc::new(Endpoints::at(&home.workspace())));
    let desk = Desk { shelf: Shelf::at(folder), personas: home.workspace().join(PERSONAS), maker };
    Ok(desk.run(args.command, &given)?)
}

/// The folder of the storms; it is there afterwards. One that the owner names joins what the agent may touch for
/// this run, so it may not hold what the agent may not touch.
fn folder(given: Option<PathBuf>, home: &Home) -> Result<PathBuf, StartError> {
    let folder = given.unwrap_or_else(|| home.workspace().join(FOLDER));
    file::make_folder(&folder)?;
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (folder, router) = (whole(&folder), whole(&home.router()));
    if router.starts_with(&folder) || folder.starts_with(&router) {
        let why = "the router's files are below it or above it; name a folder of their own";
        return Err(StormError::folder(folder, why).into());
    }
    Ok(folder)
}

/// What was given, or the standard input for `-`.
fn read(given: &str) -> io::Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    // One byte more than anybody may say is enough to refuse it.
    io::stdin().take(512 * 1024).read_to_string(&mut text)?;
    Ok(text)
}
