//! `_MEMORY_WRITE`: remembers what the user wants remembered.
//!
//! While text that others wrote is in the conversation nobody can tell whose wish it is. What is written then is
//! set aside, is never shown to the model, and waits for a person's `/memory keep`. What stands word for word in the
//! person's own message is the person's wish, whatever else is in the conversation.
//!
//! Secrets of this house are taken out first: a person may have typed one.

mod sentence;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use conversation::workspace::{Aside, Entered, Memory, SessionFiles};
use document::Document;
use protocol::{ActionCard, Code, Done, Millis, Object, OwnWords, Stopped};
use serde::Deserialize;
use serde_json::{Value, json};
use session::Caller;

use super::LocalAction;
use super::veil::Veil;

/// How long a key may be, in characters.
const KEY_LIMIT: usize = 200;

/// How large a value may be, in bytes of JSON.
const VALUE_LIMIT: usize = 4_096;

/// How deep a value may be nested: every line of memory.json is indented by as many steps.
const DEPTH_LIMIT: usize = 4;

/// How many keys the memory holds.
const KEYS_LIMIT: usize = 2_000;

/// How many things one call may bring.
const AT_ONCE: usize = 64;

/// How many things may be set aside. A text that wants to push others out finds no room for itself.
const ASIDE_LIMIT: usize = 200;

/// Merges `new_memory` into memory.json and says what changed.
pub struct MemoryWrite {
    card: ActionCard,
    veil: Option<Arc<Veil>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    new_memory: Object,
}

/// What a merge did, by key.
#[derive(Debug, Default)]
struct Changes {
    added: Object,
    /// Key -> `{"from": ..., "to": ...}`.
    changed: Object,
    unchanged: Vec<String>,
}

impl MemoryWrite {
    /// The action on the memory of whoever asks; `None` only if its built-in card is broken.
    #[must_use]
    pub fn new() -> Option<Self> {
        Some(Self { card: super::card("_MEMORY_WRITE")?, veil: None })
    }

    /// The same, with no secret in what is remembered.
    #[must_use]
    pub fn with_veil(self, veil: Arc<Veil>) -> Self {
        Self { veil: Some(veil), ..self }
    }
}

#[async_trait]
impl LocalAction for MemoryWrite {
    fn card(&self) -> &ActionCard {
        &self.card
    }

    async fn run(&self, params: Object, caller: &Caller) -> Result<Done, Stopped> {
        let Params { new_memory } = super::params(params)?;
        check(&new_memory).map_err(refused)?;
        let (files, entered) = (Arc::clone(&caller.files), caller.entered.clone());
        let new = match &self.veil {
            Some(veil) => veil.over(new_memory.clone(), caller).await?,
            None => new_memory.clone(),
        };
        let held_a_secret = new != new_memory;
        // It waits for the disk.
        let written = tokio::task::spawn_blocking(move || write(&files, new, &entered));
        let done =
            written.await.map_err(|error| Stopped::new(Code::Internal, error.to_string()))?;
        done.map(|done| if held_a_secret { redacted(done) } else { done })
    }

    fn sentence(&self, done: &Done) -> Option<String> {
        sentence::of(done, settings::words())
    }
}

fn write(files: &SessionFiles, new: Object, entered: &Entered) -> Result<Done, Stopped> {
    let change = |memory: &mut Memory| {
        let (own, others) = apart(new, entered.said());
        let mut done = Done::default();
        if !own.is_empty() {
            done = merge(memory, own, By::Owner)?.done();
        }
        if !others.is_empty() {
            let by = if entered.taint().private { By::ModelOfPrivate } else { By::Model };
            let further = match entered.taint().untrusted {
                true => set_aside(memory, others, entered)?,
                false => merge(memory, others, by)?.done(),
            };
            done = joined(done, further);
        }
        fits(memory)?;
        Ok(done)
    };
    let (done, saved) = files.memory.change(change).map_err(refused)?;
    saved.map(|()| done).map_err(|error| {
        let message = format!("noted for this conversation only: {error}");
        Stopped::new(Code::Internal, message).maybe_executed()
    })
}

/// Whose word a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// It stands word for word in the message that is answered.
    Owner,
    /// The model has put it so.
    Model,
    /// The same, of private data perhaps.
    ModelOfPrivate,
}

/// What stands word for word in what the person said, and the rest. Nobody else can have wished the first.
fn apart(new: Object, said: Option<&str>) -> (Object, Object) {
    let said = said.map(|said| OwnWords::new(said, &BTreeMap::new()));
    new.into_iter().partition(|(key, value)| {
        let key = Value::from(key.replace('_', " "));
        let has = |said: &OwnWords| said.have_all([(&key, false), (value, false)]);
        said.as_ref().is_some_and(has)
    })
}

/// `done`, and that a secret was in it.
fn redacted(mut done: Done) -> Done {
    done.result.insert("redacted".to_owned(), json!(true));
    let text = done.text.unwrap_or_default();
    Done { text: Some(format!("{text} A secret was in it; [secret] stands in its place.")), ..done }
}

/// Two results as one.
fn joined(mut one: Done, other: Done) -> Done {
    for (name, value) in other.result {
        match (one.result.get_mut(&name), value) {
            (Some(Value::Object(there)), Value::Object(more)) => there.extend(more),
            (Some(Value::Array(there)), Value::Array(more)) => there.extend(more),
            (_, value) => drop(one.result.insert(name, value)),
        }
    }
    let texts: Vec<String> = one.text.into_iter().chain(other.text).collect();
    Done { text: Some(texts.join(" ")), ..one }
}

fn refused(problem: String) -> Stopped {
    Stopped::new(Code::BadParams, problem)
}

fn check(new: &Object) -> Result<(), String> {
    if new.is_empty() {
        return Err("new_memory is empty; give at least one key with its value".to_owned());
    }
    if new.len() > AT_ONCE {
        return Err(format!("{} facts are too many at once; {AT_ONCE} is the most", new.len()));
    }
    for (key, value) in new {
        let shown: String = key.chars().take(40).collect();
        if Memory::is_reserved(key) {
            return Err(format!("{shown:?} is the file's own; use another key"));
        }
        if key.trim().is_empty() || key.chars().any(char::is_control) {
            return Err(format!("the key {shown:?} is no name; use words"));
        }
        if key.chars().count() > KEY_LIMIT {
            return Err(format!("the key {shown:?}... is over {KEY_LIMIT} characters; shorten it"));
        }
        let size = value.to_string().len();
        if size > VALUE_LIMIT {
            return Err(format!(
                "the value of {shown:?} has {size} bytes; {VALUE_LIMIT} is the most"
            ));
        }
        if depth(value) > DEPTH_LIMIT {
            return Err(format!(
                "the value of {shown:?} is nested deeper than {DEPTH_LIMIT} levels; say it more flatly"
            ));
        }
        if value.is_null() {
            return Err(format!(
                "the value of {shown:?} is null; the user removes it with /forget"
            ));
        }
    }
    Ok(())
}

/// How many lists and objects stand in one another.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(list) => list.iter().map(depth).max(),
        Value::Object(object) => object.values().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}

fn merge(memory: &mut Memory, new: Object, by: By) -> Result<Changes, String> {
    let mut changes = Changes::default();
    for (key, value) in new {
        // What was learnt from private data is private.
        memory.typed(&key, &value, by == By::Owner);
        if by == By::ModelOfPrivate && memory.facts.get(&key) != Some(&value) {
            memory.private.insert(key.clone());
        }
        match memory.facts.insert(key.clone(), value.clone()) {
            None => drop(changes.added.insert(key, value)),
            Some(old) if old == value => changes.unchanged.push(key),
            Some(old) => drop(changes.changed.insert(key, json!({"from": old, "to": value}))),
        }
    }
    if memory.facts.len() > KEYS_LIMIT && !changes.added.is_empty() {
        return Err(format!(
            "the memory is full: it holds {KEYS_LIMIT} keys; the user makes room with /forget KEY"
        ));
    }
    Ok(changes)
}

/// Writes `new` down as what nobody vouches for. A fact of the same key stays what it is.
fn set_aside(memory: &mut Memory, new: Object, entered: &Entered) -> Result<Done, String> {
    let keys: Vec<String> = new.keys().cloned().collect();
    let (at, from) = (Millis::of_this_machine(), entered.sources().join(", "));
    let private = entered.taint().private;
    let aside = |value| Aside { value, at, from: from.clone(), private };
    memory.aside.extend(new.into_iter().map(|(key, value)| (key, aside(value))));
    if memory.aside.len() > ASIDE_LIMIT {
        return Err(format!(
            "{ASIDE_LIMIT} things are set aside already; the user sees them with /memory --quarantined"
        ));
    }
    let text = format!(
        "set aside and not remembered, because text that others wrote is in this conversation: {}. The \
         user sees it with /memory --quarantined and makes it count with /memory keep KEY.",
        keys.join(", ")
    );
    let result = Object::from_iter([("set_aside".to_owned(), json!(keys))]);
    Ok(Done { result, text: Some(text), ..Done::default() })
}

fn fits(memory: &Memory) -> Result<(), String> {
    let size = memory.to_text().len();
    if size as u64 <= Memory::LIMIT {
        return Ok(());
    }
    Err(format!(
        "the memory is full: memory.json would have {size} bytes, and {} is the most; the user makes room \
         with /forget KEY",
        Memory::LIMIT
    ))
}

impl Changes {
    fn done(self) -> Done {
        let text = Some(self.text());
        let mut result = Object::new();
        for (name, part) in [("added", self.added), ("changed", self.changed)] {
            if !part.is_empty() {
                result.insert(name.to_owned(), Value::Object(part));
            }
        }
        if !self.unchanged.is_empty() {
            result.insert("unchanged".to_owned(), json!(self.unchanged));
        }
        Done { result, text, ..Done::default() }
    }

    fn text(&self) -> String {
        let added =
            self.added.iter().map(|(key, value)| format!("{key} = {}", Memory::shown(value)));
        let changed = self.changed.iter().map(|(key, change)| {
            let (from, to) = (Memory::shown(&change["from"]), Memory::shown(&change["to"]));
            format!("{key} = {to} (it was {from})")
        });
        let unchanged = self.unchanged.iter().map(|key| format!("{key}, which I knew already"));
        let parts: Vec<String> = added.chain(changed).chain(unchanged).collect();
        format!("remembered: {}.", parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use protocol::Taint;

    use super::*;
    use crate::testing::caller;

    async fn run(files: &Arc<SessionFiles>, params: Value) -> Result<Done, Stopped> {
        let action = MemoryWrite::new().unwrap();
        action.run(params.as_object().unwrap().clone(), &caller(files, Taint::CLEAN)).await
    }

    fn files() -> (tempfile::TempDir, Arc<SessionFiles>) {
        let folder = tempfile::tempdir().unwrap();
        let files = Arc::new(SessionFiles::open(folder.path()));
        (folder, files)
    }

    #[tokio::test]
    async fn it_merges_and_says_what_changed() {
        let (folder, files) = files();
        let path = folder.path().join("memory.json");
        std::fs::write(&path, r#"{"by hand": [1], "name": "Joe", "city": "Rome"}"#).unwrap();
        let new = json!({"new_memory": {"name": "Frankie", "city": "Rome", "age": 7}});
        let done = run(&files, new).await.unwrap();
        assert_eq!(
            Value::Object(done.result),
            json!({"added": {"age": 7}, "changed": {"name": {"from": "Joe", "to": "Frankie"}}, "unchanged": ["city"]})
        );
        assert_eq!(
            done.text.unwrap(),
            "remembered: age = 7; name = Frankie (it was Joe); city, which I knew already."
        );
        let written: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(
            written.to_string(),
            r#"{"by hand":[1],"name":"Frankie","city":"Rome","age":7}"#
        );
    }

    #[tokio::test]
    async fn what_does_not_fit_changes_nothing_and_says_why() {
        let (_folder, files) = files();
        let long = "k".repeat(KEY_LIMIT + 1);
        let mut errors = Vec::new();
        for params in [
            json!({}),
            json!({"new_memory": ["x"]}),
            json!({"new_memory": {"a": "b"}, "more": 1}),
            json!({"new_memory": {}}),
            json!({"new_memory": {"ok": "fine", "": "x"}}),
            json!({"new_memory": {"a\u{1b}b": "x"}}),
            json!({"new_memory": {long: "x"}}),
            json!({"new_memory": {"a": "v".repeat(VALUE_LIMIT)}}),
            json!({"new_memory": {"a": [[[[["deep"]]]]]}}),
            json!({"new_memory": {"a": null}}),
            json!({"new_memory": {"_set_aside": {}}}),
            json!({"new_memory": {"_private": []}}),
            json!({"new_memory": (0..=AT_ONCE).map(|n| (n.to_string(), json!(n))).collect::<Object>()}),
        ] {
            let stopped = run(&files, params).await.unwrap_err();
            assert_eq!(stopped.code, Code::BadParams);
            errors.push(stopped.message);
        }
        assert_eq!(*files.memory.read(), Memory::default());
        insta::assert_snapshot!(errors.join("\n"));
    }

    #[tokio::test]
    async fn a_full_memory_still_takes_changes() {
        let (_folder, files) = files();
        let full: Object = (0..KEYS_LIMIT).map(|n| (n.to_string(), json!(n))).collect();
        files.memory.save(Memory::of(full)).unwrap();
        let stopped = run(&files, json!({"new_memory": {"one more": 1}})).await.unwrap_err();
        assert!(stopped.message.contains("full"), "{}", stopped.message);
        assert_eq!(files.memory.read().facts.len(), KEYS_LIMIT);
        assert!(run(&files, json!({"new_memory": {"7": "seven"}})).await.is_ok());
    }

    #[tokio::test]
    async fn what_would_make_the_file_too_large_is_refused_and_not_held() {
        let (_folder, files) = files();
        // 4 kB that become 30 kB when people can read them.
        let value: Value = json!([[[vec![1; 1_900]]]]);
        let large: Object = (0..600).map(|n| (n.to_string(), value.clone())).collect();
        let before = Memory::of(large.clone());
        assert!(before.to_text().len() as u64 <= Memory::LIMIT);
        files.memory.save(before).unwrap();
        let mut next = 600;
        let stopped = loop {
            let more: Object = (next..next + 60).map(|n| (n.to_string(), value.clone())).collect();
            next += 60;
            if let Err(stopped) = run(&files, json!({"new_memory": more})).await {
                break stopped;
            }
        };
        assert_eq!(stopped.code, Code::BadParams);
        assert!(stopped.message.contains("memory.json would have"), "{}", stopped.message);
        assert_eq!(files.memory.read().facts.len(), next - 60);
        assert!(run(&files, json!({"new_memory": {"0": "flat"}})).await.is_ok());
    }

    #[tokio::test]
    async fn side_by_side_nothing_is_lost() {
        let (_folder, files) = files();
        let writes = (0..20).map(|n| {
            let files = Arc::clone(&files);
            tokio::spawn(async move {
                run(&files, json!({"new_memory": {n.to_string(): n}})).await.unwrap();
            })
        });
        for write in writes.collect::<Vec<_>>() {
            write.await.unwrap();
        }
        assert_eq!(files.memory.read().facts.len(), 20);
    }

    #[tokio::test]
    async fn what_can_not_be_saved_is_kept_in_memory_and_said() {
        let (folder, files) = files();
        let _ = files.memory.read();
        std::fs::remove_dir_all(folder.path()).unwrap();
        std::fs::write(folder.path(), "no folder").unwrap();
        let stopped = run(&files, json!({"new_memory": {"name": "Frankie"}})).await.unwrap_err();
        assert!(stopped.message.contains("memory.json"), "{}", stopped.message);
        assert_eq!(files.memory.read().facts["name"], "Frankie");
        std::fs::remove_file(folder.path()).unwrap();
        std::fs::create_dir(folder.path()).unwrap();
        run(&files, json!({"new_memory": {"city": "Rome"}})).await.unwrap();
        let written = std::fs::read_to_string(folder.path().join("memory.json")).unwrap();
        assert!(written.contains("Frankie") && written.contains("Rome"), "{written}");
    }

    async fn run_tainted(
        files: &Arc<SessionFiles>,
        taint: Taint,
        params: Value,
    ) -> Result<Done, Stopped> {
        let action = MemoryWrite::new().unwrap();
        action.run(params.as_object().unwrap().clone(), &caller(files, taint)).await
    }

    #[tokio::test]
    async fn what_others_text_may_have_asked_for_is_set_aside_and_replaces_nothing() {
        let (folder, files) = files();
        run(&files, json!({"new_memory": {"boss": "Ann"}})).await.unwrap();
        let untrusted = Taint { untrusted: true, private: true };
        let new = json!({"new_memory": {"boss": "Mallory", "iban": "XX"}});
        let done = run_tainted(&files, untrusted, new).await.unwrap();
        assert!(done.text.unwrap().starts_with("set aside and not remembered"));
        let memory = files.memory.read();
        assert_eq!(Value::from(memory.facts.clone()), json!({"boss": "Ann"}));
        assert_eq!(memory.aside["boss"].value, "Mallory");
        assert_eq!(memory.aside["iban"].from, "TEST");
        let again = SessionFiles::open(folder.path());
        assert_eq!(again.memory.read(), memory);
    }

    #[tokio::test]
    async fn what_is_set_aside_is_bounded() {
        let (_folder, files) = files();
        let untrusted = Taint { untrusted: true, private: false };
        let mut refused = None;
        for n in 0..=ASIDE_LIMIT {
            let new = json!({"new_memory": {n.to_string(): n}});
            refused = run_tainted(&files, untrusted, new).await.err();
        }
        assert_eq!(refused.unwrap().code, Code::BadParams);
        assert_eq!(files.memory.read().aside.len(), ASIDE_LIMIT);
        assert!(files.memory.read().aside.contains_key("0"));
    }

    #[tokio::test]
    async fn what_was_learnt_from_private_data_is_private() {
        let (_folder, files) = files();
        run(&files, json!({"new_memory": {"city": "Rome"}})).await.unwrap();
        let private = Taint { untrusted: false, private: true };
        let new = json!({"new_memory": {"city": "Rome", "salary": 7}});
        run_tainted(&files, private, new).await.unwrap();
        assert_eq!(files.memory.read().private.iter().collect::<Vec<_>>(), ["salary"]);
    }
}
