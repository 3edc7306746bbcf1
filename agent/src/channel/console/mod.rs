//! The console: a person at a terminal, or the lines of a pipe.
//!
//! On stdout stands what was said and done: words, and one line for each action with its outcome. Progress
//! and everything about the agent itself go to stderr.

mod editor;
mod exchange;
mod input;
mod interrupts;
mod piped;
mod plain;
mod restore;
mod screen;
mod terminal;

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use async_trait::async_trait;
use protocol::{Principal, SessionKey};

use self::editor::Editor;
use self::exchange::Exchange;
#[cfg(feature = "telegram")]
pub(super) use self::plain::harmless;
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
}

impl Console {
    async fn talk(self, line: Line) -> io::Result<()> {
        let exchange = Exchange::new(self.session, self.principal, line)?;
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            match Editor::start(self.typed) {
                Ok(editor) => return terminal::run(editor, exchange).await,
                Err(error) => tracing::info!(%error, "this terminal can't edit lines"),
            }
        }
        piped::run(exchange).await
    }
}

#[async_trait]
impl Channel for Console {
    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError> {
        match self.talk(line).await {
            // Whoever read our output has gone, which is a way to end it.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(ChannelError { channel: "console", reason: error.to_string() }),
            Ok(()) => Ok(()),
        }
    }
}
