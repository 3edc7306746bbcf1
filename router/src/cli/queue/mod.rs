//! `start_router queue`: looks at the queue on Redis, and changes it where a person wants that.

mod error;
mod said;
mod words;

mod stats;

mod list;
mod show;

mod dead;
mod retry;

mod drop;

use broker::redis::look::{Lane, Look, Target};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use home::Home;
use protocol::Code;
use secrets::Secrets;

pub(crate) use self::error::QueueError;
pub(super) use self::said::ask;

use self::error::unknown;
use crate::audit::OwnersLog;
use crate::config::Settings;
use crate::owner;

/// The reasons for which commands are given up.
const REASONS: [&str; 6] =
    ["bad_request", "deadline", "interrupted", "poison", "stale", "too_large"];

/// What `--help` tells of the documents that `--json` prints.
const JSON_HELP: &str = include_str!("json_help.txt");

/// `queue` and what stands behind it.
#[derive(Debug, Args)]
#[command(after_long_help = super::typed_here(JSON_HELP))]
pub(super) struct Queue {
    /// Print one JSON document instead of words for people.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Tell how the queue stands: what waits and how long, the routers, the dead letters, the server.
    Stats,
    /// List the commands that run and wait, the oldest first.
    List {
        /// Only those that wait in this lane.
        #[arg(long, value_name = "NAME", value_parser = lanes())]
        lane: Option<Lane>,
        #[command(flatten)]
        limit: Limit,
    },
    /// Show everything that is known of one command, wherever it is.
    Show(Named),
    /// List the dead letters: commands that were given up, the newest first.
    Dead {
        #[command(flatten)]
        limit: Limit,
        /// Only those that were given up for this.
        #[arg(long, value_name = "CODE", value_parser = reasons())]
        reason: Option<Code>,
    },
    /// Send the command of a dead letter again, without a deadline, or signed anew for half an hour if it was
    /// signed. Nobody waits for its reply: `show` tells it.
    Retry {
        #[command(flatten)]
        named: Named,
        /// Don't ask, even if the command may have been executed before and its effect may come twice.
        #[arg(long)]
        yes_run_again: bool,
    },
    /// Take a command back that waits or runs, which is then answered `cancelled`; or remove a dead letter.
    Drop {
        #[command(flatten)]
        named: Named,
        /// Don't ask.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
struct Limit {
    /// The most that are listed.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
}

#[derive(Debug, Args)]
struct Named {
    /// The command's id, or a dead letter's own name, such as @5f0c3a9be214.
    id: Target,
}

fn lanes() -> impl TypedValueParser<Value = Lane> {
    PossibleValuesParser::new(Lane::ALL.map(Lane::as_str))
        .try_map(|name| Lane::named(&name).ok_or("no lane"))
}

fn reasons() -> impl TypedValueParser<Value = Code> {
    PossibleValuesParser::new(REASONS)
        .try_map(|reason| serde_json::from_value::<Code>(serde_json::Value::String(reason)))
}

/// Who changes the queue: what is there, what must not be shown, and where it is written down.
struct Owner<'a> {
    look: &'a Look,
    secrets: &'a Secrets,
    deeds: OwnersLog,
}

/// Does what the command line asks for.
pub(super) async fn run(home: &Home, queue: Queue) -> Result<(), QueueError> {
    let settings = Settings::read(home)?;
    let Some(address) = settings.queue.address()? else { return Err(QueueError::NoRedis) };
    let look = Look::connect(address, settings.queue.names.clone(), settings.terms()?).await?;
    let secrets = &settings.secrets;
    let said = match queue.command {
        Command::Stats => stats::say(&look).await?,
        Command::List { lane, limit } => list::say(&look, lane, limit.limit.into()).await?,
        Command::Show(named) => show::say(&look, &named.id, secrets).await?,
        Command::Dead { limit, reason } => dead::say(&look, limit.limit.into(), reason).await?,
        Command::Retry { named, yes_run_again } => {
            let owner = Owner { look: &look, secrets, deeds: owner::deeds(home) };
            retry::say(&owner, &named.id, yes_run_again).await?
        }
        Command::Drop { named, yes } => {
            let owner = Owner { look: &look, secrets, deeds: owner::deeds(home) };
            drop::say(&owner, &named.id, yes).await?
        }
    };
    let text = if queue.json { said.json(secrets) } else { said.text(secrets) };
    home::say_part(format_args!("{text}"));
    Ok(())
}
