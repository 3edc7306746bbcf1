//! Sending the command of a dead letter again.

use broker::redis::look::{Lane, Letter, Look, RetryError, Target};
use protocol::Command;

use crate::audit::{Deed, OwnersLog, Unrecorded};

/// Why a letter was not sent again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Again {
    #[error(transparent)]
    Unrecorded(#[from] Unrecorded),
    #[error("{id} was not sent again: {why}")]
    NotRetried { id: String, why: RetryError },
}

/// Sends it again, once that is written down.
///
/// # Errors
/// [`Again`].
pub(crate) async fn send_again(
    look: &Look,
    deeds: &OwnersLog,
    (target, letter): (&Target, &Letter),
) -> Result<Lane, Again> {
    let id = target.to_string();
    let again =
        async { look.retry(letter).await.map_err(|why| Again::NotRetried { id: id.clone(), why }) };
    deeds.doing(&Deed::Retry { target: target.to_string() }, again).await
}

/// What a person is asked before a command runs again that may have had its effect.
pub(crate) fn may_be_done_twice(letter: &Letter, command: &Command) -> String {
    let attempts = letter.dead.attempts;
    let begun = if attempts == 1 { "1 time".to_owned() } else { format!("{attempts} times") };
    format!(
        "{} ({}) was begun {begun} and never ended: {}.\n\
        Whatever it does to the world (a post, a message, an order) may then be done twice. Run it again?",
        command.action, command.message_id, letter.dead.message,
    )
}
