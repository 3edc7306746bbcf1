//! The console: a person at a terminal, or the lines of a pipe.
//!
//! On stdout stands what was said and done: words, and one line for each action with its outcome. Progress
//! and everything about the agent itself go to stderr.

mod input;
mod piped;
mod plain;
mod screen;
mod terminal;

use std::io::IsTerminal;
use std::path::PathBuf;

use async_trait::async_trait;
use protocol::Principal;

use super::{Channel, ChannelError, Line};

/// The console of this process.
#[derive(Debug)]
pub struct Console {
    /// Who sits there.
    pub principal: Principal,
    /// Where the lines that were typed are kept for the arrow keys.
    pub typed: PathBuf,
}

#[async_trait]
impl Channel for Console {
    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError> {
        let ended = if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            terminal::run(*self, line).await
        } else {
            piped::run(*self, line).await
        };
        match ended {
            // Whoever read our output has gone, which is a way to end it.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(ChannelError { channel: "console", reason: error.to_string() }),
            Ok(()) => Ok(()),
        }
    }
}
