//! The keys that only routers use, beside those that [`QueueNames`] gives both sides.

use protocol::{MessageId, Priority, QueueNames};

/// The names of one installation's keys, made once.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    pub(super) names: QueueNames,
    /// The routers that live: a sorted set of router and the time of its last sign of life.
    pub(super) routers: String,
    /// The lane of what was handed back: it may have been begun before.
    pub(super) again: String,
    /// The lane of what nobody waits for any more.
    pub(super) stale: String,
    /// Interactive, normal and background.
    pub(super) lanes: [String; 3],
    pub(super) control: String,
    /// How many commands were taken, modulo the lanes' wheel: it says whose lane comes first.
    pub(super) wheel: String,
    /// Since when routers have watched each other without a break. It goes by itself when none does.
    pub(super) watched: String,
    pub(super) letters: String,
    /// Before a command's id: the string that says what state it is in.
    pub(super) states: String,
    /// Before a router's name: the hash of what it has in its hands.
    pub(super) works: String,
}

impl Keys {
    pub(super) fn new(names: QueueNames) -> Self {
        let lanes = [Priority::Interactive, Priority::Normal, Priority::Background];
        Self {
            routers: names.tagged("routers"),
            again: names.tagged("q:again"),
            stale: names.tagged("q:stale"),
            lanes: lanes.map(|priority| names.lane(priority)),
            control: names.control(),
            wheel: names.tagged("wheel"),
            watched: names.tagged("watched"),
            letters: names.dead_letters(),
            states: names.tagged("command:"),
            works: names.tagged("work:"),
            names,
        }
    }

    /// What `router` has in its hands.
    pub(super) fn work(&self, router: &str) -> String {
        format!("{}{router}", self.works)
    }

    /// The state of a command.
    pub(super) fn state(&self, id: &MessageId) -> String {
        format!("{}{id}", self.states)
    }
}
