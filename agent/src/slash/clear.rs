//! `/clear` and `/new`: forget what was said and done. The router opens a new account with clean bits.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Millis;

use super::perform::{At, Perform, Read};
use crate::journal::Role;
use crate::session::{Outbox, Session};
use crate::workspace::{Artifact, Entered, History};

#[derive(Debug)]
struct Clear;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Clear))
}

#[async_trait]
impl Perform for Clear {
    async fn perform(&self, at: At<'_>) {
        clear(at.session, at.outbox);
        at.session.record(Role::Clear, at.session.principal.as_str(), "");
        at.text("What was said and done is forgotten; the memory is kept.");
    }
}

/// The trust bits go with the texts that they speak of, and only if those are gone.
fn clear(session: &mut Session, outbox: &Outbox) {
    let files = Arc::clone(&session.files);
    let texts = [files.history.save(History::default()), files.artifact.save(Artifact::default())];
    // The latest prompt holds it all once more.
    let _ = std::fs::remove_file(files.prompt_cache());
    let cleared = texts.into_iter().collect::<Result<Vec<_>, _>>().and_then(|_| {
        session.entered = Entered::afresh(Millis::of_this_machine());
        files.session.save(session.entered.clone())
    });
    if let Err(error) = cleared {
        outbox.say_fault(error.to_string());
    }
}
