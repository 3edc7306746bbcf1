//! A file that the owner has sent: it is fetched, kept with the others of the conversation, and told of.

use std::sync::Arc;
use std::time::Duration;

use teloxide_core::types::{ChatId, MessageId};
use tokio::sync::mpsc;

use super::Shared;
use super::chat::Heard;
use super::journal::Unanswered;
use super::read::{self, Attached};
use super::take::too_old;
use crate::dropped::{Dropped, LARGEST};
use crate::{Incoming, Origin, Said, Ticket};
use mind::slash::SlashCommand;

/// Takes a message with a file. It is fetched beside everything else, so that nobody waits for it.
pub(super) fn take(
    shared: &Arc<Shared>,
    update: u32,
    (came, file): (read::Said, Attached),
    incoming: &mpsc::Sender<Incoming>,
) {
    let at = (came.chat, came.message);
    let age = Duration::from_secs(shared.client.age(came.date));
    let is_large = usize::try_from(file.bytes).is_ok_and(|bytes| bytes > LARGEST);
    let refused = match () {
        () if age > shared.timeout => Some(too_old(age, shared.timeout)),
        () if came.text.trim_start().starts_with('/') => {
            Some("a command takes no files; send them with a message of their own".to_owned())
        }
        () if is_large => Some(format!("a file may be {} MiB large", LARGEST / 1024 / 1024)),
        () => None,
    };
    if let Some(why) = refused {
        shared.take(update, None);
        shared.tell(at.0, Heard::Told(why, at.1));
        return;
    }
    let told = format!("{} [the file {}]", came.text, file.name);
    shared.take(update, Some(Unanswered::new(at.0.0, at.1.0, told.trim())));
    let (shared, incoming) = (Arc::clone(shared), incoming.clone());
    tokio::spawn(async move {
        match kept(&shared, &file).await {
            Ok((id, dropped)) => {
                let said = said(&shared, &came.text, &id, &dropped);
                hand_on(&shared, came, at, said, &incoming).await;
            }
            Err(why) => {
                shared.tell(at.0, Heard::Told(format!("the file was not taken: {why}"), at.1));
                shared.answered(at.0, at.1);
            }
        }
    });
}

/// Fetches a file and keeps it; what is wrong, in words for the owner.
async fn kept(shared: &Arc<Shared>, file: &Attached) -> Result<(String, Dropped), String> {
    let _place = shared.fetching.acquire().await.map_err(|error| error.to_string())?;
    let bytes = shared.client.fetched(file.id.clone(), LARGEST).await;
    let bytes = bytes.map_err(|fault| fault.to_string())?;
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    let (files, name) = (Arc::clone(&shared.files), file.name.clone());
    let kept = tokio::task::spawn_blocking(move || files.keep(&name, &bytes)).await;
    kept.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

/// A paper without a word is offered to the library, which asks who may find it. Everything else is a message that tells of it.
fn said(shared: &Shared, typed: &str, id: &str, dropped: &Dropped) -> Said {
    let typed = typed.trim();
    if typed.is_empty() && dropped.paper().is_some() {
        let place = shared.files.place(id, dropped).display().to_string();
        return Said::Command(SlashCommand::paper(place, dropped.name.clone()));
    }
    let text = format!("{typed}\n{}", dropped.line(id)).trim_start().to_owned();
    Said::WithFiles { text, typed: typed.to_owned() }
}

async fn hand_on(
    shared: &Shared,
    came: read::Said,
    at: (ChatId, MessageId),
    said: Said,
    incoming: &mpsc::Sender<Incoming>,
) {
    let ticket = Ticket::new();
    shared.ask(ticket, at);
    let (session, from) = (came.place.session, came.place.principal);
    // The agent may have ended meanwhile; it tells at its next start that this was not answered.
    let _ = incoming.send(Incoming { ticket, session, from, origin: Origin::Person, said }).await;
}
