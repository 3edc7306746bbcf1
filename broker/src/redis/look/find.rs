//! Everything that is known of one id.

use protocol::json::MAX_BYTES;
use protocol::{MessageId, Object, Reply};
use redis::AsyncCommands as _;

use super::entry::Entry;
use super::lane::Lane;
use super::letters::Letter;
use super::target::Target;
use super::{CHUNK, Look, LookError, Range};

/// Everything that is known of one id.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What routers remember of it.
    pub state: Option<State>,
    /// Where it waits or runs; more than once when there are copies.
    pub entries: Vec<Entry>,
    /// Its dead letters, the newest first.
    pub letters: Vec<Letter>,
    /// Whether a reply to it waits to be fetched.
    pub reply_waits: bool,
}

/// What routers remember of an id.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// It is in the hands of this router.
    Running {
        /// Its name.
        router: String,
    },
    /// It was handed back and waits to be begun again.
    Again,
    /// It was taken back, and will be answered so if it comes.
    Cancelled,
    /// It has ended.
    Done {
        /// The fields of its reply, as they were sent.
        reply: Object,
        /// How long that is still remembered.
        kept_ms: u64,
    },
}

impl Found {
    /// Whether that is nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.state.is_none()
            && self.entries.is_empty()
            && self.letters.is_empty()
            && !self.reply_waits
    }
}

impl Look {
    /// Looks for a command everywhere, or for one dead letter.
    ///
    /// # Errors
    /// [`LookError`] when the server can't be asked.
    pub async fn find(&self, target: &Target) -> Result<Found, LookError> {
        let mut letters = Vec::new();
        match target {
            Target::Letter(name) => {
                self.each_letter("", |letter| {
                    if letter.name == *name {
                        letters.push(letter);
                    }
                    letters.is_empty()
                })
                .await?;
                Ok(Found { state: None, entries: Vec::new(), letters, reply_waits: false })
            }
            Target::Id(id) => {
                // In this order: what moves on between two looks is seen at the latest where it ends.
                let mut entries = self.waiting(id).await?;
                self.each_in_hand(|entry| keep(&mut entries, entry, id)).await?;
                self.mark_cancelled(&mut entries).await.map_err(|error| self.error(&error))?;
                let state = self.state(id).await?;
                self.each_letter(id.as_str(), |letter| {
                    if letter.dead.message_id.as_deref() == Some(id.as_str()) {
                        letters.push(letter);
                    }
                    letters.len() < CHUNK
                })
                .await?;
                let reply_waits = self.commands.clone().exists(self.keys.names.reply(id)).await;
                let reply_waits = reply_waits.map_err(|error| self.error(&error))?;
                Ok(Found { state, entries, letters, reply_waits })
            }
        }
    }

    /// Where a command waits. Each lane is read from the end at which commands are put: what is taken from the
    /// other end meanwhile moves nothing out of sight.
    async fn waiting(&self, id: &MessageId) -> Result<Vec<Entry>, LookError> {
        let mut entries = Vec::new();
        for lane in Lane::ALL {
            let mut first = 0;
            loop {
                let range = Range::chunk(first, MAX_BYTES + 256, 256);
                let peeked = self.peek(lane.key(&self.keys), range, id.as_str()).await?;
                for (size, bytes) in peeked.elements {
                    keep(&mut entries, Entry::waiting(lane, size, &bytes, self.now), id);
                }
                if peeked.count < CHUNK {
                    break;
                }
                first += CHUNK as i64;
            }
        }
        Ok(entries)
    }

    async fn state(&self, id: &MessageId) -> Result<Option<State>, LookError> {
        let key = self.keys.state(id);
        let (state, kept_ms): (Option<Vec<u8>>, i64) = redis::pipe()
            .get(&key)
            .pttl(&key)
            .query_async(&mut self.commands.clone())
            .await
            .map_err(|error| self.error(&error))?;
        Ok(state.and_then(|state| State::read(&state, u64::try_from(kept_ms).unwrap_or(0))))
    }
}

fn keep(entries: &mut Vec<Entry>, entry: Entry, id: &MessageId) {
    if entry.id.as_deref() == Some(id.as_str()) && entries.len() < CHUNK {
        entries.push(entry);
    }
}

impl State {
    fn read(state: &[u8], kept_ms: u64) -> Option<Self> {
        if let Some(reply) = state.strip_prefix(b"done ") {
            let reply = Reply::from_bytes(reply).map(|reply| reply.fields).unwrap_or_default();
            return Some(Self::Done { reply, kept_ms });
        }
        let state = std::str::from_utf8(state).ok()?;
        match state.split(' ').collect::<Vec<_>>()[..] {
            ["again"] => Some(Self::Again),
            ["cancelled"] => Some(Self::Cancelled),
            ["running", router, ..] => Some(Self::Running { router: router.to_owned() }),
            _ => None,
        }
    }
}
