//! A command on its way, and its reply.

use protocol::sign::{About, BadSignature, RESENT};
use protocol::{Command, MessageId, Priority, Reply, WAITING_MOST, json};
use redis::{AsyncCommands, ErrorKind, RedisError};
use tokio::time::{Instant, timeout_at};

use super::link::BackOff;
use super::requester::Shared;
use crate::requester::RequestError;

/// A command as it is put into its lane.
pub(super) struct Sent {
    id: MessageId,
    lane: String,
    bytes: Vec<u8>,
    /// What to send when nobody knows what has become of it; nothing where it must not be sent twice.
    again: Option<Vec<u8>>,
}

impl Shared {
    /// `ours` says whether a router of this version lives: one of the first version knows one lane only, and runs
    /// twice what is sent twice.
    pub(super) fn sent(&self, command: Command, ours: bool) -> Result<Sent, RequestError> {
        let mut bytes = command.to_bytes();
        if let Some(keys) = &self.keys {
            bytes = keys.sign(&About::command(&command), bytes);
        }
        let priority = if ours { command.envelope.priority } else { Priority::Normal };
        // Behind the signature, so that both are the same signed command.
        let again =
            ours.then(|| [&bytes[..bytes.len().saturating_sub(1)], RESENT.as_bytes()].concat());
        let size = again.as_ref().unwrap_or(&bytes).len();
        if size > json::MAX_BYTES {
            return Err(RequestError::TooLarge { size, limit: json::MAX_BYTES });
        }
        Ok(Sent { id: command.message_id, lane: self.names.lane(priority), bytes, again })
    }

    /// Whether these bytes are the reply to what was sent, as far as signatures can tell.
    fn is_reply(&self, sent: &Sent, bytes: &[u8]) -> Result<(), BadSignature> {
        let Some(keys) = &self.keys else { return Ok(()) };
        keys.verify(&About::reply(&sent.id), bytes).map(drop)
    }

    /// Puts a command into its lane, unless that is full. The error that it gives back is one after which nobody
    /// knows whether the command is there, and after which it may be sent again.
    pub(super) async fn push(
        &self,
        sent: &Sent,
        until: Instant,
    ) -> Result<Option<RedisError>, RequestError> {
        let late = || RedisError::from((ErrorKind::Io, "it did not answer in time"));
        // Asking first also finds out that a connection is broken before anything hangs on it.
        let asked = timeout_at(until, async {
            match self.waiting(&sent.lane).await {
                Err(error) if error.is_connection_dropped() => self.waiting(&sent.lane).await,
                asked => asked,
            }
        });
        let waiting = asked.await.unwrap_or_else(|_| Err(late()));
        let waiting = waiting.map_err(|error| self.unsent(&error))?;
        if waiting >= WAITING_MOST {
            return Err(RequestError::Full { waiting });
        }
        let pushed = timeout_at(until, self.lpush(&sent.lane, &sent.bytes)).await;
        match pushed.unwrap_or_else(|_| Err(late())) {
            Ok(()) => Ok(None),
            Err(error) if error.is_connection_refusal() || error.code().is_some() => {
                Err(self.unsent(&error))
            }
            Err(error) if sent.again.is_some() => Ok(Some(error)),
            Err(error) => Err(self.uncertain(&error)),
        }
    }

    /// Waits for the reply until `until`, through as many broken connections as it takes; the first may be broken
    /// already. After each of them the command is sent again, because the server may have forgotten it or have
    /// handed its reply to nobody: what waits is there once, and what was answered gets the same reply again.
    pub(super) async fn pop_reply(
        &self,
        sent: &Sent,
        mut broken: Option<RedisError>,
        until: Instant,
    ) -> Result<Option<Reply>, RequestError> {
        let key = self.names.reply(&sent.id);
        let mut back_off = BackOff::new();
        let reading = async {
            loop {
                let resent = match (&broken, &sent.again) {
                    (Some(_), Some(again)) => self.lpush(&sent.lane, again).await,
                    _ => Ok(()),
                };
                // A server that takes nothing may still have the reply.
                let popped = self.pop_once(&key).await;
                let popped = match (resent, popped) {
                    (_, Ok(Some(bytes))) => Ok(Some(bytes)),
                    (Err(error), _) | (Ok(()), Err(error)) => Err(error),
                    (Ok(()), Ok(None)) => Ok(None),
                };
                match popped {
                    Ok(Some(bytes)) => match self.is_reply(sent, &bytes) {
                        Ok(()) => return read(&bytes),
                        Err(why) => {
                            // Somebody else has put it there. The real one may still come.
                            tracing::warn!(id = %sent.id, "a reply is not believed: {why}");
                            broken = None;
                        }
                    },
                    Ok(None) => broken = None,
                    Err(error) => {
                        tracing::debug!(error = self.address.explain(&error), "no reply yet");
                        broken = Some(error);
                        back_off.pause().await;
                        continue;
                    }
                }
                back_off.reset();
            }
        };
        match (timeout_at(until, reading).await, broken) {
            (Ok(reply), _) => Ok(Some(reply?)),
            (Err(_), None) => Ok(None),
            (Err(_), Some(error)) => Err(self.uncertain(&error)),
        }
    }

    async fn waiting(&self, lane: &str) -> Result<usize, RedisError> {
        self.commands.clone().llen(lane).await
    }

    async fn lpush(&self, lane: &str, bytes: &[u8]) -> Result<(), RedisError> {
        self.commands.clone().lpush(lane, bytes).await
    }

    fn unsent(&self, error: &RedisError) -> RequestError {
        let (address, reason) = (self.address.shown().to_owned(), self.address.explain(error));
        RequestError::Unsent { address, reason }
    }

    fn uncertain(&self, error: &RedisError) -> RequestError {
        let (address, reason) = (self.address.shown().to_owned(), self.address.explain(error));
        RequestError::Uncertain { address, reason }
    }
}

/// Reads a reply. Its signature has been looked at, and is nothing that anybody should see.
fn read(bytes: &[u8]) -> Result<Reply, json::JsonError> {
    let mut reply = Reply::from_bytes(bytes)?;
    reply.fields.shift_remove("key_id");
    reply.fields.shift_remove("mac");
    Ok(reply)
}
