//! `chats.json`: the chats that are known, with their modes and what each has taken today.

use std::collections::BTreeMap;

use answer::sanitize::one_line;
use document::Document;
use protocol::{Millis, SessionKey};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ChatMode;

/// How many chats are listed to pick from.
pub const PICKED: usize = 20;

/// How many chats a name is looked for in: those that wrote last.
pub const SEARCHED: usize = 100;

/// How many chats are known. Of more than that, those without a mode that wrote first are forgotten.
const MOST: usize = 5_000;

/// How long a name may be, in characters.
const NAME: usize = 64;

/// A day, in milliseconds.
const DAY_MS: u64 = 86_400_000;

/// All chats of people who are not the owner.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatBook {
    /// The mode that holds for every chat, whatever its own is.
    pub all: Option<ChatMode>,
    chats: BTreeMap<String, KnownChat>,
    /// What all customers together have taken.
    taken: Taken,
    /// What could not be read. It is kept as it is until its mode is set, and is off meanwhile.
    unread: BTreeMap<String, Value>,
}

/// One chat.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownChat {
    /// What its people call themselves.
    pub name: String,
    /// Its own mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ChatMode>,
    /// When somebody wrote there last.
    pub seen: Millis,
    #[serde(flatten)]
    taken: Taken,
}

/// What was taken on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Taken {
    /// The day since 1970 in UTC.
    day: u64,
    /// How many messages were answered.
    messages: u32,
    /// How many tokens a model has read and written.
    tokens: u64,
}

impl Taken {
    /// The messages and the tokens of the day of `now`.
    pub(super) fn on(self, now: Millis) -> (u32, u64) {
        if self.day == now.0 / DAY_MS { (self.messages, self.tokens) } else { (0, 0) }
    }

    fn add(&mut self, now: Millis, messages: u32, tokens: u64) {
        let (before, spent) = self.on(now);
        *self = Self {
            day: now.0 / DAY_MS,
            messages: before.saturating_add(messages),
            tokens: spent.saturating_add(tokens),
        };
    }
}

impl ChatBook {
    /// The chat `key`, if it is known.
    #[must_use]
    pub fn chat(&self, key: &SessionKey) -> Option<&KnownChat> {
        self.chats.get(key.as_str())
    }

    /// The chats with their keys, those that wrote last first.
    #[must_use]
    pub fn latest(&self) -> Vec<(&str, &KnownChat)> {
        let mut all: Vec<_> = self.chats.iter().map(|(key, chat)| (key.as_str(), chat)).collect();
        all.sort_by_key(|(_, chat)| std::cmp::Reverse(chat.seen));
        all
    }

    /// Those of the chats that wrote last whose name or key holds `words`, in any case. A whole key means one chat.
    #[must_use]
    pub fn search(&self, words: &str) -> Vec<(&str, &KnownChat)> {
        if let Some((key, chat)) = self.chats.get_key_value(words) {
            return vec![(key, chat)];
        }
        let words = words.to_lowercase();
        let holds = |(key, chat): &(&str, &KnownChat)| {
            key.to_lowercase().contains(&words) || chat.name.to_lowercase().contains(&words)
        };
        self.latest().into_iter().take(SEARCHED).filter(holds).collect()
    }

    /// Somebody who is called `name` has written in the chat `key`.
    pub(super) fn saw(&mut self, key: &SessionKey, name: &str, now: Millis) {
        let chat = self.chats.entry(key.as_str().to_owned()).or_default();
        let name: String = one_line(name).chars().filter(|c| !c.is_control()).take(NAME).collect();
        if !name.is_empty() {
            chat.name = name;
        }
        chat.seen = now;
        self.forget_some();
    }

    /// Gives the chat `key` a mode of its own, or takes that back; `false` if there is no such chat.
    pub(super) fn set(&mut self, key: &str, mode: Option<ChatMode>) -> bool {
        self.unread.remove(key);
        let chat = self.chats.get_mut(key);
        chat.map(|chat| chat.mode = mode).is_some()
    }

    /// Customers of the chat `key` have taken this.
    pub(super) fn take(&mut self, key: &SessionKey, now: Millis, messages: u32, tokens: u64) {
        self.taken.add(now, messages, tokens);
        if let Some(chat) = self.chats.get_mut(key.as_str()) {
            chat.taken.add(now, messages, tokens);
        }
    }

    /// What the chat `key` has taken on the day of `now`, and what all have: messages and tokens.
    pub(super) fn taken(&self, key: &SessionKey, now: Millis) -> [(u32, u64); 2] {
        let own = self.chat(key).map(|chat| chat.taken).unwrap_or_default();
        [own.on(now), self.taken.on(now)]
    }

    fn forget_some(&mut self) {
        while self.chats.len() > MOST {
            let without = self.chats.iter().filter(|(_, chat)| chat.mode.is_none());
            let first = without.min_by_key(|(_, chat)| chat.seen).map(|(key, _)| key.clone());
            let Some(first) = first else { return };
            self.chats.remove(&first);
        }
    }
}

impl Document for ChatBook {
    const LIMIT: u64 = 16 * 1024 * 1024;

    fn from_text(text: &str, left_out: &mut Vec<String>) -> Result<Self, String> {
        let mut file: protocol::Object = document::json(text)?;
        let mut book = Self::default();
        match file.remove("all").map(serde_json::from_value) {
            None => {}
            Some(Ok(all)) => book.all = all,
            // Whoever has written something there wanted less to be answered, not more.
            Some(Err(_)) => {
                left_out
                    .push("\"all\" is no mode, so every chat is off; /mode says more".to_owned());
                book.all = Some(ChatMode::Off);
            }
        }
        book.taken = file
            .remove("taken")
            .and_then(|taken| serde_json::from_value(taken).ok())
            .unwrap_or_default();
        let chats = match file.remove("chats") {
            None => protocol::Object::new(),
            Some(Value::Object(chats)) => chats,
            Some(_) => return Err("chats is no object".to_owned()),
        };
        for (key, value) in chats {
            match serde_json::from_value(value.clone()) {
                Ok(chat) => drop(book.chats.insert(key, chat)),
                Err(error) => {
                    left_out.push(format!(
                        "the chat {key} can't be read, so it is off; /mode says more: {error}"
                    ));
                    let name = value.get("name").and_then(Value::as_str).unwrap_or_default();
                    let (name, mode) = (name.to_owned(), Some(ChatMode::Off));
                    let chat = KnownChat { name, mode, ..KnownChat::default() };
                    book.chats.insert(key.clone(), chat);
                    book.unread.insert(key, value);
                }
            }
        }
        Ok(book)
    }

    fn to_text(&self) -> String {
        let known = self.chats.iter().map(|(key, chat)| (key.clone(), json!(chat)));
        let unread = self.unread.iter().map(|(key, value)| (key.clone(), value.clone()));
        let chats: protocol::Object = known.chain(unread).collect();
        document::pretty(&json!({"all": self.all, "taken": self.taken, "chats": chats}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: &str) -> SessionKey {
        SessionKey::new(key).unwrap()
    }

    fn book() -> ChatBook {
        let mut book = ChatBook::default();
        for (at, (id, name)) in
            [("7", "Ann Bell"), ("8", "Bob"), ("9", "Ann\nCole")].iter().enumerate()
        {
            book.saw(&key(&format!("telegram-{id}")), name, Millis(at as u64));
        }
        book
    }

    fn found(book: &ChatBook, words: &str) -> Vec<String> {
        book.search(words).into_iter().map(|(_, chat)| chat.name.clone()).collect()
    }

    #[test]
    fn a_chat_is_found_by_its_name_or_key_the_latest_first() {
        let book = book();
        assert_eq!(found(&book, "ANN"), ["Ann Cole", "Ann Bell"]);
        assert_eq!(found(&book, "telegram-8"), ["Bob"]);
        assert_eq!(found(&book, "telegram-"), ["Ann Cole", "Bob", "Ann Bell"]);
        assert!(found(&book, "zed").is_empty());
    }

    #[test]
    fn what_was_taken_counts_for_a_day() {
        let (mut book, ann) = (book(), key("telegram-7"));
        let day = Millis(DAY_MS * 3);
        book.take(&ann, day, 1, 100);
        book.take(&key("telegram-8"), day, 1, 50);
        assert_eq!(book.taken(&ann, day), [(1, 100), (2, 150)]);
        assert_eq!(book.taken(&ann, Millis(DAY_MS * 4)), [(0, 0), (0, 0)]);
    }

    #[test]
    fn it_is_read_as_it_was_written_and_what_is_no_mode_is_off() {
        let mut book = book();
        assert!(book.set("telegram-7", Some(ChatMode::Silent)) && !book.set("telegram-1", None));
        book.take(&key("telegram-7"), Millis(5), 1, 7);
        let read = |text: &str| {
            let mut left_out = Vec::new();
            (ChatBook::from_text(text, &mut left_out), left_out)
        };
        assert_eq!(read(&book.to_text()), (Ok(book), Vec::new()));
        let text = "{\"chats\": {\"telegram-7\": {\"mode\": \"personal\"}, \"telegram-8\": {\"mode\": \"off\"}}}";
        let (wrong, told) = read(text);
        let mut wrong = wrong.unwrap();
        assert_eq!(wrong.chat(&key("telegram-7")).unwrap().mode, Some(ChatMode::Off));
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(wrong.chat(&key("telegram-8")).unwrap().mode, Some(ChatMode::Off));
        assert!(wrong.to_text().contains("personal"), "it is kept");
        assert!(wrong.set("telegram-7", None) && !wrong.to_text().contains("personal"));
        let (all, told) = read("{\"all\": \"personal\"}");
        assert_eq!((all.unwrap().all, told.len()), (Some(ChatMode::Off), 1));
        assert!(read("[]").0.is_err());
    }

    #[test]
    fn of_too_many_those_without_a_mode_are_forgotten() {
        let mut book = book();
        book.set("telegram-7", Some(ChatMode::Off));
        for id in 0..MOST {
            book.saw(&key(&format!("telegram-1000{id}")), "x", Millis(100));
        }
        assert_eq!(book.chats.len(), MOST);
        assert!(book.chat(&key("telegram-7")).is_some() && book.chat(&key("telegram-8")).is_none());
    }
}
