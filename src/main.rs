//! `safeclaw`: mind and wall on one machine with one command.
//!
//! The router is this same program, started as a child with a pipe to it, so that the two are separate
//! processes even here. `safeclaw agent ...` and `safeclaw router ...` take the arguments of `start_agent`
//! and `start_router`.

mod child;
mod handing;
mod starter;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use agent::Known;
use agent::StartError;
use agent::config::Settings;
use agent::confine::{UnixSockets, confine};
use broker::pipe::PipeRequester;
use clap::Parser;
use home::Home;

use crate::child::ChildRouter;

/// How long the router may take to end once its agent has gone.
const PATIENCE: Duration = Duration::from_secs(4);

/// A personal AI agent behind a wall: the model may only ask, and the router decides.
///
/// Opens a chat. The router runs beside it as a process of its own; no Redis is needed, and without
/// Ollama it understands sentences like the examples that /actions shows.
///
/// The two parts have commands of their own: `safeclaw agent config` changes a setting, `safeclaw router
/// new-skill NAME` writes a skill. `safeclaw stop` stops everything at once, `safeclaw resume` lets it go on. `safeclaw agent --help` and `safeclaw router --help` tell the rest,
/// also how to run them as two processes over a Redis.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// Where .env, workspace/, agent/ and router/ live [default: here if they are here, else the user's
    /// data folder].
    #[arg(long, value_name = "DIR", env = "SAFECLAW_HOME", hide_env_values = true)]
    home: Option<OsString>,
}

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    match args.get(1).and_then(|word| word.to_str()) {
        Some("agent") => agent::cli::main(part("safeclaw agent", args)),
        Some("router") => router::cli::main(part("safeclaw router", args), &["router"]),
        // For this program itself.
        Some(starter::WORD) => starter::serve(args.get(2)),
        Some(agent::EYES_WORD) => agent::cli::main(args),
        // Short, for whoever is in a hurry.
        Some("stop" | "resume") => router::cli::main(args, &["router"]),
        _ => agent::cli::finish(together(Args::parse_from(args))),
    }
}

/// The arguments of a part, with `name` as that of the program, for its help to show.
fn part(name: &str, args: Vec<OsString>) -> Vec<OsString> {
    std::iter::once(name.into()).chain(args.into_iter().skip(2)).collect()
}

fn together(args: Args) -> Result<(), StartError> {
    let home = Home::find(args.home.as_deref().map(Path::new))?;
    agent::start_log(&home);
    let settings = Settings::read(&home)?;
    let starter = ChildRouter::new(&home)?;
    // From here on there is one way to a new router: the starter, which is outside.
    let eyes = agent::open_eyes(&home, &settings)?;
    let confined = confine(&home, UnixSockets::Refused);
    agent::runtime()?.block_on(async {
        let (broker, router) = PipeRequester::keep(starter).await?;
        let mut way = "beside this chat, over a pipe".to_owned();
        if settings.queue.is_set() {
            way.push_str(" (REDIS_URL is for start_agent and start_router)");
        }
        let talked = agent::talk(home, settings, broker, Known { way, confined, eyes }).await;
        // Its end of the pipe is closed now, which ends it; if not, the end of the runtime does.
        let _ = tokio::time::timeout(PATIENCE, router).await;
        talked
    })
}
