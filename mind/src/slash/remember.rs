//! `/remember NOTE`: notes something down in a person's own words.

use std::sync::Arc;

use async_trait::async_trait;
use notes::{Note, NoteSource};
use protocol::{Millis, Taint};
use session::Caller;

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Remember(String);

pub(super) fn read(rest: &str) -> Read {
    match rest {
        "" => Err("say what to note: /remember NOTE".to_owned()),
        note => Ok(Arc::new(Remember(note.to_owned()))),
    }
}

#[async_trait]
impl Perform for Remember {
    async fn perform(&self, at: At<'_>) {
        let now = Millis::of_this_machine();
        let told = at.mind.actions.without_secrets(&self.0, &Caller::of(at.session)).await;
        let told = match told {
            Ok(told) => told,
            Err(stopped) => return at.notice(stopped.message),
        };
        // It is the person's own word, whatever else is in the conversation.
        let Some(note) = Note::new(now, NoteSource::Person, Taint::CLEAN, &told) else {
            return at.notice("there is no word in it that could be noted");
        };
        let is_cut = Note::is_too_long(&told);
        if told != self.0 {
            at.remark(settings::words().get("deed.secret"));
        }
        match at.session.files.notes.add(note) {
            Ok(()) if is_cut => at.text("Noted, as far as a note goes: 2,000 bytes."),
            Ok(()) => at.text("Noted."),
            Err(error) => at.fault(format!("noted for this conversation only: {error}")),
        }
    }
}
