//! Whoever sends a code of the owner's joins: from then on the bot knows them as a guest. A group that moves stays one.

use business::Joined;
use teloxide_core::types::{ChatId, MessageId, Update, UpdateKind};

use super::people::People;

/// What an update is to those who may join.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Joining {
    /// Its sender has joined, or has not tried to.
    GoesOn,
    /// Its sender has tried in vain, and is told why.
    Told(ChatId, MessageId, String),
}

/// Takes what `update` says of a code.
pub(super) fn look(update: &Update, people: &People) -> Joining {
    let Some((message, user, text)) = bot::private(update) else { return Joining::GoesOn };
    let is_try = protocol::slash(text).is_some_and(|(name, _)| name == "/start");
    let (chat, is_known) = (message.chat.id, people.is_known(message.chat.id));
    let Some(key) = People::session(chat).filter(|_| is_try && !is_known) else {
        return Joining::GoesOn;
    };
    let told = match people.reception.joins(&key, user.id.0, text) {
        Joined::No => return Joining::GoesOn,
        Joined::Yes => {
            keep(people, chat, true);
            return Joining::GoesOn;
        }
        Joined::Wrong(0) => {
            "That is not the code, and no other one of yours is looked at.".to_owned()
        }
        Joined::Wrong(left) => format!("That is not the code. You may try it {left} more times."),
        Joined::Late => {
            "That code is older than ten minutes and counts no more; ask for a new one.".to_owned()
        }
    };
    tracing::info!(user = %user.id, "Telegram: a code to join was wrong or too old");
    Joining::Told(chat, message.id, told)
}

/// The new id of a group that `update` says has become a supergroup, if the owner allows the group: it is allowed under that
/// from now on. Telegram alone writes such a message.
pub(super) fn moved(update: &Update, people: &People) -> Option<ChatId> {
    let UpdateKind::Message(message) = &update.kind else { return None };
    let (old, new) = (message.chat.id, *message.migrate_to_chat_id()?);
    let moved = people.reception.moves(&People::session(old)?, &People::session(new)?);
    let is_moved = moved.unwrap_or_else(|why| {
        tracing::warn!("the group {old} is {new} now: {why}");
        true
    });
    if is_moved {
        keep(people, old, false);
        keep(people, new, true);
    }
    is_moved.then_some(new)
}

/// Notes whether the chat is allowed, for the next start.
fn keep(people: &People, chat: ChatId, may: bool) {
    let Some(noted) = &people.reception.noted else { return };
    if let Err(error) = settings::keep_allowed(noted, chat.0, may) {
        tracing::warn!("who may talk is known until the agent ends: {error}");
    }
}
