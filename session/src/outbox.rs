//! The way out to the people of a session.

use conversation::message::Outgoing;
use document::Notice;
use model::Progress;
use protocol::{Principal, SessionKey};

use super::Lines;

/// Says things to the people of one session, on every channel where they are.
#[derive(Debug, Clone)]
pub struct Outbox {
    session: SessionKey,
    lines: Lines,
}

impl Outbox {
    /// The outbox of `session` over these lines.
    #[must_use]
    pub fn new(session: SessionKey, lines: &Lines) -> Self {
        Self { session, lines: lines.clone() }
    }

    /// Says one thing.
    pub fn say(&self, outgoing: Outgoing) {
        self.lines.say(&self.session, outgoing);
    }

    /// Says one thing in another session.
    pub fn say_in(&self, session: &SessionKey, outgoing: Outgoing) {
        self.lines.say(session, outgoing);
    }

    /// Says one thing where `principal` is, and nowhere else: no other channel of the session hears it.
    pub fn whisper(&self, principal: &Principal, outgoing: Outgoing) {
        let channel = principal.as_str().split(':').next().unwrap_or_default();
        self.lines.say_on(channel, &self.session, outgoing);
    }

    /// Says one thing on every channel of the owner's but the one of this name.
    pub fn say_beside(&self, name: &str, outgoing: &Outgoing) {
        self.lines.say_beside(name, outgoing);
    }

    /// Says how a model gets on with `what`, apart from its words: how long it takes, and what else people should know.
    pub fn say_progress(&self, what: &str, progress: &Progress<'_>) {
        if let Some(wait) = progress.wait(what) {
            self.say(Outgoing::Waiting(wait));
        }
        if let Progress::Notice(notice) = progress {
            self.say_notice(notice);
        }
    }

    /// Says what happened; to a guest what of it concerns one.
    pub(crate) fn say_notice(&self, notice: &Notice) {
        match notice.told_to(self.is_owners()) {
            Some(text) => self.say(Outgoing::Notice(text.to_owned())),
            None => tracing::info!("session {}: {notice}", self.session),
        }
    }

    /// Whether the owner hears it. Every other one is a guest's.
    #[must_use]
    pub fn is_owners(&self) -> bool {
        self.session.is_owner()
    }

    /// Says what is wrong with the agent's files. Where they are is the owner's business, so a guest learns only that
    /// something is.
    pub fn say_fault(&self, fault: String) {
        if self.is_owners() {
            return self.say(Outgoing::Notice(fault));
        }
        tracing::warn!("session {}: {fault}", self.session);
        let told = "something is wrong with the files of this chat; the agent's log says what";
        self.say(Outgoing::Notice(told.to_owned()));
    }
}
