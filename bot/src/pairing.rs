//! Who the owner is: whoever sends the code that is shown at the owner's terminal.

use std::time::Duration;

use business::{CodeTry, Invitation};
use teloxide_core::types::{Message, Update, UpdateKind, User};
use tokio::time::{sleep, timeout};

use crate::client::Around;
use crate::client::Client;
use crate::fault::Fault;
use crate::styled::Styled;

const AGAIN: Duration = Duration::from_secs(1);

/// A code that waits for its person.
#[derive(Debug)]
pub struct Pairing(Invitation);

/// Who has sent the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paired {
    /// Their id.
    pub user: u64,
    /// Their name, as they have set it.
    pub name: String,
}

/// Why nobody is the owner now.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// Telegram can't be asked.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Somebody guesses.
    #[error(
        "{} wrong codes have come, so this one counts no more; run it again for a new one",
        Invitation::MOST_TRIES
    )]
    Guessed,
    /// Nobody has sent it.
    #[error("nobody has sent the code within {} minutes; run it again for a new one", Invitation::LIVES.as_secs() / 60)]
    Late,
}

impl Pairing {
    /// One with a code that nobody knows yet.
    pub fn begin() -> Self {
        Self(Invitation::begin())
    }

    /// The code as people read it.
    pub fn code(&self) -> &str {
        self.0.code()
    }

    /// Waits until somebody has sent the code in a private chat, and tells them.
    pub async fn wait(
        self,
        client: &Client,
        tell: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Paired, PairError> {
        timeout(Invitation::LIVES, self.listen(client, tell)).await.unwrap_or(Err(PairError::Late))
    }

    async fn listen(
        mut self,
        client: &Client,
        tell: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Paired, PairError> {
        let mut offset = None;
        loop {
            let updates = match client.updates(offset).await {
                Err(Fault::Webhook) => {
                    client.delete_webhook().await?;
                    continue;
                }
                Err(fault) if fault.passes() => {
                    tell(&format!("{fault}; trying again"));
                    sleep(AGAIN).await;
                    continue;
                }
                updates => updates?,
            };
            for update in updates {
                offset = Some(update.id.0.saturating_add(1));
                let Some((message, user, text)) = private(&update) else { continue };
                match self.0.hear(user.id.0, text) {
                    CodeTry::Right => {
                        let done = Styled::plain(
                            "You are the owner now. /help shows what can be said here.",
                        );
                        // That there is an owner does not hang on this being read, nor on the update being confirmed.
                        let _ = client.send(message.chat.id, &done, Around::default()).await;
                        let _ = client.updates_within(offset, 0).await;
                        return Ok(Paired { user: user.id.0, name: user.full_name() });
                    }
                    CodeTry::Wrong(_) if self.0.is_guessed() => return Err(PairError::Guessed),
                    CodeTry::Wrong(_) => tell(&format!(
                        "a wrong code has come from user {}; who sends {} is heard no more",
                        user.id,
                        Invitation::TRIES
                    )),
                    CodeTry::Other => {}
                }
            }
        }
    }
}

/// A text of a person in their private chat.
#[must_use]
pub fn private(update: &Update) -> Option<(&Message, &User, &str)> {
    let UpdateKind::Message(message) = &update.kind else { return None };
    let user = message.from.as_ref().filter(|user| !user.is_bot)?;
    let is_own = message.chat.is_private() && i64::try_from(user.id.0) == Ok(message.chat.id.0);
    let is_said = message.forward_origin().is_none();
    Some((message, user, Message::text(message)?)).filter(|_| is_own && is_said)
}
