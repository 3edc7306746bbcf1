//! The words by which agents take commands back: `{"cancel": id}`, one each in the list `control`.
//!
//! Without keys a script takes them in, whoever has pushed them. With keys they are signed, which no script on the server can
//! look at: so it hands them to the router, which says which of them count. They stay in the list until then, and a claim
//! takes nothing before, so a router that dies in between has lost none, and what was taken back is not begun.

use protocol::sign::{AHEAD_MOST_MS, About, Keys, LIFE_MOST_MS, REMEMBERED_AFTER_MS};
use protocol::{MessageId, Millis};
use redis::RedisError;
use serde::{Deserialize, Serialize};

use super::life::Life;
use super::scripts::{HEAR, HEED};

/// How long it is remembered that a command was taken back that may be signed: as long as it may be begun.
const REMEMBERED_MS: u64 = LIFE_MOST_MS + REMEMBERED_AFTER_MS;

/// One word, without its signature.
#[derive(Debug, Serialize, Deserialize)]
struct Word {
    /// The command that is taken back.
    cancel: MessageId,
    /// When, by the broker's clock; there where it is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    issued_at: Option<Millis>,
}

/// The word that takes `id` back, signed if there are keys.
pub(super) fn word(id: &MessageId, keys: Option<&Keys>, now: Millis) -> Vec<u8> {
    let word = Word { cancel: id.clone(), issued_at: keys.map(|_| now) };
    // An id and a number always have a JSON form.
    let bytes = serde_json::to_vec(&word).unwrap_or_default();
    match keys {
        Some(keys) => keys.sign(&About::cancel(id), bytes),
        None => bytes,
    }
}

/// What a word takes back, if an agent with the key has said it within the time that a command may be begun in.
fn believed(word: &[u8], keys: &Keys, now: Millis) -> Result<String, String> {
    let read: Word = serde_json::from_slice(word).map_err(|error| error.to_string())?;
    keys.verify(&About::cancel(&read.cancel), word).map_err(|why| why.to_string())?;
    let issued_at = read.issued_at.ok_or("it does not say when")?;
    if issued_at.0 > now.0.saturating_add(AHEAD_MOST_MS) {
        return Err("it is signed for a time to come".to_owned());
    }
    if now.0 > issued_at.0.saturating_add(LIFE_MOST_MS) {
        return Err("it is old, as one that somebody has put there again".to_owned());
    }
    Ok(read.cancel.to_string())
}

impl Life {
    /// Takes in what agents have taken back since, where that needs a look at signatures.
    ///
    /// # Errors
    /// Those of the server.
    pub(super) async fn hear(&self) -> Result<(), RedisError> {
        if self.terms.keys.is_none() {
            return Ok(());
        }
        let hear = HEAR.key(&self.keys.control);
        let words: Vec<Vec<u8>> = hear.invoke_async(&mut self.commands()).await?;
        self.heed(&words).await
    }

    /// Takes in those of `words` that are rightly signed, and has all of them gone.
    ///
    /// # Errors
    /// Those of the server.
    pub(super) async fn heed(&self, words: &[Vec<u8>]) -> Result<(), RedisError> {
        let Some(keys) = self.terms.keys.as_ref().filter(|_| !words.is_empty()) else {
            return Ok(());
        };
        let now = self.clock.now();
        let mut heed = HEED.key(&self.keys.control);
        heed.arg(&self.keys.states).arg(REMEMBERED_MS);
        for word in words {
            let id = believed(word, keys, now).unwrap_or_else(|why| {
                tracing::warn!("a word that takes a command back is not believed: {why}");
                String::new()
            });
            heed.arg(word).arg(id);
        }
        heed.invoke_async(&mut self.commands()).await
    }
}
