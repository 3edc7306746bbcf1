//! The agent's command line, the same for `start_agent ...` and `safeclaw agent ...`.

mod configure;
mod pulls;
mod storm;
mod waits;
mod web;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use broker::redis::RedisRequester;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use confine::{UnixSockets, confine};
use conversation::workspace;
use home::{Home, Lock};
use settings::{Asker as _, KEYS, Settings, Terminal};

pub use configure::{carry_telegram, choose_model, configure};
pub use storm::{storm, storm_command};
use web::{Web, web};

use crate::error::StartError;
use crate::start::Known;
use crate::{log, start};

/// The mind of SafeClaw: talks with you, asks the model, and asks the router to act.
///
/// Without a command it opens a chat and reaches its router over the Redis at REDIS_URL. `safeclaw` does
/// the same on one machine without a Redis.
#[derive(Debug, Parser)]
#[command(name = "start_agent", version)]
struct Args {
    /// Where .env, workspace/, agent/ and router/ live [default: here if they are here, else the user's
    /// data folder].
    #[arg(long, global = true, value_name = "DIR", env = "SAFECLAW_HOME", hide_env_values = true)]
    home: Option<OsString>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Forget what was said and done: removes the artifact, the history, the caches and the log, and keeps
    /// the memory.
    Clear {
        /// Don't ask.
        #[arg(long)]
        yes: bool,
    },
    /// Change a setting; without a key, list the keys with their values.
    ///
    /// `config llm` asks who serves the model, lists what is there, and has your choice answer once before it
    /// counts. `config llm ollama:qwen2.5:3b` does the same without a question, and
    /// `config llm openai:qwen2.5@http://127.0.0.1:8080/v1` names a server of your own. `config fallback
    /// openai:gpt-4o-mini,offline` names who is asked in turn when that model can't answer.
    ///
    /// `config http 127.0.0.1:8787` turns on the page for your browser and the channel for programs.
    ///
    /// `config telegram` asks for the token of a Telegram bot and shows a code; who sends it to the bot is the owner
    /// there. `config telegram.allow 123,-456` lets other people and groups talk with the agent, each apart.
    ///
    /// Keys of providers (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY) stand in .env or in the environment, never
    /// in a setting.
    Config {
        /// Which one.
        key: Option<String>,
        /// What it should be; without it you are asked.
        value: Option<String>,
    },
    /// Give a link that signs your browser in on the agent's page; it works once, for ten minutes.
    ///
    /// The page is on together with the channel for programs: `config http 127.0.0.1:8787`. In a chat, `/web` gives the same
    /// link.
    Web {
        #[command(subcommand)]
        wish: Option<Web>,
    },
}

/// Runs the agent's command line. `args` starts with the program's name.
#[must_use]
pub fn main(args: Vec<OsString>) -> ExitCode {
    if let [_, word, rest @ ..] = args.as_slice()
        && word == eyes::launch::WORD
    {
        return eyes::launch::serve(rest);
    }
    serve(&command().get_matches_from(args))
}

/// The agent's command line, to be one of a larger one as well.
#[must_use]
pub fn command() -> clap::Command {
    Args::command()
}

/// Does what `matches` of [`command`] ask for.
#[must_use]
pub fn serve(matches: &ArgMatches) -> ExitCode {
    let args = Args::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    finish(run(args))
}

/// The exit code of an agent that ended like this; an error is said on stderr.
#[must_use]
pub fn finish(ended: Result<(), StartError>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            home::say_on_stderr!("error: {}", told(error));
            ExitCode::FAILURE
        }
    }
}

/// What went wrong. Whoever has pressed Ctrl-C at a question knows what it was about.
fn told(error: StartError) -> String {
    let is_ended = |cause: &io::Error| cause.kind() == io::ErrorKind::Interrupted;
    // It stands in no chain of its own, for it speaks with the words of what is in it.
    let is_ended_at_once = matches!(&error, StartError::System(cause) if is_ended(cause));
    let error = anyhow::Error::new(error);
    match is_ended_at_once || error.chain().filter_map(|cause| cause.downcast_ref()).any(is_ended) {
        true => "ended by you, and what was asked is as it was".to_owned(),
        false => format!("{error:#}"),
    }
}

fn run(args: Args) -> Result<(), StartError> {
    let given = args.home.as_deref().map(Path::new);
    Home::as_owner(given)?;
    let home = Home::find(given)?;
    match args.command {
        None => chat_over_redis(home),
        Some(Command::Clear { yes }) => clear(&home, yes),
        Some(Command::Config { key: None, .. }) => {
            let config = Settings::read(&home)?.config;
            for key in KEYS {
                let value = key.value(&config).unwrap_or_else(|| {
                    format!("(kept by the router: `{}`)", home::router_command("library embed"))
                });
                home::say!("{} = {value}\n    {}", key.name, key.about);
            }
            home::say!("Name one to change it; a chat that is open keeps the old value.");
            Ok(())
        }
        Some(Command::Config { key: Some(name), value }) => {
            if let Some(file) = configure(&home, &name, value.as_deref(), &mut Terminal)? {
                Terminal.tell(&format!("{name} is set in {}", file.display()));
            }
            Ok(())
        }
        Some(Command::Web { wish }) => web(&home, wish),
    }
}

fn chat_over_redis(home: Home) -> Result<(), StartError> {
    let notices = log::start(&home);
    let settings = Settings::read(&home)?;
    let Some(address) = settings.queue.address()? else { return Err(StartError::NoRedis) };
    let (names, keys) = (settings.queue.names.clone(), settings.queue.keys()?);
    let supervisor = settings::supervisor();
    let unix = if address.is_unix_socket() { UnixSockets::Allowed } else { UnixSockets::Refused };
    // The last step of one thread: every thread of the runtime is held by it, and no file is opened by then
    // that the agent is not meant to keep.
    let eyes = start::open_eyes(&settings)?;
    let secrets = settings::own_secrets(&home);
    let confined = confine(&home, unix);
    start::runtime()?.block_on(async {
        let way = match address.check().await {
            Ok(()) => format!("over {}", address.shown()),
            Err(problem) => format!("{problem}; the chat works, actions of the router don't"),
        };
        let broker = RedisRequester::signing(address, names, keys).map_err(StartError::Queue)?;
        let (editor, says) = (None, None);
        let known = Known { way, confined, eyes, editor, says, secrets, notices, supervisor };
        start::talk(home, settings, broker, known).await
    })
}

fn clear(home: &Home, yes: bool) -> Result<(), StartError> {
    let question = "Forget what was said and done? The memory is kept.";
    if !yes && !Terminal.confirm(question)?.ok_or(StartError::NotAsked)? {
        home::say!("nothing was removed");
        return Ok(());
    }
    let _lock = Lock::take(&home.agent_lock())?;
    for removed in workspace::clear(home)? {
        home::say!("removed {}", removed.display());
    }
    Ok(())
}
