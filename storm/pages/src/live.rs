//! What goes on in the storms at this moment: who is awaited, what was heard of that one by now, and who watches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use storm::{Message, Name, is_person};
use storm_runner::Heard;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// How many events wait for a page that is slow. One that misses some connects again.
const WAITING: usize = 1024;

/// All storms that go on here or are watched.
#[derive(Clone, Default)]
pub(super) struct Live(Arc<Mutex<HashMap<Name, Storm>>>);

struct Storm {
    events: broadcast::Sender<Arc<Value>>,
    run: Option<Run>,
}

#[derive(Default)]
struct Run {
    awaited: Option<String>,
    words: String,
    is_stopping: bool,
    /// Cancelled when the speaker who is awaited is not waited for any more.
    leaves: CancellationToken,
}

impl Default for Storm {
    fn default() -> Self {
        Self { events: broadcast::Sender::new(WAITING), run: None }
    }
}

impl Live {
    /// How a storm stands now, and what happens in it from now on.
    pub(crate) fn watch(&self, name: &Name) -> (Value, broadcast::Receiver<Arc<Value>>) {
        let mut all = self.all();
        let storm = all.entry(name.clone()).or_default();
        (storm.standing(), storm.events.subscribe())
    }

    /// Lets it go on here; `None` if it does already. The token is cancelled when nobody waits for the speaker any more.
    pub(crate) fn begin(&self, name: &Name) -> Option<CancellationToken> {
        let mut all = self.all();
        let storm = all.entry(name.clone()).or_default();
        if storm.run.is_some() {
            return None;
        }
        let run = storm.run.insert(Run::default());
        let leaves = run.leaves.clone();
        storm.tell(json!({"type": "begun"}));
        Some(leaves)
    }

    /// What is heard of it.
    pub(crate) fn hear(&self, name: &Name, heard: &Heard<'_>) {
        let mut all = self.all();
        let Some(storm) = all.get_mut(name) else { return };
        let Some(run) = &mut storm.run else { return };
        let event = match heard {
            Heard::Awaited(speaker) => {
                (run.awaited, run.words) = (Some(speaker.to_string()), String::new());
                json!({"type": "awaited", "name": speaker.as_str()})
            }
            Heard::Piece("") => return,
            Heard::Piece(piece) => {
                run.words.push_str(piece);
                json!({"type": "piece", "text": piece})
            }
            Heard::Anew => {
                run.words.clear();
                json!({"type": "anew"})
            }
            Heard::Waiting(text) => json!({"type": "waiting", "text": text}),
            Heard::Said(message) => {
                (run.awaited, run.words) = (None, String::new());
                said(message)
            }
            // The page looks at the file itself.
            Heard::Changed(_) => return,
            Heard::Notice(text) => json!({"type": "notice", "text": text}),
        };
        storm.tell(event);
    }

    /// A person has said something in it.
    pub(crate) fn person(&self, name: &Name, message: &Message) {
        if let Some(storm) = self.all().get(name) {
            storm.tell(said(message));
        }
    }

    /// It does not go on here any more; `event` says why.
    pub(crate) fn end(&self, name: &Name, event: Value) {
        let mut all = self.all();
        if let Some(storm) = all.get_mut(name) {
            storm.run = None;
            storm.tell(event);
        }
        all.retain(|_, storm| storm.run.is_some() || storm.events.receiver_count() > 0);
    }

    /// Whether it goes on here.
    pub(crate) fn is_running(&self, name: &Name) -> bool {
        self.all().get(name).is_some_and(|storm| storm.run.is_some())
    }

    /// It should stop after the speaker who is awaited; asked again, that one is not waited for. Says whether it goes on here.
    pub(crate) fn stop(&self, name: &Name) -> bool {
        let mut all = self.all();
        let Some(storm) = all.get_mut(name) else { return false };
        let Some(run) = &mut storm.run else { return false };
        if std::mem::replace(&mut run.is_stopping, true) {
            run.leaves.cancel();
        }
        storm.tell(json!({"type": "stopping"}));
        true
    }

    // A std mutex, because it is never held across an await. Poisoned, the map is still whole.
    fn all(&self) -> MutexGuard<'_, HashMap<Name, Storm>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storm {
    fn standing(&self) -> Value {
        match &self.run {
            None => json!({"type": "state", "running": false}),
            Some(run) => json!({
                "type": "state",
                "running": true,
                "awaited": run.awaited,
                "words": run.words,
                "stopping": run.is_stopping,
            }),
        }
    }

    fn tell(&self, event: Value) {
        // An error says that nobody watches.
        let _ = self.events.send(Arc::new(event));
    }
}

/// A message as a page has it.
pub(crate) fn message(message: &Message) -> Value {
    json!({
        "from": message.from,
        "person": is_person(&message.from),
        "at": format!("{}Z", message.at),
        "text": message.text,
    })
}

fn said(said: &Message) -> Value {
    let mut event = message(said);
    event["type"] = "said".into();
    event
}
