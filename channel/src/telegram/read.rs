//! What an update is, and to whom it is given heed.

use teloxide_core::types::{
    CallbackQuery, CallbackQueryId, ChatId, FileId, Message, MessageId, MessageKind, Update,
    UpdateKind, UserId,
};

use super::people::{People, Place};

/// What has come.
#[derive(Debug)]
pub(super) enum Came {
    /// Somebody who may has said something.
    Message(Said),
    /// Somebody who may has pressed a button.
    Press(Pressed),
    /// The owner has sent a file, with these words or none.
    File(Said, Attached),
    /// Somebody who may has sent what is not read: why.
    Unread(ChatId, MessageId, &'static str),
    /// Somebody is a stranger, and gets nothing.
    Stranger,
    /// Nothing that wants an answer, such as a new title of a group.
    Nothing,
}

/// A message.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) place: Place,
    pub(super) from: UserId,
    /// What the chat is called: its title, or the name of its person.
    pub(super) name: String,
    pub(super) chat: ChatId,
    pub(super) message: MessageId,
    /// When it was said, in seconds since 1970 by Telegram's clock.
    pub(super) date: i64,
    pub(super) text: String,
}

/// A file that lies at Telegram's.
#[derive(Debug)]
pub(super) struct Attached {
    pub(super) id: FileId,
    /// What its maker called it; a photo has no name of its own.
    pub(super) name: String,
    /// How large it is by Telegram's word, in bytes.
    pub(super) bytes: u32,
}

/// The press of a button.
#[derive(Debug)]
pub(super) struct Pressed {
    pub(super) place: Place,
    pub(super) press: CallbackQueryId,
    pub(super) from: UserId,
    pub(super) chat: ChatId,
    pub(super) message: MessageId,
    pub(super) data: String,
}

/// Reads an update.
pub(super) fn read(update: Update, people: &People) -> Came {
    match update.kind {
        UpdateKind::Message(message) => read_message(message, people),
        UpdateKind::EditedMessage(message) => match people.place(&message.chat, from(&message)) {
            None => stranger(people, message.chat.id),
            Some(_) if message.text().is_some() => {
                let why = "what is changed afterwards is not read; send it anew";
                Came::Unread(message.chat.id, message.id, why)
            }
            Some(_) => Came::Nothing,
        },
        UpdateKind::CallbackQuery(press) => read_press(press, people),
        _ => Came::Nothing,
    }
}

fn read_message(message: Message, people: &People) -> Came {
    let (chat, id) = (message.chat.id, message.id);
    let place = people.place(&message.chat, from(&message));
    let user = message.from.as_ref().map(|user| user.id);
    let (Some(place), Some(user)) = (place, user) else { return stranger(people, chat) };
    let others = message.forward_origin().is_some() || message.via_bot.is_some();
    let said = |place: Place, text: &str| {
        let text = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        let (date, name) = (message.date.timestamp(), called(&message));
        Said { place, from: user, name, chat, message: id, date, text }
    };
    match (message.text(), attached(&message)) {
        _ if others => {
            let why = "what others have written is not read as yours; say in your own words what you want of it";
            Came::Unread(chat, id, why)
        }
        (Some(text), _) => Came::Message(said(place, text)),
        (None, Some(file)) if place.session.is_owner() => {
            Came::File(said(place, message.caption().unwrap_or_default()), file)
        }
        (None, _) if message.chat_migration().is_some() => Came::Nothing,
        (None, _) if matches!(message.kind, MessageKind::Common(_)) => {
            let why = match place.session.is_owner() {
                true => "text, photos and files are read here, and nothing else",
                false => "only text is read here",
            };
            Came::Unread(chat, id, why)
        }
        (None, _) => Came::Nothing,
    }
}

/// The document or the photo of a message.
fn attached(message: &Message) -> Option<Attached> {
    if let Some(document) = message.document() {
        let name = document.file_name.clone().unwrap_or_default();
        return Some(Attached { id: document.file.id.clone(), name, bytes: document.file.size });
    }
    // The same photo in several sizes.
    let largest = message.photo()?.iter().max_by_key(|photo| photo.file.size)?;
    let (id, bytes) = (largest.file.id.clone(), largest.file.size);
    Some(Attached { id, name: "photo.jpg".to_owned(), bytes })
}

fn read_press(press: CallbackQuery, people: &People) -> Came {
    let Some(below) = &press.message else { return Came::Nothing };
    let Some(place) = people.place(below.chat(), Some(&press.from)) else {
        return stranger(people, below.chat().id);
    };
    Came::Press(Pressed {
        place,
        from: press.from.id,
        chat: below.chat().id,
        message: below.id(),
        data: press.data.clone().unwrap_or_default(),
        press: press.id,
    })
}

/// Who may not talk is mentioned in the log, unless the owner has turned the chat off.
fn stranger(people: &People, chat: ChatId) -> Came {
    if people.is_turned_off(chat) { Came::Nothing } else { Came::Stranger }
}

/// What the chat of a message is called.
fn called(message: &Message) -> String {
    let title = message.chat.title().map(str::to_owned);
    let person = || message.from.as_ref().map(teloxide_core::types::User::full_name);
    title.or_else(person).unwrap_or_default()
}

/// Who has sent it; nobody, when it was sent in the name of a chat.
fn from(message: &Message) -> Option<&teloxide_core::types::User> {
    message.from.as_ref().filter(|_| message.sender_chat.is_none())
}
