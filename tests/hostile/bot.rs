//! A bot at a Telegram of this machine: what people send there, and all that anybody was sent.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use testkit::{BOT_TOKEN, BotApi, Shown, TempHome, wait_until};

use crate::places::Places;

const OWNER: i64 = 42;
const GUEST: i64 = 7;
const GROUP: i64 = -100;

/// Everything by which a bot shows itself to people.
const METHODS: [&str; 8] = [
    "sendMessage",
    "editMessageText",
    "editMessageReplyMarkup",
    "deleteMessage",
    "sendPhoto",
    "sendDocument",
    "sendChatAction",
    "answerCallbackQuery",
];

/// The bot of one house.
pub(crate) struct Bot(BotApi);

impl Bot {
    /// Gives the house a bot: 42 is its owner, 7 may talk with it, and so may the group -100.
    pub(crate) fn start(home: &TempHome) -> Self {
        let api = BotApi::new();
        let settings = json!({"owner": OWNER, "allow": [GUEST, GROUP], "api_url": api.url()});
        home.put("agent/config.json", json!({"telegram": settings}).to_string());
        home.put(".env", format!("TELEGRAM_BOT_TOKEN={BOT_TOKEN}\n"));
        fs::set_permissions(home.env_file(), fs::Permissions::from_mode(0o600)).unwrap();
        Self(api)
    }

    /// Does what `words` say:
    ///
    /// - `says WHO TEXT`: in the private chat with the bot
    /// - `posts WHO JSON`: the same with other fields than a text, or more
    /// - `update JSON`: anything that Telegram may tell
    /// - `taken`: waits until the agent has taken all of that
    /// - `shows CHAT TEXT`: waits until the bot's message stands there
    /// - `button CHAT WORDS`: waits for the button; what it sends is `@BUTTON@` with `@NONCE@` at its end, its
    ///   message is `@BELOW@`, and of the question the id is `@QUESTION@` and the code, if it has one, `@CODE@`
    /// - `presses WHO CHAT DATA`: below `@BELOW@`
    pub(crate) fn carry_out(&self, words: &[String], places: &mut Places) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["says", who, text] => drop(self.0.says(number(who), text)),
            ["posts", who, fields] => drop(self.0.posts(number(who), object(fields))),
            ["update", update] => self.0.update(object(update)),
            ["taken"] => self.0.wait_until_read(),
            ["shows", chat, text] => drop(self.0.wait_for(number(chat), text)),
            ["button", chat, words] => self.find_button(number(chat), words, places),
            ["presses", who, chat, data] => {
                let below = places.fill("@BELOW@");
                self.press(number(who), number(chat), (number(&below), data));
            }
            ref other => panic!("nobody does {other:?} on Telegram"),
        }
    }

    fn find_button(&self, chat: i64, words: &str, places: &mut Places) {
        let is_there = |shown: &Shown| shown.buttons.iter().any(|(on_it, _)| on_it == words);
        let mut found = None;
        wait_until(&format!("a button {words:?} stands in chat {chat}"), || {
            found = self.0.shown(chat).into_iter().rfind(is_there);
            found.is_some()
        });
        let Shown { id, text, buttons, .. } = found.unwrap();
        let (_, data) = buttons.into_iter().find(|(on_it, _)| on_it == words).unwrap();
        let word_behind = |mark: &str| -> String {
            let behind = text.split_once(mark).map_or("", |(_, behind)| behind);
            behind.chars().take_while(char::is_ascii_alphanumeric).collect()
        };
        places.set("@QUESTION@", word_behind("(question "));
        places.set("@CODE@", word_behind("to allow it, type "));
        places.set("@NONCE@", data.rsplit(':').next().unwrap_or_default().to_owned());
        places.set("@BUTTON@", data);
        places.set("@BELOW@", id.to_string());
    }

    fn press(&self, who: i64, chat: i64, (below, data): (i64, &str)) {
        let kind = if chat > 0 { "private" } else { "group" };
        self.0.update(json!({"callback_query": {
            "id": format!("press-of-{who}"),
            "from": {"id": who, "is_bot": false, "first_name": "P"},
            "message": {
                "message_id": below, "date": 1_700_000_000, "text": "May this run?",
                "chat": {"id": chat, "type": kind, "title": "G", "first_name": "P"},
            },
            "chat_instance": "1",
            "data": data,
        }}));
    }

    /// What was sent to each chat; a word to who pressed a button stands under `press-of-WHO`.
    pub(crate) fn sent(&self) -> BTreeMap<String, String> {
        let mut sent: BTreeMap<String, String> = BTreeMap::new();
        for call in METHODS.iter().flat_map(|method| self.0.calls(method)) {
            let to = match (&call.params["chat_id"], &call.params["callback_query_id"]) {
                (Value::Null, press) => text(press),
                (chat, _) => text(chat),
            };
            let told = format!("{} {}\n", call.method, text(&call.params["text"]));
            sent.entry(to).or_default().push_str(&told);
        }
        sent
    }
}

fn number(text: &str) -> i64 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
