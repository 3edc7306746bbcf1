//! `/reply CHAT TEXT`: says something to the people of another chat, in the owner's own words, which answers their open questions.
//! `/reply CHAT` says nothing and closes them.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::SessionKey;
use session::{OwnersReply, OwnersWish, keep_reception};

use super::perform::{At, Perform, Read};

/// Whoever says nothing that can be done hears this.
const USAGE: &str = "say where and what: /reply telegram-123 It is on its way.";

#[derive(Debug)]
struct ReplyWish {
    chat: SessionKey,
    text: String,
}

pub(super) fn read(rest: &str) -> Read {
    if rest.is_empty() {
        return Err(USAGE.to_owned());
    }
    let (chat, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let chat = SessionKey::new(chat).map_err(|error| error.to_string())?;
    Ok(Arc::new(ReplyWish { chat, text: text.trim().to_owned() }))
}

#[async_trait]
impl Perform for ReplyWish {
    async fn perform(&self, at: At<'_>) {
        let (reception, chat) = (&at.mind.reception, &self.chat);
        if reception.chats().chat(chat).is_none() {
            return at
                .notice(format!("nobody has written in a chat {chat}; /mode lists the chats"));
        }
        if self.text.is_empty() {
            return match reception.answered(chat) {
                true => {
                    keep_reception(reception);
                    at.text(format!(
                        "Nothing is said to {}, and no question of {chat} is open.",
                        reception.name(chat)
                    ));
                }
                false => at.notice(USAGE.to_owned()),
            };
        }
        if reception.is_muted(chat) {
            let why = format!("{chat} is not answered now; /mode business {chat} changes that");
            return at.notice(why);
        }
        let (to, from) = (chat.clone(), at.session.principal.clone());
        at.mind.replies.say(OwnersReply { to, from, wish: OwnersWish::Say(self.text.clone()) });
        if reception.answered(chat) {
            keep_reception(reception);
        }
        at.text(format!("That goes to {}, {chat}.", reception.name(chat)));
    }
}
