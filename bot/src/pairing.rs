//! Who the owner is: whoever sends the code that is shown at the owner's terminal.

use std::collections::HashMap;
use std::time::Duration;

use teloxide_core::types::{Chat, Message, Update, UpdateKind, User};
use tokio::time::{sleep, timeout};

use crate::client::Around;
use crate::client::Client;
use crate::fault::Fault;
use crate::styled::Styled;

/// How long a code can be sent.
const LIVES: Duration = Duration::from_secs(600);
/// How many wrong codes one user may send, and is heard no more then.
const TRIES: usize = 5;
/// How many wrong codes of all users end it.
const MOST_TRIES: usize = 50;
/// How many characters a code has, of which each is one of 32: a hit in fifty tries is one in 10^10.
const LENGTH: usize = 8;
/// Digits and letters that nobody takes for another one.
const LETTERS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const AGAIN: Duration = Duration::from_secs(1);

/// A code that waits for its person.
#[derive(Debug)]
pub struct Pairing {
    code: String,
    /// How many wrong codes have come, and from whom.
    wrong: HashMap<u64, usize>,
}

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
        "{MOST_TRIES} wrong codes have come, so this one counts no more; run it again for a new one"
    )]
    Guessed,
    /// Nobody has sent it.
    #[error("nobody has sent the code within {} minutes; run it again for a new one", LIVES.as_secs() / 60)]
    Late,
}

/// What a message is to a pairing.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Code,
    Wrong,
    Other,
}

impl Pairing {
    /// One with a code that nobody knows yet.
    pub fn begin() -> Self {
        let random = uuid::Uuid::new_v4().into_bytes();
        // Two of the bytes have bits that are always the same.
        let bytes = random[..6].iter().chain(&random[9..]).take(LENGTH);
        let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
        Self { code: bytes.map(letter).collect(), wrong: HashMap::new() }
    }

    /// The code as people read it.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Waits until somebody has sent the code in a private chat, and tells them.
    pub async fn wait(
        self,
        client: &Client,
        tell: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Paired, PairError> {
        timeout(LIVES, self.listen(client, tell)).await.unwrap_or(Err(PairError::Late))
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
                let Some((chat, user, text)) = private(&update) else { continue };
                match self.hear(user.id.0, text) {
                    Heard::Code => {
                        let done = Styled::plain(
                            "You are the owner now. /help shows what can be said here.",
                        );
                        // That there is an owner does not hang on this being read, nor on the update being confirmed.
                        let _ = client.send(chat.id, &done, Around::default()).await;
                        let _ = client.updates_within(offset, 0).await;
                        return Ok(Paired { user: user.id.0, name: user.full_name() });
                    }
                    Heard::Wrong if self.wrong.values().sum::<usize>() >= MOST_TRIES => {
                        return Err(PairError::Guessed);
                    }
                    Heard::Wrong => tell(&format!(
                        "a wrong code has come from user {}; who sends {TRIES} is heard no more",
                        user.id
                    )),
                    Heard::Other => {}
                }
            }
        }
    }

    /// What `text` is. `/start`, which Telegram says by itself, is no try; a link may send the code behind it.
    fn hear(&mut self, user: u64, text: &str) -> Heard {
        let text = text.trim();
        let said = text.strip_prefix("/start").map_or(text, str::trim_start);
        let of_letters = said.bytes().all(|byte| LETTERS.contains(&byte.to_ascii_uppercase()));
        let tries = self.wrong.get(&user).copied().unwrap_or(0);
        if said.len() != LENGTH || !of_letters || tries >= TRIES {
            return Heard::Other;
        }
        if said.eq_ignore_ascii_case(&self.code) {
            return Heard::Code;
        }
        self.wrong.insert(user, tries + 1);
        Heard::Wrong
    }
}

/// A text of a person in their private chat.
fn private(update: &Update) -> Option<(&Chat, &User, &str)> {
    let UpdateKind::Message(message) = &update.kind else { return None };
    let user = message.from.as_ref().filter(|user| !user.is_bot)?;
    let is_own = message.chat.is_private() && i64::try_from(user.id.0) == Ok(message.chat.id.0);
    let is_said = message.forward_origin().is_none();
    Some((&message.chat, user, Message::text(message)?)).filter(|_| is_own && is_said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_differ_and_can_be_read() {
        let (one, other) = (Pairing::begin(), Pairing::begin());
        assert_ne!(one.code, other.code);
        assert!(one.code.len() == LENGTH && one.code.bytes().all(|b| LETTERS.contains(&b)));
    }

    #[test]
    fn what_looks_like_a_code_is_a_try() {
        let mut pairing = Pairing { code: "ABCD2345".to_owned(), wrong: HashMap::new() };
        for other in ["/start", "hello there", "", "ABCD-2345", "tomorrow", "anything"] {
            assert_eq!(pairing.hear(7, other), Heard::Other, "{other}");
        }
        assert_eq!(pairing.hear(7, "ABCD2346"), Heard::Wrong);
        for code in [" abcd2345 ", "/start ABCD2345"] {
            assert_eq!(pairing.hear(7, code), Heard::Code, "{code}");
        }
    }

    #[test]
    fn who_guesses_is_heard_no_more_and_everybody_else_is() {
        let mut pairing = Pairing { code: "ABCD2345".to_owned(), wrong: HashMap::new() };
        for _ in 0..TRIES {
            assert_eq!(pairing.hear(7, "mustache"), Heard::Wrong);
        }
        assert_eq!(pairing.hear(7, "ABCD2345"), Heard::Other);
        assert_eq!(pairing.hear(8, "ABCD2345"), Heard::Code);
    }
}
