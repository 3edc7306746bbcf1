//! What a person may do about a command: send it again, take it back, or let go of its letter.

use std::sync::LazyLock;

use protocol::MessageId;
use redis::{AsyncCommands as _, Script};

use super::letters::{Letter, NoCommand};
use super::{Lane, Look, LookError};
use crate::redis::control;

static RETRY: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("retry.lua")));
static CANCEL: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("cancel.lua")));

/// How long it is remembered that a person took a command back, in milliseconds: a week, for it must outlast
/// the command, which may lie there until somebody starts a router.
const REMEMBERED_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

/// Where a command was when it was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// Nobody had it. It is answered `cancelled` when its turn comes.
    Waiting,
    /// A router had it in its hands, and is told.
    Running,
    /// It had ended already.
    Done,
}

/// Why a letter was not sent again.
#[derive(Debug, thiserror::Error)]
pub enum RetryError {
    /// Nothing can be sent.
    #[error(transparent)]
    NoCommand(#[from] NoCommand),
    /// The command lives already.
    #[error("it waits or runs already; `{}` tells where", home::router_command("queue show ID"))]
    Known,
    /// Somebody else was faster.
    #[error("the dead letter is gone: somebody has retried or dropped it meanwhile")]
    Gone,
    /// The server.
    #[error(transparent)]
    Look(#[from] LookError),
}

impl Look {
    /// Sends the command of a dead letter again, as if it had never been sent, and takes the letter away, in one
    /// step. The action may take its effect twice: [`Letter::may_have_run`].
    ///
    /// # Errors
    /// [`RetryError`]; nothing has changed then.
    pub async fn retry(&self, letter: &Letter) -> Result<Lane, RetryError> {
        let (id, lane, command) = letter.again(&self.terms, self.now)?;
        let mut retry = RETRY.key(&self.keys.letters);
        retry.key(self.keys.state(&id)).key(lane.key(&self.keys));
        if !self.commands.is_cluster() {
            retry.key(self.keys.names.reply(&id));
        }
        retry.arg(&letter.bytes).arg(command);
        let sent: String = retry
            .invoke_async(&mut self.commands.clone())
            .await
            .map_err(|error| self.error(&error))?;
        match sent.as_str() {
            "sent" => Ok(lane),
            "known" => Err(RetryError::Known),
            _ => Err(RetryError::Gone),
        }
    }

    /// Takes a command back. What waits stays where it is until a router comes to it and answers it, so that
    /// whoever waits for it is told.
    ///
    /// # Errors
    /// [`LookError`] when the server can't be asked.
    pub async fn cancel(&self, id: &MessageId) -> Result<Cancelled, LookError> {
        let mut commands = self.commands.clone();
        let mut cancel = CANCEL.key(self.keys.state(id));
        cancel.arg(REMEMBERED_MS).arg(&self.keys.works);
        let was: String =
            cancel.invoke_async(&mut commands).await.map_err(|error| self.error(&error))?;
        match was.as_str() {
            "waiting" => Ok(Cancelled::Waiting),
            "done" => Ok(Cancelled::Done),
            _ => {
                // Its router would learn it with its next beat. This makes it beat now.
                let ring = control::word(id, self.terms.keys.as_deref(), self.now);
                let rung = commands.lpush::<_, _, ()>(&self.keys.control, ring).await;
                rung.map_err(|error| self.error(&error))?;
                Ok(Cancelled::Running)
            }
        }
    }

    /// Takes a letter away for good; whether it was still there.
    ///
    /// # Errors
    /// [`LookError`] when the server can't be asked.
    pub async fn remove(&self, letter: &Letter) -> Result<bool, LookError> {
        let removed = self.commands.clone().lrem(&self.keys.letters, 0, &letter.bytes).await;
        removed.map(|count: u64| count > 0).map_err(|error| self.error(&error))
    }
}
