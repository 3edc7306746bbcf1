//! A server of this machine that speaks Telegram's Bot API (https://core.telegram.org/bots/api) as far as a bot of words needs
//! it: updates are kept until they are confirmed, messages can be edited, and texts that the real one would refuse are refused.

mod answers;
mod wire;

use std::collections::{HashMap, VecDeque};
use std::net::TcpListener;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

pub use wire::Trouble;

use crate::wait_until;

/// The token that the server knows its one bot by.
pub const BOT_TOKEN: &str = "4711:this-is-the-tests-own-token";

/// The Bot API for one bot, and all that has happened there.
#[derive(Clone)]
pub struct BotApi {
    port: u16,
    state: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// One call of a method.
#[derive(Debug, Clone)]
pub struct Called {
    /// The method's name in lower case.
    pub method: String,
    /// Its parameters. Of a form with a file they are its text.
    pub params: Value,
}

/// A message of the bot's as the people of its chat see it now.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Its chat.
    pub chat: i64,
    /// Its id there.
    pub id: i64,
    /// What stands in it; of a file, its name in angle brackets.
    pub text: String,
    /// Its formatting.
    pub entities: Value,
    /// Its buttons: what stands on them, and what they send.
    pub buttons: Vec<(String, String)>,
    /// How often it was changed.
    pub edits: usize,
}

#[derive(Default)]
struct State {
    token: String,
    updates: Vec<Value>,
    next_update: i64,
    next_message: i64,
    called: Vec<Called>,
    shown: Vec<Shown>,
    troubles: VecDeque<(String, Trouble)>,
    /// The files that people have sent, by their ids.
    files: HashMap<String, Vec<u8>>,
    /// How many calls of getUpdates wait now.
    waiting: usize,
    /// The next offset means nothing.
    counts_anew: bool,
}

impl BotApi {
    /// Starts one whose bot has nothing to read.
    ///
    /// # Panics
    /// When no port can be had.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a default that opens a port would surprise")]
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let first = State {
            token: BOT_TOKEN.to_owned(),
            next_update: 1_000,
            next_message: 1,
            ..State::default()
        };
        let shared = Shared { state: Mutex::new(first), changed: Condvar::new() };
        let api = Self { port, state: Arc::new(shared) };
        let served = api.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let api = served.clone();
                thread::spawn(move || wire::serve(&api, stream));
            }
        });
        api
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The person with this id says something in the private chat with the bot; gives the message's id.
    pub fn says(&self, person: i64, text: &str) -> i64 {
        self.posts(person, json!({"text": text}))
    }

    /// The same with other fields than a text, or more than that.
    pub fn posts(&self, person: i64, fields: Value) -> i64 {
        let id = self.lock().new_message();
        let mut message = message(id, person);
        for (name, value) in fields.as_object().unwrap() {
            message[name] = value.clone();
        }
        self.update(json!({"message": message}));
        id
    }

    /// A file of these bytes lies there; gives its id.
    pub fn holds(&self, bytes: &[u8]) -> String {
        let mut state = self.lock();
        let file = format!("file{}", state.files.len());
        state.files.insert(file.clone(), bytes.to_vec());
        file
    }

    /// The person sends this file with these fields beside it, such as a caption; gives the message's id.
    pub fn sends_file(&self, person: i64, name: &str, bytes: &[u8], fields: Value) -> i64 {
        let file = self.holds(bytes);
        let mut fields = fields;
        fields["document"] = json!({
            "file_id": file, "file_unique_id": file, "file_size": bytes.len(), "file_name": name,
        });
        self.posts(person, fields)
    }

    /// The person presses the button with these words below the message `id` in the private chat with the bot.
    ///
    /// # Panics
    /// When there is no such button.
    pub fn presses(&self, person: i64, id: i64, words: &str) {
        let shown = self.shown(person);
        let message = shown.iter().find(|message| message.id == id).unwrap();
        let button = message.buttons.iter().find(|(on_it, _)| on_it == words);
        let (_, data) = button.unwrap_or_else(|| panic!("no {words:?} in {message:?}"));
        self.sends_data(person, id, data);
    }

    /// A press of a button that sends `data`, whether or not there is one.
    pub fn sends_data(&self, person: i64, id: i64, data: &str) {
        self.update(json!({"callback_query": {
            "id": format!("press-{id}"),
            "from": user(person),
            "message": message(id, person),
            "chat_instance": "1",
            "data": data,
        }}));
    }

    /// Adds an update; without an `update_id` it gets the next one.
    pub fn update(&self, update: Value) {
        self.updates([update]);
    }

    /// Adds updates that are told all at once, in this order.
    pub fn updates(&self, updates: impl IntoIterator<Item = Value>) {
        let mut state = self.lock();
        for mut update in updates {
            if update.get("update_id").is_none() {
                update["update_id"] = state.next_update.into();
                state.next_update += 1;
            }
            state.updates.push(update);
        }
        self.state.changed.notify_all();
    }

    /// Ids of updates are counted anew: the offset of the next call means nothing.
    pub fn forgets_offsets(&self) {
        self.lock().counts_anew = true;
    }

    /// The next call of `method` that nothing else is planned for meets with this.
    pub fn meets(&self, method: &str, trouble: Trouble) {
        self.lock().troubles.push_back((method.to_lowercase(), trouble));
        self.state.changed.notify_all();
    }

    /// From now on the bot is known by another token.
    pub fn revoke(&self) {
        "none".clone_into(&mut self.lock().token);
        self.state.changed.notify_all();
    }

    /// All calls of `method` by now.
    #[must_use]
    pub fn calls(&self, method: &str) -> Vec<Called> {
        let method = method.to_lowercase();
        self.lock().called.iter().filter(|call| call.method == method).cloned().collect()
    }

    /// The bot's messages in `chat`, as they are now.
    #[must_use]
    pub fn shown(&self, chat: i64) -> Vec<Shown> {
        self.lock().shown.iter().filter(|message| message.chat == chat).cloned().collect()
    }

    /// Their texts.
    #[must_use]
    pub fn texts(&self, chat: i64) -> Vec<String> {
        self.shown(chat).into_iter().map(|message| message.text).collect()
    }

    /// Waits until a message in `chat` has `part` in its text, and gives it.
    ///
    /// # Panics
    /// When that takes a minute.
    #[must_use]
    pub fn wait_for(&self, chat: i64, part: &str) -> Shown {
        let mut found = None;
        wait_until(&format!("{part:?} stands in chat {chat}"), || {
            found = self.shown(chat).into_iter().find(|message| message.text.contains(part));
            found.is_some()
        });
        found.unwrap()
    }

    /// Waits until all updates have been fetched and confirmed.
    ///
    /// # Panics
    /// When that takes a minute.
    pub fn wait_until_read(&self) {
        wait_until("all updates are confirmed", || {
            let state = self.lock();
            state.updates.is_empty() && state.waiting > 0
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.state.lock().unwrap()
    }
}

impl State {
    fn new_message(&mut self) -> i64 {
        self.next_message += 1;
        self.next_message
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn user(id: i64) -> Value {
    json!({"id": id, "is_bot": false, "first_name": format!("P{id}")})
}

fn message(id: i64, person: i64) -> Value {
    json!({
        "message_id": id,
        "date": now(),
        "chat": {"id": person, "type": "private", "first_name": format!("P{person}")},
        "from": user(person),
    })
}
