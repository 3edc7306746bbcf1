//! Who is who: the owner, those whom the owner allows, customers, and strangers.

use std::sync::Arc;

use business::{ChatMode, ChatStanding, Reception};
use protocol::{NameError, Principal, SessionKey};
use teloxide_core::types::{Chat, ChatId, User, UserId};

/// How the keys of sessions that are not the owner's begin; the chat's id follows.
const SESSION: &str = "telegram-";

/// How a stranger stands who is refused.
const OFF: ChatStanding = ChatStanding::In(ChatMode::Off);

/// Those who may talk with the agent.
#[derive(Debug, Clone)]
pub(super) struct People {
    owner: Option<UserId>,
    /// Who hears what the agent says to all; without any, the owner does.
    broadcast: Vec<ChatId>,
    owners_session: SessionKey,
    /// Whom the owner allows, and how those are treated who are not known.
    pub(super) reception: Arc<Reception>,
}

/// Where a person speaks, and as whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The session of the chat.
    pub(super) session: SessionKey,
    /// The person.
    pub(super) principal: Principal,
}

impl People {
    pub(super) fn new(
        settings: &settings::Telegram,
        reception: Arc<Reception>,
    ) -> Result<Self, NameError> {
        Ok(Self {
            owner: settings.owner.map(UserId),
            broadcast: settings.broadcast_chat_ids.iter().copied().map(ChatId).collect(),
            owners_session: SessionKey::owner(),
            reception,
        })
    }

    /// Whether somebody is the owner.
    pub(super) fn has_owner(&self) -> bool {
        self.owner.is_some()
    }

    /// The place of a person in a chat; `None` for a stranger. Whoever is not known is a customer where strangers are received,
    /// in a private chat alone. The owner is the owner in the private chat alone: in a
    /// group others read along. What a bot says, or somebody in a chat's name, is said by nobody.
    pub(super) fn place(&self, chat: &Chat, from: Option<&User>) -> Option<Place> {
        let from =
            from.filter(|from| !from.is_bot && !from.is_anonymous() && !from.is_channel())?;
        // The id of a private chat is that of its person.
        let is_alone = chat.is_private() && i64::try_from(from.id.0) == Ok(chat.id.0);
        let session = if is_alone && self.owner == Some(from.id) {
            self.owners_session.clone()
        } else if self.is_allowed(chat.id) && !chat.is_channel() {
            Self::session(chat.id)?
        } else {
            let is_owner = self.owner == Some(from.id);
            let key = Self::session(chat.id).filter(|_| is_alone && !is_owner)?;
            Some(key).filter(|key| self.reception.standing(key) != OFF)?
        };
        let principal = Principal::new(format!("telegram:{}", from.id)).ok()?;
        Some(Place { session, principal })
    }

    /// Whether the owner allows a chat.
    fn is_allowed(&self, chat: ChatId) -> bool {
        Self::session(chat).is_some_and(|key| self.reception.guests.is_allowed(&key))
    }

    /// Whether a chat is the owner's, or allowed by now.
    pub(super) fn is_known(&self, chat: ChatId) -> bool {
        self.owners_chat() == Some(chat) || self.is_allowed(chat)
    }

    /// The session of a chat that is not the owner's.
    pub(super) fn session(chat: ChatId) -> Option<SessionKey> {
        SessionKey::new(format!("{SESSION}{chat}")).ok()
    }

    /// Whether nothing may be said in this chat.
    pub(super) fn is_muted(&self, chat: ChatId) -> bool {
        let is_owners = self.owners_chat() == Some(chat);
        !is_owners && Self::session(chat).is_some_and(|key| self.reception.is_muted(&key))
    }

    /// Whether the owner has turned this chat off.
    pub(super) fn is_turned_off(&self, chat: ChatId) -> bool {
        Self::session(chat).is_some_and(|key| self.reception.is_turned_off(&key))
    }

    /// The chat in which the people of a session are; `None` if that is not one of this channel's.
    pub(super) fn chat(&self, session: &SessionKey) -> Option<ChatId> {
        if *session == self.owners_session {
            return self.owners_chat();
        }
        let id: i64 = session.as_str().strip_prefix(SESSION)?.parse().ok()?;
        let is_known = || self.is_allowed(ChatId(id)) || self.reception.is_customer(session);
        is_known().then_some(ChatId(id))
    }

    /// The session of a chat whose people are customers.
    pub(super) fn customer(&self, chat: ChatId) -> Option<SessionKey> {
        let key = Self::session(chat).filter(|_| self.owners_chat() != Some(chat))?;
        self.reception.is_customer(&key).then_some(key)
    }

    /// The chats that hear what the agent says of its own to all.
    pub(super) fn broadcast_chats(&self) -> Vec<ChatId> {
        if self.broadcast.is_empty() {
            return self.owners_chat().into_iter().collect();
        }
        self.broadcast.clone()
    }

    /// The owner's private chat.
    fn owners_chat(&self) -> Option<ChatId> {
        Some(ChatId(i64::try_from(self.owner?.0).ok()?))
    }

    /// Whose answers to questions count in a chat: the owner's, in the owner's own.
    pub(super) fn approver(&self, chat: ChatId) -> Option<UserId> {
        self.owner.filter(|_| self.owners_chat() == Some(chat))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn people() -> People {
        people_of(business::BotMode::Personal)
    }

    fn people_of(bot_mode: business::BotMode) -> People {
        let settings = json!({"owner": 42});
        let channels = business::Channels {
            modes: [("telegram".to_owned(), None)].into(),
            allowed: ["telegram-7".to_owned(), "telegram--100".to_owned()].into(),
        };
        let folder = std::path::Path::new("/nowhere");
        let notices = document::Notices::default();
        let reception = Arc::new(Reception::open(folder, &notices, bot_mode, channels));
        People::new(&serde_json::from_value(settings).unwrap(), reception).unwrap()
    }

    fn session(chat: Value, from: u64, is_bot: bool) -> Option<String> {
        let from = json!({"id": from, "is_bot": is_bot, "first_name": "P"});
        let from: User = serde_json::from_value(from).unwrap();
        let chat: Chat = serde_json::from_value(chat).unwrap();
        Some(people().place(&chat, Some(&from))?.session.into())
    }

    #[test]
    fn a_stranger_is_a_customer_where_strangers_are_received_and_in_private_alone() {
        let people = people_of(business::BotMode::Business);
        let place = |chat: Value, from: u64| {
            let from = json!({"id": from, "is_bot": false, "first_name": "P"});
            let from: User = serde_json::from_value(from).unwrap();
            let chat: Chat = serde_json::from_value(chat).unwrap();
            Some(String::from(people.place(&chat, Some(&from))?.session))
        };
        assert_eq!(place(private(8), 8).as_deref(), Some("telegram-8"));
        assert_eq!(place(private(42), 42).as_deref(), Some("owner"));
        assert_eq!(place(group(-200), 8), None);
        assert_eq!(place(private(42), 8), None, "another in the owner's chat");
        let chat = |key: &str| people.chat(&SessionKey::new(key).unwrap()).map(|chat| chat.0);
        assert_eq!((chat("telegram-8"), chat("telegram-7")), (Some(8), Some(7)));
    }

    fn private(id: u64) -> Value {
        json!({"id": id, "type": "private", "first_name": "P"})
    }

    fn group(id: i64) -> Value {
        json!({"id": id, "type": "supergroup", "title": "G"})
    }

    #[test]
    fn each_has_a_place_or_none() {
        assert_eq!(session(private(42), 42, false).as_deref(), Some("owner"));
        assert_eq!(session(private(7), 7, false).as_deref(), Some("telegram-7"));
        assert_eq!(session(private(8), 8, false), None);
        assert_eq!(session(private(7), 7, true), None, "a bot");
        assert_eq!(session(private(42), 8, false), None, "another in the owner's chat");
    }

    #[test]
    fn the_owner_is_nobody_special_in_a_group() {
        assert_eq!(session(group(-100), 42, false).as_deref(), Some("telegram--100"));
        assert_eq!(session(group(-100), 9, false).as_deref(), Some("telegram--100"));
        assert_eq!(session(group(-200), 42, false), None, "a group that is not allowed");
        assert_eq!(session(group(-200), 7, false), None, "somebody who is allowed, elsewhere");
    }

    #[test]
    fn a_session_leads_back_to_its_chat() {
        let chat = |key: &str| people().chat(&SessionKey::new(key).unwrap()).map(|chat| chat.0);
        assert_eq!(chat("owner"), Some(42));
        assert_eq!(chat("telegram-7"), Some(7));
        assert_eq!(chat("telegram--100"), Some(-100));
        assert_eq!([chat("telegram-8"), chat("http-7"), chat("telegram-x")], [None; 3]);
    }
}
