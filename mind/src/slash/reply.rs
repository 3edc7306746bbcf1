//! `/reply CHAT TEXT`: says something to the people of another chat, in the owner's own words.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::SessionKey;
use session::{OwnersReply, OwnersWish};

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct ReplyWish {
    chat: SessionKey,
    text: String,
}

pub(super) fn read(rest: &str) -> Read {
    let usage = || "say where and what: /reply telegram-123 It is on its way.".to_owned();
    let (chat, text) = rest.split_once(char::is_whitespace).ok_or_else(usage)?;
    let chat = SessionKey::new(chat).map_err(|error| error.to_string())?;
    let text = text.trim().to_owned();
    if text.is_empty() { Err(usage()) } else { Ok(Arc::new(ReplyWish { chat, text })) }
}

#[async_trait]
impl Perform for ReplyWish {
    async fn perform(&self, at: At<'_>) {
        let (reception, chat) = (&at.mind.reception, &self.chat);
        if reception.chats().chat(chat).is_none() {
            return at
                .notice(format!("nobody has written in a chat {chat}; /mode lists the chats"));
        }
        if reception.is_muted(chat) {
            let why = format!("{chat} is not answered now; /mode business {chat} changes that");
            return at.notice(why);
        }
        let (to, from) = (chat.clone(), at.session.principal.clone());
        at.mind.replies.say(OwnersReply { to, from, wish: OwnersWish::Say(self.text.clone()) });
        at.text(format!("That goes to {}, {chat}.", reception.name(chat)));
    }
}
