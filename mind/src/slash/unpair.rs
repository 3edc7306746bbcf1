//! `/unpair`, `/unpair ID`: who may talk with the agent over Telegram beside the owner, and who may not any more.

use std::sync::Arc;

use answer::sanitize::one_line;
use async_trait::async_trait;
use protocol::SessionKey;
use session::{OwnersReply, OwnersWish};

use super::perform::{At, Perform, Read};

/// How the keys of chats on Telegram begin; the chat's id follows.
const CHAT: &str = "telegram-";

#[derive(Debug)]
enum Unpair {
    List,
    /// The user or group of this id.
    One(i64),
}

pub(super) fn read(rest: &str) -> Read {
    if rest.is_empty() {
        return Ok(Arc::new(Unpair::List));
    }
    match id(rest).parse() {
        Ok(id) => Ok(Arc::new(Unpair::One(id))),
        Err(_) => Err(format!("{rest:?} is no id; /unpair lists who may talk, with their ids")),
    }
}

/// The id in the key of a chat.
pub(super) fn id(key: &str) -> &str {
    key.strip_prefix(CHAT).unwrap_or(key)
}

#[async_trait]
impl Perform for Unpair {
    async fn perform(&self, at: At<'_>) {
        match self {
            Self::List => at.text(listed(&at)),
            Self::One(id) => match unpaired(&at, *id) {
                Ok(text) => at.text(text),
                Err(why) => at.notice(why),
            },
        }
    }
}

fn listed(at: &At<'_>) -> String {
    let reception = &at.mind.reception;
    let mut all: Vec<String> = reception
        .guests
        .all()
        .iter()
        .map(|chat| {
            let name = SessionKey::new(chat.as_str()).map(|key| reception.name(&key));
            let name = name.ok().filter(|name| name != chat).map(|name| one_line(&name));
            format!("{} {}", id(chat), name.unwrap_or_default()).trim_end().to_owned()
        })
        .collect();
    if all.is_empty() {
        return "Nobody but you may talk over Telegram. /pair gives a code for somebody else."
            .to_owned();
    }
    all.push("/unpair ID ends that for one of them.".to_owned());
    all.join("\n")
}

fn unpaired(at: &At<'_>, id: i64) -> Result<String, String> {
    let reception = &at.mind.reception;
    let key = SessionKey::new(format!("{CHAT}{id}")).map_err(|error| error.to_string())?;
    let name = reception.name(&key);
    if !reception.unpair(&key)? {
        return Err(format!("{id} is none of those who may talk; /unpair lists them"));
    }
    let (to, from) = (key, at.session.principal.clone());
    at.mind.replies.say(OwnersReply { to, from, wish: OwnersWish::Stop });
    if let Some(noted) = &reception.noted {
        settings::keep_allowed(noted, id, false)
            .map_err(|error| format!("it holds until the agent ends: {error}"))?;
    }
    Ok(format!("{name} may not talk any more, and hears nothing from now on."))
}
