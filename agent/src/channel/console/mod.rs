//! The console: a person at a terminal, or the lines of a pipe.
//!
//! On stdout stands what was said and done: words, and one line for each action with its outcome. Progress
//! and everything about the agent itself go to stderr.

mod above;
mod editor;
mod exchange;
mod gathered;
mod input;
mod interrupts;
mod keys;
mod once;
mod open_questions;
mod piped;
mod restore;
mod screen;
mod terminal;

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use async_trait::async_trait;
use protocol::{Principal, SessionKey};
use tokio_util::sync::CancellationToken;

use self::editor::Editor;
use self::exchange::Exchange;
pub use self::once::{OneMessage, Outcome};
use super::{Channel, ChannelError, Line};

/// The console of this process.
#[derive(Debug)]
pub struct Console {
    /// Whose session it is.
    pub session: SessionKey,
    /// Who sits there.
    pub principal: Principal,
    /// Where the lines that were typed are kept for the arrow keys.
    pub typed: PathBuf,
    /// Cancelled when the person here wants the agent to end.
    pub quit: CancellationToken,
    /// What is said instead of what is typed.
    pub says: Option<OneMessage>,
}

impl Console {
    async fn talk(self, line: Line) -> io::Result<()> {
        let typed = self.typed.clone();
        let says = self.says.clone();
        let exchange = Exchange::new(self, line)?;
        if let Some(message) = says {
            return once::run(exchange, &message).await;
        }
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        if is_terminal {
            match Editor::start(typed) {
                Ok(editor) => return terminal::run(editor, exchange).await,
                Err(error) => tracing::info!(%error, "this terminal can't edit lines"),
            }
        }
        piped::run(exchange, is_terminal).await
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
