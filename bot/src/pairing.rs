//! Who the owner is: whoever sends the code that is shown at the owner's terminal.

use std::time::Duration;

use business::{CodeTry, Invitation};
use teloxide_core::types::{Message, Update, UpdateKind, User};
use tokio::time::{sleep, timeout};

use crate::client::{Around, BATCH, Client};
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
    /// The update that held the code, which may still wait at the bot.
    pub update: u32,
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

    /// Leaves at the bot what others have written: no offset is named, which would take that away.
    async fn listen(
        mut self,
        client: &Client,
        tell: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Paired, PairError> {
        let mut heard = Heard::default();
        loop {
            let updates = match client.updates(heard.offset).await {
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
            let (count, before) = (updates.len(), heard.last);
            for update in updates.into_iter().filter(|update| before < Some(update.id.0)) {
                heard.last = Some(update.id.0);
                if let Some(paired) = self.hear(&update, &mut heard, client, tell).await? {
                    return Ok(paired);
                }
            }
            match heard.last != before {
                true => {}
                // The code may stand behind as many as are shown.
                false if count >= usize::from(BATCH) => {
                    tell(
                        "too many messages wait at the bot: the oldest are taken away, so that the code is found",
                    );
                    heard.offset = heard.after();
                }
                false => sleep(AGAIN).await,
            }
        }
    }

    /// Takes in one update; gives who has sent the code.
    async fn hear(
        &mut self,
        update: &Update,
        heard: &mut Heard,
        client: &Client,
        tell: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Option<Paired>, PairError> {
        let Some((message, user, text)) = private(update) else {
            heard.others = true;
            return Ok(None);
        };
        match self.0.hear(user.id.0, text) {
            CodeTry::Right => {
                let done =
                    Styled::plain("You are the owner now. /help shows what can be said here.");
                // That there is an owner does not hang on this being read.
                let _ = client.send(message.chat.id, &done, Around::default()).await;
                if !heard.others {
                    let _ = client.updates_within(heard.after(), 0).await;
                }
                return Ok(Some(Paired {
                    user: user.id.0,
                    name: user.full_name(),
                    update: update.id.0,
                }));
            }
            CodeTry::Wrong(_) if self.0.is_guessed() => {
                // They would count again the next time.
                let _ = client.updates_within(heard.after(), 0).await;
                return Err(PairError::Guessed);
            }
            CodeTry::Wrong(_) => tell(&format!(
                "a wrong code has come from user {}; who sends {} is heard no more",
                user.id,
                Invitation::TRIES
            )),
            // Whoever opens the chat says this and nothing else.
            CodeTry::Other => heard.others |= text.trim() != "/start",
        }
        Ok(None)
    }
}

/// What has been heard while a code waits.
#[derive(Debug, Default)]
struct Heard {
    /// The latest update that was looked at.
    last: Option<u32>,
    /// From where on the bot is asked; what comes before is taken away.
    offset: Option<u32>,
    /// Whether something waits that is no try of a code.
    others: bool,
}

impl Heard {
    /// The offset that takes away all that was looked at.
    fn after(&self) -> Option<u32> {
        self.last.map(|last| last.saturating_add(1))
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
