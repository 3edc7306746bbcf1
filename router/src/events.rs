//! What the router tells a session on its own.

use std::io::{self, Write as _};

use protocol::{Command, Event, EventKind, Frame, Millis, Outcome, Reply, SessionKey};

/// The event that a pending command has ended; none when it belongs to no session.
pub(crate) fn result(command: &Command, outcome: Outcome, at: Millis) -> Option<Event> {
    let session = command.envelope.session.clone()?;
    let id = command.message_id.clone();
    let reply = Reply::new(Some(id.clone()), command.action.as_str(), outcome);
    Some(Event {
        event: EventKind::Result,
        session,
        at,
        message_id: Some(id),
        text: None,
        reply: Some(reply.fields),
    })
}

/// Something that a session should know.
pub(crate) fn notice(session: SessionKey, text: String, at: Millis) -> Event {
    Event { event: EventKind::Notice, session, at, message_id: None, text: Some(text), reply: None }
}

/// Tells the owner, at the other end of stdout, why there is no router. It is said on stderr where that can't be.
pub(crate) fn last_words(text: String) {
    let event = notice(SessionKey::owner(), text.clone(), Millis::of_this_machine());
    let line = serde_json::to_string(&Frame::Event(event));
    let told = line.is_ok_and(|line| writeln!(io::stdout(), "{line}").is_ok());
    if !told {
        home::say_on_stderr!("error: {text}");
    }
}
