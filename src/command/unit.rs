//! `safeclaw service`: SafeClaw as a systemd unit, that starts by itself and is started again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand as Words};
use home::Home;
use settings::Settings;

use super::Subcommand;
use crate::unit::{Installed, NAME, Scope, Systemd, UnitPlan, command, state, user_of};

/// The exit code when it is installed and does not run, as systemctl has it ...
const NOT_RUNNING: u8 = 3;

/// ... and when it is not installed.
const NOT_INSTALLED: u8 = 4;

const MORE_HELP: &str = "\
A unit of your own needs no rights and runs as you. With --system it is the machine's, and has a user and a home of its own below \
/var/lib; with --apart agent and router are two units with two users, and talk over the Redis at REDIS_URL. People reach it by the \
page or by Telegram, so one of them has to be set up.

With --apart, /etc/safeclaw/agent.env and /etc/safeclaw/router.env hold REDIS_URL, each with the user of its side.

  safeclaw service install
  safeclaw service status
  safeclaw service logs --follow
  sudo safeclaw service install --system --apart
  safeclaw service install --print          # shows the files, and writes nothing";

/// Run SafeClaw in the background by systemd: from login on, and again after a crash.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Service {
    #[command(subcommand)]
    wish: Wish,
}

#[derive(Debug, Words)]
enum Wish {
    /// Write the unit, start it now, and have it start by itself from now on.
    Install {
        #[command(flatten)]
        which: Which,
        /// Run agent and router as two users, over the Redis at REDIS_URL. Only with --system.
        #[arg(long, requires = "system")]
        apart: bool,
        /// Show the files, and write nothing.
        #[arg(long)]
        print: bool,
        /// Don't start it now.
        #[arg(long)]
        no_start: bool,
    },
    /// Start it.
    Start(Which),
    /// End it until it is started again.
    Stop(Which),
    /// End it and start it anew.
    Restart(Which),
    /// Tell whether it runs: ends with 0 when it does, with 3 when not, with 4 when it is not installed.
    Status(Which),
    /// Show what it has logged.
    Logs {
        #[command(flatten)]
        which: Which,
        /// How many lines.
        #[arg(short = 'n', long, default_value_t = 100, value_name = "COUNT")]
        lines: u32,
        /// Go on with what is logged from now on; Ctrl-C ends it.
        #[arg(short, long)]
        follow: bool,
    },
    /// End it, and take its unit away. What it knows stays in its home.
    Remove(Which),
}

#[derive(Debug, Args)]
struct Which {
    /// The machine's, not yours.
    #[arg(long)]
    system: bool,
    /// Its name, for a second one.
    #[arg(long, default_value = NAME, value_parser = a_name)]
    name: String,
}

/// A name that systemd takes for units and users.
fn a_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = text.starts_with(|c: char| c.is_ascii_lowercase());
    match begins && text.len() <= 24 && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => {
            Err("use up to 24 small letters, digits and hyphens, and begin with a letter"
                .to_owned())
        }
    }
}

impl Which {
    fn scope(&self) -> Scope {
        if self.system { Scope::System } else { Scope::User }
    }

    /// The units, which have to be there.
    fn installed(&self) -> Result<Installed, String> {
        let found = Installed::find(self.scope(), &self.name).map_err(said)?;
        found.ok_or_else(|| self.missing())
    }

    fn missing(&self) -> String {
        let install = command("install", self.scope(), &self.name);
        format!("{}.service is not installed; `{install}` does that", self.name)
    }
}

impl Subcommand for Service {
    fn run(self, home: Option<&Path>) -> ExitCode {
        done(self.wish, home).unwrap_or_else(|why| {
            home::say_on_stderr!("error: {why}");
            ExitCode::FAILURE
        })
    }
}

fn done(wish: Wish, home: Option<&Path>) -> Result<ExitCode, String> {
    match wish {
        Wish::Install { which, apart, print, no_start } => {
            let wanted = wanted(&which, apart, home)?;
            if print {
                for file in wanted.files().map_err(said)? {
                    home::say!("# {}\n{}", file.path.display(), file.text);
                }
            } else {
                home::say!("{}", install(&wanted, !no_start)?);
            }
            Ok(ExitCode::SUCCESS)
        }
        Wish::Start(which) => asked(&which, "start", "runs"),
        Wish::Stop(which) => asked(&which, "stop", "has ended"),
        Wish::Restart(which) => asked(&which, "restart", "runs again"),
        Wish::Status(which) => status(&which),
        Wish::Logs { which, lines, follow } => {
            let systemd = Systemd::of(which.scope());
            let shown = systemd.logs(&which.installed()?.units, lines, follow).map_err(said)?;
            Ok(if shown.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Wish::Remove(which) => {
            let installed = which.installed()?;
            installed.remove().map_err(said)?;
            home::say!(
                "{} is removed; what it knows stays in its home",
                installed.units.join(" and ")
            );
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn asked(which: &Which, word: &str, so: &str) -> Result<ExitCode, String> {
    let installed = which.installed()?;
    installed.ask(word).map_err(said)?;
    home::say!("{} {so}", installed.units.join(" and "));
    Ok(ExitCode::SUCCESS)
}

fn status(which: &Which) -> Result<ExitCode, String> {
    let Some(installed) = Installed::find(which.scope(), &which.name).map_err(said)? else {
        home::say!("{}", which.missing());
        return Ok(ExitCode::from(NOT_INSTALLED));
    };
    let systemd = Systemd::of(which.scope());
    let mut all_run = true;
    for unit in &installed.units {
        let (text, runs) = state(systemd, unit).map_err(said)?;
        home::say!("{text}");
        all_run &= runs;
    }
    Ok(if all_run { ExitCode::SUCCESS } else { ExitCode::from(NOT_RUNNING) })
}

fn wanted(which: &Which, apart: bool, home: Option<&Path>) -> Result<UnitPlan, String> {
    let program = std::env::current_exe().map_err(said)?;
    let home = Home::locate(home).map_err(said)?.root().to_owned();
    let home = home.canonicalize().unwrap_or(home);
    Ok(UnitPlan { scope: which.scope(), name: which.name.clone(), program, home, apart })
}

/// Whether people can reach the agent of this home without a terminal.
fn has_people(home: &Path) -> Result<bool, String> {
    let settings = Settings::look(&Home::locate(Some(home)).map_err(said)?).map_err(said)?;
    let has_page = settings.config.http.listen.is_some() && settings.http_token.is_some();
    Ok(has_page || settings.telegram_token.is_some())
}

fn install(wanted: &UnitPlan, starts: bool) -> Result<String, String> {
    let homes = wanted.homes();
    let waits = !has_people(&homes[0])?;
    if waits && wanted.scope == Scope::User {
        return Err(format!(
            "nobody could talk with it, because a unit has no terminal: set up the page (`{}`) or Telegram (`{}`) first",
            home::agent_command("config http 127.0.0.1:8787"),
            home::agent_command("config telegram"),
        ));
    }
    let starts = starts && !waits;
    let files = wanted.install(starts).map_err(said)?;
    let mut told: Vec<String> =
        files.iter().map(|file| format!("wrote {}", file.path.display())).collect();
    let units = wanted.units().join(" and ");
    told.push(match starts {
        true => format!("{units} runs now, and starts by itself from now on"),
        false => format!("{units} starts by itself from the next time on"),
    });
    if is_build_folder(&wanted.program) {
        let folder = if wanted.scope == Scope::User { "~/.local/bin" } else { "/usr/local/bin" };
        told.push(format!(
            "{} lies in a build folder: `cargo clean` takes it away. Copy it, for example to {folder}, and install from there",
            wanted.program.display()
        ));
    }
    match wanted.scope {
        Scope::User if !Systemd::of(Scope::User).lingers() => told.push(
            "it runs while you are logged in; `loginctl enable-linger` has it run always"
                .to_owned(),
        ),
        Scope::User => {}
        Scope::System => told.extend(homes.iter().map(|home| {
            format!("{} is a home of its own; its user is {}", home.display(), user_of(home))
        })),
    }
    if waits {
        told.push(format!(
            "it was not started, because nobody could talk with it yet: set up the page or Telegram (`sudo {} --home {}`), and then start it (`sudo {}`)",
            home::command("init"),
            homes[0].display(),
            command("start", wanted.scope, &wanted.name),
        ));
    }
    Ok(told.join("\n"))
}

/// Whether cargo has put a program there.
fn is_build_folder(program: &Path) -> bool {
    let folders: Vec<PathBuf> = program.ancestors().skip(1).take(2).map(Path::to_owned).collect();
    folders.iter().any(|folder| folder.ends_with("target"))
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
