//! `safeclaw chat`: mind and wall on one machine.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agent::{Known, StartError};
use broker::pipe::PipeRequester;
use channel::console::{OneMessage, Outcome, OwnEditor};
use clap::Parser;
use confine::{UnixSockets, confine};
use home::Home;
use settings::Settings;

use super::Subcommand;
use crate::child::ChildRouter;

/// How long the router may take to end once its agent has gone.
const PATIENCE: Duration = Duration::from_secs(4);

/// The exit code when a question stays open: a usage error is 2, as clap has it.
const OPEN: u8 = 3;

/// Open a chat, with a router of its own beside it.
#[derive(Debug, Default, Parser)]
pub(super) struct Chat {}

impl Subcommand for Chat {
    fn run(self, home: Option<&Path>) -> ExitCode {
        agent::cli::finish(talk(home, None))
    }
}

/// Says `text`, shows the answer and ends. The exit code is 0 when it was answered and done, 1 when not, and 3 when
/// something waits for a person's yes.
pub(super) fn say(text: String, home: Option<&Path>) -> ExitCode {
    say_one(OneMessage::new(text), home)
}

/// The same with a message that says how it is shown.
pub(super) fn say_one(message: OneMessage, home: Option<&Path>) -> ExitCode {
    match (talk(home, Some(message.clone())), message.outcome()) {
        (Ok(()), Outcome::Open) => ExitCode::from(OPEN),
        (Ok(()), Outcome::Failed) => ExitCode::FAILURE,
        (ended, _) => agent::cli::finish(ended),
    }
}

fn talk(home: Option<&Path>, says: Option<OneMessage>) -> Result<(), StartError> {
    let home = Home::find(home)?;
    let notices = agent::start_log(&home);
    let settings = Settings::read(&home)?;
    let starter = ChildRouter::new(&home)?;
    let editor: Option<Arc<dyn OwnEditor>> = Some(Arc::new(starter.desk()));
    // From here on there is one way to a new router: the starter, which is outside.
    let eyes = agent::open_eyes(&settings)?;
    let supervisor = settings::supervisor();
    let secrets = settings::own_secrets(&home);
    let confined = confine(&home, UnixSockets::Refused);
    agent::runtime()?.block_on(async {
        let (broker, router) = PipeRequester::keep(starter).await?;
        let words = settings::words();
        let mut way = words.get("start.beside").to_owned();
        if settings.queue.is_set() {
            way = words.fill("start.apart", &[("way", &way)]);
        }
        let known = Known { way, confined, eyes, editor, says, secrets, notices, supervisor };
        let talked = agent::talk(home, settings, broker, known).await;
        // Its end of the pipe is closed now, which ends it; if not, the end of the runtime does.
        let _ = tokio::time::timeout(PATIENCE, router).await;
        talked
    })
}
