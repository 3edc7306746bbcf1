//! The router's command line, the same for `start_router ...` and `safeclaw router ...`.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use home::Home;

use crate::config::SettingsError;
use crate::log::Log;
use crate::sandbox::{self, SelfCommand};
use crate::{catalog, config, events, self_test, start};
use repertoire::new_skill::{self, Language};

mod audit;
mod error;
mod governance;
mod keys;
mod library;
mod notify;
mod owner;
mod policy;
mod queue;
mod redis_acl;
mod sandbox_test;
pub mod set_up;
mod trust;
mod window;
mod wishes;
mod work;

pub use audit::traced as audit_rows_of;
use error::CommandError;

/// The wall of SafeClaw: takes commands from the queue, judges each one, runs skills in a sandbox, and
/// always answers.
///
/// Without a command it serves the queue at REDIS_URL until it is ended. Drop a folder with a skill.toml
/// and a program into router/skills and its action can be called at once.
#[derive(Debug, Parser)]
#[command(name = "start_router", version)]
struct Args {
    /// Where .env, workspace/, agent/ and router/ live [default: here if they are here, else the user's
    /// data folder].
    #[arg(long, global = true, value_name = "DIR", env = "SAFECLAW_HOME", hide_env_values = true)]
    home: Option<OsString>,

    /// Serve the agent at the other end of stdin and stdout instead of a Redis.
    #[arg(long, hide = true)]
    pipe: bool,

    /// With --pipe: it follows another one, so that a person may be typing by now.
    #[arg(long, hide = true, requires = "pipe")]
    next: bool,

    /// How people start the program that has started this one.
    #[arg(long, hide = true)]
    called: Option<String>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the skills with what they may do, and the folders that are no skill with the reason.
    Skills,
    /// Write the folder of a new skill that works, for you to change.
    NewSkill {
        /// The action's name, such as TELL_TIME.
        name: String,
        /// The language to write it in.
        #[arg(long, value_enum, default_value_t = Language::Python)]
        lang: Language,
    },
    /// Show what has changed in a skill since it was pinned, and let it run as it is now once you say yes.
    Trust(trust::Trust),
    /// Answer the questions that wait for a person, and see what is allowed for a while.
    Approvals(owner::Approvals),
    /// See what the router knows of each conversation; let one go on that was stopped.
    Sessions(owner::Sessions),
    /// Guard what is done on this machine with a PIN that each of your chats types once a day.
    Pin(owner::PinCommand),
    /// Stop everything: nothing begins any more, and what runs is stopped.
    Stop,
    /// Let everything go on after a stop.
    Resume,
    /// Look at the queue on Redis: what waits, what runs, what was given up; and change it.
    Queue(queue::Queue),
    /// Prove that the audit log is whole, and show what ran.
    Audit(audit::Audit),
    /// Find mistakes in the policy, and tell what it decides about a call.
    Policy(policy::Policy),
    /// Find mistakes in router/governance.json, and tell what becomes of a line of shell.
    Governance(governance::Governance),
    /// Put papers into the library, list them, take them out.
    Library(library::LibraryCommand),
    /// Set where NOTIFY sends a line to you, and try it on the spot.
    Notify(notify::Notify),
    /// Open the wall's window in a browser: see the router at work, answer its questions, stop it.
    Window(window::WindowCommand),
    /// Make the keys that commands and replies on Redis are signed with.
    Keys(keys::Keys),
    /// Print the users that Redis should know, as a file for its `aclfile`.
    RedisAcl(redis_acl::RedisAcl),
    /// Tell what the sandbox is worth on this machine.
    Sandbox(sandbox_test::Sandbox),
    Work(work::Work),
    /// Run a skill that is compiled in; the router does so within the sandbox.
    #[command(hide = true)]
    Skill {
        /// Its name.
        name: String,
    },
}

/// Runs the router's command line. `args` starts with the program's name; `prefix` is what stands between
/// the program and these arguments when it starts itself again (`router` for `safeclaw`).
#[must_use]
pub fn main(args: Vec<OsString>, prefix: &[&str]) -> ExitCode {
    // The sandbox's stages come first: they run before every skill, and only a process with one thread can.
    if is_stage(&args) {
        return sandbox::run_stage(args.get(2).and_then(|word| word.to_str()));
    }
    serve(&command().get_matches_from(args), prefix)
}

/// Whether `args`, which start with the program's name, ask for a stage of the sandbox.
#[must_use]
pub fn is_stage(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|word| word == sandbox::LAUNCH)
}

/// The router's command line, to be one of a larger one as well.
#[must_use]
pub fn command() -> clap::Command {
    Args::command()
}

/// Does the one command `word`, which takes no arguments.
#[must_use]
pub fn run_one(word: &str, home: Option<&Path>) -> ExitCode {
    let place = home.map(|home| [OsStr::new("--home"), home.as_os_str()]);
    let args = [OsStr::new("start_router"), OsStr::new(word)].into_iter();
    serve(&command().get_matches_from(args.chain(place.into_iter().flatten())), &[])
}

/// Makes `model` what tells the meaning of papers, as `library embed` does; `prefix` as for [`main`].
#[must_use]
pub fn embed(model: Option<&str>, home: Option<&Path>, prefix: &[&str]) -> ExitCode {
    let words = ["start_router", "library", "embed"].into_iter().chain(model).map(OsStr::new);
    let place = home.map(|home| [OsStr::new("--home"), home.as_os_str()]);
    let args = words.chain(place.into_iter().flatten());
    serve(&command().get_matches_from(args), prefix)
}

/// Does what `matches` of [`command`] ask for; `prefix` as for [`main`].
#[must_use]
pub fn serve(matches: &ArgMatches, prefix: &[&str]) -> ExitCode {
    let args = Args::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    if let Some(Command::Skill { name }) = &args.command {
        return if self_test::is_attack(name) {
            self_test::run_attack()
        } else {
            builtin::run(name)
        };
    }
    let (log, is_next) = (log(&args), args.next);
    // On a pipe it shares its stderr with the agent.
    let who = if args.pipe { "no router: " } else { "" };
    match run(args, prefix, log) {
        Ok(code) => code,
        Err(error) => {
            let told = format!("{who}{:#}", anyhow::Error::new(error));
            if is_next {
                events::last_words(told)
            } else {
                home::say_on_stderr!("error: {told}")
            }
            ExitCode::FAILURE
        }
    }
}

/// Starts logging: beside an agent, which has the terminal, into a file, and for a command to whoever has typed it.
fn log(args: &Args) -> Log {
    let home = args.home.as_deref().map(Path::new);
    match (args.pipe.then(|| Home::find(home).ok()).flatten(), &args.command) {
        (Some(home), _) => Log::into_file(&home),
        (None, Some(_)) => Log::for_a_person(),
        (None, None) => Log::on_stderr(),
    }
}

fn run(args: Args, prefix: &[&str], log: Log) -> Result<ExitCode, CommandError> {
    let given = args.home.as_deref().map(Path::new);
    Home::as_owner(given)?;
    let home = match args.command {
        // The sandbox is tried, and nothing in the home is touched.
        Some(Command::Sandbox(_)) => Home::open(given)?,
        _ => Home::find(given)?,
    };
    let exe = std::env::current_exe().map_err(CommandError::Myself)?;
    let prefix = prefix.iter().map(|&word| word.to_owned()).collect();
    let myself = SelfCommand { exe, prefix };
    match args.command {
        Some(Command::Skills) => list_skills(&home)?,
        Some(Command::NewSkill { name, lang }) => {
            let folder = new_skill::write(&home, &name, lang)?;
            home::say!("{}", new_skill::next_steps(&folder, lang));
        }
        Some(Command::Audit(command)) => audit::run(&home, command)?,
        Some(Command::Policy(command)) => return policy::run(&home, command),
        Some(Command::Governance(command)) => return governance::run(&home, command),
        Some(Command::Approvals(command)) => {
            runtime()?.block_on(owner::approvals(&home, command))?;
        }
        Some(Command::Sessions(command)) => runtime()?.block_on(owner::sessions(&home, command))?,
        Some(Command::Pin(command)) => runtime()?.block_on(owner::pin(&home, command))?,
        Some(Command::Stop) => runtime()?.block_on(owner::stop(&home))?,
        Some(Command::Resume) => runtime()?.block_on(owner::resume(&home))?,
        Some(Command::Library(command)) => {
            runtime()?.block_on(library::run(&home, &myself, command))?;
        }
        Some(Command::Notify(command)) => {
            runtime()?.block_on(notify::run(&home, &myself, command))?;
        }
        Some(Command::Window(command)) => window::run(&home, command)?,
        Some(Command::Keys(command)) => keys::run(&home, command)?,
        Some(Command::RedisAcl(command)) => redis_acl::run(&home, &command)?,
        Some(Command::Queue(command)) => runtime()?.block_on(queue::run(&home, command))?,
        Some(Command::Sandbox(command)) => {
            return runtime()?.block_on(sandbox_test::run(&home, &myself, command));
        }
        Some(Command::Work(command)) => {
            let runtime = runtime()?;
            let served = runtime.block_on(work::run(&home, &myself, &command));
            // A read of stdin that still blocks can't be ended otherwise.
            runtime.shutdown_background();
            return served;
        }
        Some(Command::Trust(command)) => trust::run(&home, &command)?,
        Some(Command::Skill { .. }) | None => {
            let runtime = runtime()?;
            let served = if args.pipe {
                runtime.block_on(start::on_a_pipe(home, myself, log, !args.next))
            } else {
                runtime.block_on(start::on_redis(home, myself))
            };
            // A read of stdin that still blocks can't be ended otherwise.
            runtime.shutdown_background();
            served?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A help text with this command line as it is called here.
fn typed_here(text: &str) -> String {
    text.replace("start_router", home::router_name())
}

fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    threads.worker_threads(1).enable_all().build().map_err(CommandError::Runtime)
}

fn list_skills(home: &Home) -> Result<(), CommandError> {
    crate::defaults::write_missing(home)?;
    let config = config::read_config(home).map_err(SettingsError::from)?;
    let found = catalog::scan(&home.router_skills(), &config, &catalog::Found::default());
    let known = catalog::Pins::of(home).known();
    for skill in found.skills.values() {
        let held = match catalog::standing(&known, skill) {
            catalog::Standing::Held(why) => Some(why),
            _ => None,
        };
        let off = catalog::switched_off(skill);
        let state = match held {
            _ if off.is_some() => "off",
            Some(_) => "held",
            None => "on",
        };
        let list = |items: Vec<String>| {
            if items.is_empty() { "none".to_owned() } else { items.join(", ") }
        };
        home::say!(
            "{:<24} {state:<4} {}",
            skill.name().as_str(),
            catalog::printable(&skill.card.instruction)
        );
        home::say!(
            "{:29} effect {}; reads {}; network {}; secrets {}",
            "",
            skill.effect(),
            skill.card.reads,
            list(skill.hosts.iter().map(ToString::to_string).collect()),
            list(skill.secrets.keys().cloned().collect()),
        );
        if let Some(why) = off {
            home::say!("{:29} {why}", "");
        } else if let Some(why) = held {
            home::say!("{:29} {}", "", catalog::held_back(skill.name(), &why).message);
        }
    }
    for error in &found.broken {
        home::say!("left out: {error}");
    }
    Ok(())
}
