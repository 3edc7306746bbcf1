//! What waits and what runs, the oldest first.

use protocol::json::MAX_BYTES;
use redis::{AsyncCommands as _, RedisError};

use super::entry::Entry;
use super::lane::Lane;
use super::standing::MOST_ROUTERS;
use super::{CHUNK, Look, LookError, Range};

/// As much of a state as says whether a command was taken back: more than a router's name and a field.
const STATE_BYTES: isize = 127;

/// What waits and what runs, or the beginning of that.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// What runs, then what waits, lane by lane, the oldest first.
    pub entries: Vec<Entry>,
    /// How many there were in all.
    pub total: u64,
}

impl Look {
    /// The first `limit` commands: all that run and wait, or those that wait in `lane`.
    ///
    /// # Errors
    /// [`LookError`] when the server can't be asked.
    pub async fn list(&self, lane: Option<Lane>, limit: usize) -> Result<Listed, LookError> {
        let (mut entries, mut total) = (Vec::new(), 0);
        if lane.is_none() {
            total += self.each_in_hand(|entry| push(&mut entries, entry, limit)).await?;
        }
        for lane in Lane::ALL.into_iter().filter(|one| lane.is_none_or(|lane| lane == *one)) {
            let waiting: u64 = self
                .commands
                .clone()
                .llen(lane.key(&self.keys))
                .await
                .map_err(|error| self.error(&error))?;
            total += waiting;
            self.oldest(lane, &mut entries, limit).await?;
        }
        self.mark_cancelled(&mut entries).await.map_err(|error| self.error(&error))?;
        Ok(Listed { entries, total })
    }

    /// Adds what waits in a lane, the oldest first, until there are `limit`.
    async fn oldest(
        &self,
        lane: Lane,
        entries: &mut Vec<Entry>,
        limit: usize,
    ) -> Result<(), LookError> {
        let mut seen = 0;
        while entries.len() < limit {
            let chunk = CHUNK.min(limit - entries.len()) as i64;
            let range =
                Range { first: -seen - chunk, last: -seen - 1, whole: MAX_BYTES + 256, kept: 256 };
            let peeked = self.peek(lane.key(&self.keys), range, "").await?;
            for (size, bytes) in peeked.elements.into_iter().rev() {
                entries.push(Entry::waiting(lane, size, &bytes, self.now).listed());
            }
            if (peeked.count as i64) < chunk {
                break;
            }
            seen += chunk;
        }
        Ok(())
    }

    /// Hands what routers have in their hands to `each`, and gives how many there were.
    pub(super) async fn each_in_hand(&self, mut each: impl FnMut(Entry)) -> Result<u64, LookError> {
        let mut commands = self.commands.clone();
        let last = MOST_ROUTERS as isize - 1;
        let routers: Vec<String> = commands
            .zrange(&self.keys.routers, 0, last)
            .await
            .map_err(|error| self.error(&error))?;
        let mut count = 0;
        for router in routers {
            let mut cursor: u64 = 0;
            loop {
                let mut scan = redis::cmd("HSCAN");
                scan.arg(self.keys.work(&router)).arg(cursor).arg("COUNT").arg(CHUNK);
                let (next, held): (u64, Vec<(u64, Vec<u8>)>) =
                    scan.query_async(&mut commands).await.map_err(|error| self.error(&error))?;
                count += held.len() as u64;
                held.iter().for_each(|(_, bytes)| each(Entry::in_hand(&router, bytes, self.now)));
                cursor = next;
                if cursor == 0 {
                    break;
                }
            }
        }
        Ok(count)
    }

    /// Learns which of them were taken back.
    pub(super) async fn mark_cancelled(&self, entries: &mut [Entry]) -> Result<(), RedisError> {
        for chunk in entries.chunks_mut(CHUNK) {
            let mut states = redis::pipe();
            for entry in chunk.iter() {
                let id = entry.id.as_deref().unwrap_or_default();
                states.getrange(format!("{}{id}", self.keys.states), 0, STATE_BYTES);
            }
            let states: Vec<Vec<u8>> = states.query_async(&mut self.commands.clone()).await?;
            for (entry, state) in chunk.iter_mut().zip(states) {
                let running = state.starts_with(b"running ") && state.ends_with(b" cancelled");
                entry.cancelled = entry.id.is_some() && (running || state == b"cancelled");
            }
        }
        Ok(())
    }
}

fn push(entries: &mut Vec<Entry>, entry: Entry, limit: usize) {
    if entries.len() < limit {
        entries.push(entry.listed());
    }
}
