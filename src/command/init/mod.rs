//! `safeclaw init`: a few questions, each answer proved at once, and nothing written before the end.

mod draft;
mod questions;
mod relabel;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use agent::StartError;
use clap::{Parser, ValueEnum};
use home::Home;
use settings::Terminal;
use window::AddressError;

use self::draft::{Draft, DraftError};
use self::questions::{Person, Question};
use self::relabel::Relabel;
use super::Subcommand;

const MORE_HELP: &str = "\
At a terminal each question that has no option here is asked; Enter keeps what is set. Ctrl-C ends it, and nothing has changed.

With --yes nothing is asked: what has no option here stays as it is. Without a terminal --yes is needed.
No option takes a PIN, because others on the machine can read options. A script gives it to router pin set on standard input.

  safeclaw init
  safeclaw init --model ollama:llama3.1:8B --fetch --page 127.0.0.1:8787 --yes";

/// Set SafeClaw up: a few questions, each answer tried at once, nothing written before the end.
///
/// It asks who thinks, whether you talk over Telegram and on a page in your browser, whether the router shows a page of its
/// own, which papers it may read, what needs your yes or a PIN, when watches are quiet, and whether agent and router run on one
/// machine. It can be run again at any time, and begins with what is set.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Init {
    /// Who thinks: ollama:llama3.1:8B, openai:NAME@http://127.0.0.1:8080/v1, or offline.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Let Ollama fetch that model if it is not there.
    #[arg(long, requires = "model")]
    fetch: bool,
    /// Where the page for your browser is, such as 127.0.0.1:8787, or off.
    #[arg(long, value_name = "ADDRESS")]
    page: Option<String>,
    /// Where the router's own page is, such as 127.0.0.2:8799, or off.
    #[arg(long, value_name = "ADDRESS")]
    window: Option<String>,
    /// The folder whose papers `/index` may take into the library, or off.
    #[arg(long, value_name = "DIR")]
    papers: Option<String>,
    /// What needs your yes before others can see it.
    #[arg(long, value_name = "WHAT")]
    ask: Option<Ask>,
    /// When watches tell you nothing, such as 22:00-07:00, or none.
    #[arg(long, value_name = "HOURS")]
    quiet: Option<String>,
    /// The Redis through which agent and router talk when they run apart, or off.
    #[arg(long, value_name = "URL")]
    redis: Option<String>,
    /// Ask nothing, and write what the other options say.
    #[arg(long)]
    yes: bool,
}

/// What is asked before others can see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ask {
    /// Everything that others can see.
    Everything,
    /// What others could have had a hand in: once their text has entered the conversation.
    Tainted,
}

/// Why it was not set up. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
enum InitError {
    #[error(transparent)]
    Draft(#[from] DraftError),
    #[error(transparent)]
    Agent(#[from] StartError),
    #[error("the policy is broken: `{}` tells where", home::router_command("policy check"))]
    Policy,
    #[error("{0}")]
    Redis(String),
    #[error("{address} can't be used: {error}; choose another address with {option}")]
    Taken { address: String, error: io::Error, option: &'static str },
    #[error("{address} is no address of a page: it is one such as 127.0.0.1:8787")]
    NoAddress { address: String },
    #[error(transparent)]
    Window(#[from] AddressError),
    #[error("{0:#}")]
    Router(anyhow::Error),
    #[error("{0}: {1} (nothing was changed)")]
    Given(&'static str, Box<InitError>),
    #[error("no answer could be read, so nothing was changed")]
    Answer(#[from] io::Error),
    #[error(
        "this is no terminal, so nothing can be asked: say what to set, such as --model ollama:llama3.1:8B, and --yes"
    )]
    NoTerminal,
}

impl InitError {
    /// Whether another answer to the question that is put would mend it.
    fn is_of_the_answer(&self) -> bool {
        matches!(
            self,
            Self::Taken { .. } | Self::NoAddress { .. } | Self::Window(_) | Self::Agent(_)
        )
    }
}

impl Subcommand for Init {
    fn run(self, home: Option<&Path>) -> ExitCode {
        match self.set_up(home) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                home::say_on_stderr!("error: {error}");
                ExitCode::FAILURE
            }
        }
    }
}

/// What is told of an error.
fn told(error: InitError) -> String {
    let error = anyhow::Error::new(error);
    let is_end = |cause: &io::Error| cause.kind() == io::ErrorKind::Interrupted;
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(is_end) {
        return "ended by you, and nothing was changed".to_owned();
    }
    format!("{error:#}")
}

impl Init {
    /// What is wrong is said of the home's own files.
    fn set_up(self, home: Option<&Path>) -> Result<(), String> {
        let is_asked = !self.yes && Terminal::is_there();
        if !is_asked && !self.yes {
            return Err(told(InitError::NoTerminal));
        }
        let home = Home::open(home).map_err(|error| told(DraftError::from(error).into()))?;
        let draft = Draft::of(home).map_err(|error| told(error.into()))?;
        let mut person = Relabel::new(Terminal, draft.home(), draft.real());
        self.change(draft, is_asked, &mut person).map_err(|error| person.text(&told(error)))
    }

    fn change(&self, draft: Draft, is_asked: bool, person: &mut Person) -> Result<(), InitError> {
        let mut told = Vec::new();
        for question in questions::ALL {
            told.push((question.name(), self.answer(question, &draft, is_asked, person)?));
        }
        home::say!("\nThis is the set-up of {}:", draft.real().root().display());
        for (name, now) in &told {
            home::say!("  {name:<10} {now}");
        }
        let changed = draft.changed()?;
        if changed.is_empty() {
            home::say!("Nothing has changed.");
        } else {
            home::say!("It changes {}.", changed.join(", "));
            let choices = ["yes", "no"].map(str::to_owned);
            if is_asked && person.choose("Write it?", &choices, 0)? != 0 {
                home::say!("Nothing was written.");
                return Ok(());
            }
            draft.keep()?;
            home::say!("Written.");
        }
        home::say!(
            "Next: `{0}` opens a chat, `{0} doctor` looks at everything.",
            home::command("")
        );
        if told.iter().any(|(name, now)| ["Telegram", "page"].contains(name) && now != "off") {
            home::say!(
                "`{}` has systemd run it in the background.",
                home::command("service install")
            );
        }
        Ok(())
    }

    /// Asks `question`, or takes its option; and how it is set now, for people.
    fn answer(
        &self,
        question: &dyn Question,
        draft: &Draft,
        is_asked: bool,
        person: &mut Person,
    ) -> Result<String, InitError> {
        let taken = question.take(self, draft, person);
        let taken = taken.map_err(|error| match error {
            InitError::Answer(_) | InitError::Agent(_) => error,
            why => InitError::Given(question.name(), Box::new(why)),
        })?;
        if !taken && is_asked {
            home::say!();
            question.ask(draft, person)?;
        }
        question.now(draft)
    }
}
