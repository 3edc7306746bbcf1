//! `/reply CHAT TEXT`: says something to the people of another chat, in the owner's own words. Once they have it, their open
//! questions are answered.
//! `/reply CHAT` says nothing and closes them.

use std::sync::Arc;

use async_trait::async_trait;
use business::{OpenEscalations, Reception};
use conversation::message::{Outgoing, Receipt, Reports, taken};
use protocol::SessionKey;
use session::{Outbox, OwnersReply, OwnersWish, keep_reception};

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
            return match reception.answered(chat, &reception.escalations()) {
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
        let (receipt, reports) = Receipt::new();
        let reply = SentReply {
            reception: Arc::clone(reception),
            chat: chat.clone(),
            asked: reception.escalations(),
            owner: at.outbox.clone(),
        };
        at.mind.replies.say(OwnersReply {
            to,
            from,
            wish: OwnersWish::Say(self.text.clone(), receipt),
        });
        at.text(format!("That goes to {}, {chat}.", reception.name(chat)));
        tokio::spawn(reply.heard(reports));
    }
}

/// A reply on its way.
struct SentReply {
    reception: Arc<Reception>,
    chat: SessionKey,
    /// The questions that were open when it was given.
    asked: Arc<OpenEscalations>,
    owner: Outbox,
}

impl SentReply {
    /// Closes the questions once the people of the chat have the reply. Where they don't get it, the owner hears why.
    async fn heard(self, reports: Reports) {
        let Self { reception, chat, asked, owner } = self;
        match taken(reports).await {
            Ok(()) if reception.answered(&chat, &asked) => keep_reception(&reception),
            Ok(()) => {}
            Err(why) => owner.say(Outgoing::Notice(format!(
                "{}, {chat}, has not got your reply, and no question is closed: {why}",
                reception.name(&chat)
            ))),
        }
    }
}
