//! The console: a person at a terminal, or the lines of a pipe.
//!
//! On stdout stands what was said and done: words, and one line for each action with its outcome. Progress
//! and everything about the agent itself go to stderr.

mod dim_line;
mod exchange;
mod gathered;
mod input;
mod interrupts;
mod once;
mod open_questions;
mod own_editor;
mod piped;
mod plain;
mod screen;
mod terminal;
mod unanswered;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use keyboard::{Command, Completion, Editor};
use mind::slash::TABLE;
use protocol::{Principal, SessionKey};
use schedule::Book;
use tokio_util::sync::CancellationToken;

pub use self::dim_line::DimLine;
use self::exchange::Exchange;
pub use self::once::{OneMessage, Outcome};
pub use self::own_editor::{NotWritten, OwnEditor};
use super::{Channel, ChannelError, Line};

/// The command that opens an editor. It is one of this place alone.
const EDIT: Command = Command {
    usage: "/edit",
    about: "write a message in $VISUAL or $EDITOR, also with Ctrl-X Ctrl-E",
};

/// The console of this process.
#[derive(Debug)]
pub struct Console {
    /// Whose session it is.
    pub session: SessionKey,
    /// Who sits there.
    pub principal: Principal,
    /// Where the lines that were typed are kept for the arrow keys.
    pub typed: PathBuf,
    /// Where the personas stand that `@NAME` asks.
    pub personas: PathBuf,
    /// What tells how things stand.
    pub dim: DimLine,
    /// Cancelled when the person here wants the agent to end.
    pub quit: CancellationToken,
    /// Where the files stand that can be named behind an `@`.
    pub output: PathBuf,
    /// What starts an editor of the person's own, if something can.
    pub editor: Option<Arc<dyn OwnEditor>>,
    /// What is said instead of what is typed.
    pub says: Option<OneMessage>,
    /// What is to be said later; none where the clock is off.
    pub book: Option<Arc<Book>>,
}

impl Console {
    /// What a line may become.
    fn completion(&self) -> Completion {
        let all = TABLE.iter().map(|entry| Command { usage: entry.usage, about: entry.about });
        let edit = self.editor.as_ref().map(|_| EDIT);
        let (people, files) = (self.personas.clone(), self.output.clone());
        let hints = settings::shows_styles();
        Completion { commands: all.chain(edit).collect(), people, files, hints, is_unseen: false }
    }

    async fn talk(self, line: Line) -> io::Result<()> {
        let (typed, completion) = (self.typed.clone(), self.completion());
        let (says, book, quit) = (self.says.clone(), self.book.clone(), self.quit.clone());
        let exchange = Exchange::new(self, line)?;
        if let Some(message) = says {
            return once::run(exchange, &message).await;
        }
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            piped::run(exchange).await?;
            if quit.is_cancelled()
                && let Some(waiting) = book.as_deref().and_then(waiting)
            {
                home::say_on_stderr!("[{waiting}]");
            }
            return Ok(());
        }
        if settings::reads_aloud() {
            return plain::run(exchange).await;
        }
        match Editor::start(typed, completion) {
            Ok(editor) => terminal::run(editor, exchange).await,
            Err(error) => {
                tracing::info!(%error, "this terminal can't edit lines");
                plain::run(exchange).await
            }
        }
    }
}

/// The line about the jobs of `book` that nobody is told of any more once a pipe has ended.
fn waiting(book: &Book) -> Option<String> {
    let words = settings::words();
    match book.jobs().all().len() {
        0 => None,
        1 => Some(words.get("say.jobWaits").to_owned()),
        count => Some(words.fill("say.jobsWait", &[("count", &count)])),
    }
}

#[async_trait]
impl Channel for Console {
    fn name(&self) -> &'static str {
        "console"
    }

    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError> {
        let quit = self.quit.clone();
        match self.talk(line).await {
            // Whoever read our output has gone, which is a way to end it.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                quit.cancel();
                Ok(())
            }
            Err(error) => Err(ChannelError { channel: "console", reason: error.to_string() }),
            Ok(()) => Ok(()),
        }
    }
}
