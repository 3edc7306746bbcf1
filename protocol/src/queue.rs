//! The names of the keys on Redis, and how long what they hold lives.

use crate::{MessageId, Priority, SessionKey};

/// The command queue of the first SafeClaw, and still the default.
pub const DEFAULT_COMMAND_QUEUE: &str = "safeclaw:command_queue";

/// The prefix of reply keys of the first SafeClaw, and still the default.
pub const DEFAULT_RESPONSE_PREFIX: &str = "safeclaw:response:";

/// How long a reply waits to be fetched, in milliseconds.
pub const REPLY_TTL_MS: u64 = 120_000;

/// How many commands may wait in a lane: more are answered `queue_full`.
pub const WAITING_MOST: usize = 1_000;

/// How long a session's events are kept, in milliseconds: 24 hours.
pub const EVENTS_TTL_MS: u64 = 24 * 60 * 60 * 1_000;

/// How many events a session keeps at most.
pub const EVENTS_KEPT: usize = 1_000;

/// How long a published catalogue is believed, in milliseconds: a router that lives renews it, so its
/// presence says that one does.
pub const CATALOG_TTL_MS: u64 = 15_000;

/// The keys that agents and routers of one installation share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueNames {
    command_queue: String,
    response_prefix: String,
}

impl Default for QueueNames {
    fn default() -> Self {
        Self::new(DEFAULT_COMMAND_QUEUE, DEFAULT_RESPONSE_PREFIX)
    }
}

impl QueueNames {
    /// Names under this queue and this prefix of reply keys.
    #[must_use]
    pub fn new(command_queue: impl Into<String>, response_prefix: impl Into<String>) -> Self {
        Self { command_queue: command_queue.into(), response_prefix: response_prefix.into() }
    }

    /// The list of commands: pushed on the left, taken from the right.
    #[must_use]
    pub fn commands(&self) -> &str {
        &self.command_queue
    }

    /// The list that the reply to `id` is pushed to.
    #[must_use]
    pub fn reply(&self, id: &MessageId) -> String {
        format!("{}{id}", self.response_prefix)
    }

    /// The list that an agent pushes commands of this priority to, once it knows that a router of this
    /// version lives. Commands of normal priority, and all of the first SafeClaw's, go to [`Self::commands`].
    #[must_use]
    pub fn lane(&self, priority: Priority) -> String {
        match priority {
            Priority::Interactive => self.tagged("q:hi"),
            Priority::Normal => self.command_queue.clone(),
            Priority::Background => self.tagged("q:lo"),
        }
    }

    /// The published catalogue.
    #[must_use]
    pub fn catalog(&self) -> String {
        self.tagged("catalog")
    }

    /// The list of a session's events.
    #[must_use]
    pub fn events(&self, session: &SessionKey) -> String {
        format!("{}{session}", self.events_prefix())
    }

    /// The prefix of every list of events.
    #[must_use]
    pub fn events_prefix(&self) -> String {
        self.tagged("events:")
    }

    /// The list by which an agent takes commands back.
    #[must_use]
    pub fn control(&self) -> String {
        self.tagged("control")
    }

    /// The dead letters: commands that were given up, with the reason.
    #[must_use]
    pub fn dead_letters(&self) -> String {
        self.tagged("dlq")
    }

    /// The prefix of every reply key.
    #[must_use]
    pub fn response_prefix(&self) -> &str {
        &self.response_prefix
    }

    /// `{queue}:name`, for the keys that only routers use. The braces put the key into the queue's own slot of a Redis Cluster, because a key
    /// without braces hashes as a whole. A queue that has a tag of its own keeps it.
    #[must_use]
    pub fn tagged(&self, name: &str) -> String {
        let queue = &self.command_queue;
        let own_tag = queue.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
        match own_tag {
            Some((tag, _)) if !tag.is_empty() => format!("{{{tag}}}:{name}"),
            _ => format!("{{{queue}}}:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_share_the_slot_of_the_queue() {
        let names = QueueNames::default();
        assert_eq!(names.catalog(), "{safeclaw:command_queue}:catalog");
        assert_eq!(names.control(), "{safeclaw:command_queue}:control");
        assert_eq!(names.lane(Priority::Interactive), "{safeclaw:command_queue}:q:hi");
        assert_eq!(names.lane(Priority::Normal), names.commands());
        assert_eq!(QueueNames::new("a{b}c", "r:").catalog(), "{b}:catalog");
        assert_eq!(QueueNames::new("a{}c", "r:").catalog(), "{a{}c}:catalog");
    }
}
