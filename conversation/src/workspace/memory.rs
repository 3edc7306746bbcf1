//! What the agent knows, by key.
//!
//! memory.json is an object that people edit by hand: every key in it is the owner's word. Three keys are the
//! file's own. Under `_private` stand the keys of facts that are private, and under `_own` those of facts that name
//! an address and that the owner has typed. Under `_set_aside` stands, each with when and from where, what was
//! written while text that others wrote was in the conversation. That is no fact until a person makes it one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use document::Document;
use protocol::{Millis, Object, json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The file's own key for what was set aside.
const SET_ASIDE: &str = "_set_aside";

/// The file's own key for the keys of private facts.
const PRIVATE: &str = "_private";

/// The file's own key for the keys of facts that the owner has typed.
const OWN: &str = "_own";

/// How many names a command carries.
const NAMES: usize = 16;

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// Key -> value, in the order in which they were first written: the owner's word. A value is usually a
    /// text, and may be any JSON.
    pub facts: Object,
    /// The keys of the facts that are private.
    pub private: BTreeSet<String>,
    /// The keys of the facts that name an address and that the owner has typed, word for word: a name of a person.
    pub own: BTreeSet<String>,
    /// What nobody vouches for, by key. A model is never shown it.
    pub aside: BTreeMap<String, Aside>,
}

/// One thing that was set aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aside {
    /// What it says.
    pub value: Value,
    /// When it was written, by this machine's clock.
    #[serde(default)]
    pub at: Millis,
    /// What had brought others' text into the conversation, as `WEB_FETCH https://example.com`.
    #[serde(default)]
    pub from: String,
    /// Whether private data was in the conversation, which it may tell of. Nobody knows where that was not written down.
    #[serde(default = "is_unknown", skip_serializing_if = "Clone::clone")]
    pub private: bool,
}

fn is_unknown() -> bool {
    true
}

impl Memory {
    /// These facts and nothing else.
    #[must_use]
    pub fn of(facts: Object) -> Self {
        Self { facts, ..Self::default() }
    }

    /// Whether `key` is the file's own and can be no fact's.
    #[must_use]
    pub fn is_reserved(key: &str) -> bool {
        [SET_ASIDE, PRIVATE, OWN].contains(&key)
    }

    /// Whether one of the facts is private.
    #[must_use]
    pub fn holds_private(&self) -> bool {
        self.private.iter().any(|key| self.facts.contains_key(key))
    }

    /// Takes in whether the owner has typed a fact: one that is an address makes its key a name.
    pub fn typed(&mut self, key: &str, value: &Value, is_own: bool) {
        let is_address = value.as_str().is_some_and(|text| {
            text.contains('@')
                || text
                    .strip_prefix('+')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        if is_own && is_address {
            self.own.insert(key.to_owned());
        } else {
            self.own.remove(key);
        }
    }

    /// The names among those that the owner has given which stand in `said`, with the addresses that they stand for.
    #[must_use]
    pub fn names_in(&self, said: &str) -> BTreeMap<String, String> {
        let said = said.to_lowercase();
        let named = self.own.iter().filter_map(|key| {
            let name = key.replace('_', " ");
            let address = self.facts.get(key)?.as_str()?.to_owned();
            said.contains(&name.to_lowercase()).then_some((name, address))
        });
        named.take(NAMES).collect()
    }

    /// The value of a key as people read it: a text without quotes, anything else as JSON.
    #[must_use]
    pub fn shown(value: &Value) -> Cow<'_, str> {
        match value {
            Value::String(text) => text.into(),
            other => other.to_string().into(),
        }
    }
}

impl Document for Memory {
    /// Enough for 2,000 keys of 4 kB each.
    const LIMIT: u64 = 16 * 1024 * 1024;

    fn from_text(text: &str, left_out: &mut Vec<String>) -> Result<Self, String> {
        let mut facts = match document::json(text)? {
            Value::Object(object) => object,
            other => return Err(format!("it is {}, not an object", json::kind(&other))),
        };
        let aside = facts.shift_remove(SET_ASIDE).map(asides).unwrap_or_default();
        let private = match facts.shift_remove(PRIVATE).map(serde_json::from_value) {
            None => BTreeSet::new(),
            Some(Ok(keys)) => keys,
            // Whatever was meant, nothing that is private may pass for something else.
            Some(Err(_)) => {
                left_out.push(format!("{PRIVATE} is no list of keys; all facts count as private"));
                facts.keys().cloned().collect()
            }
        };
        let own = facts.shift_remove(OWN).and_then(|own| serde_json::from_value(own).ok());
        let own = own.unwrap_or_default();
        Ok(Self { facts, private, own, aside })
    }

    fn to_text(&self) -> String {
        let mut object = self.facts.clone();
        // Keys, values and times always have a JSON form.
        if !self.private.is_empty() {
            let keys = serde_json::to_value(&self.private).unwrap_or_default();
            object.insert(PRIVATE.to_owned(), keys);
        }
        if !self.own.is_empty() {
            let keys = serde_json::to_value(&self.own).unwrap_or_default();
            object.insert(OWN.to_owned(), keys);
        }
        if !self.aside.is_empty() {
            let aside = serde_json::to_value(&self.aside).unwrap_or_default();
            object.insert(SET_ASIDE.to_owned(), aside);
        }
        document::pretty(&object)
    }
}

/// What stands under [`SET_ASIDE`]. What a hand has written there in another form is set aside all the same.
fn asides(value: Value) -> BTreeMap<String, Aside> {
    let of_nobody =
        |value| Aside { value, at: Millis::default(), from: String::new(), private: true };
    match value {
        Value::Object(entries) => entries
            .into_iter()
            .map(|(key, value)| {
                let aside = serde_json::from_value(value.clone());
                (key, aside.unwrap_or_else(|_| of_nobody(value)))
            })
            .collect(),
        other => BTreeMap::from([(SET_ASIDE.to_owned(), of_nobody(other))]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Memory {
        Memory::from_text(&value.to_string(), &mut Vec::new()).unwrap()
    }

    #[test]
    fn plain_entries_are_facts_and_what_was_set_aside_is_none() {
        let file = json!({
            "name": "Frankie",
            "salary": 7,
            "_private": ["salary"],
            "_set_aside": {"boss": {"value": "Mallory", "at": 5, "from": "WEB_FETCH https://x.example"}},
        });
        let memory = read(&file);
        assert_eq!(memory.facts.keys().collect::<Vec<_>>(), ["name", "salary"]);
        assert!(memory.holds_private());
        assert_eq!(memory.aside["boss"].from, "WEB_FETCH https://x.example");
        assert_eq!(document::json::<Value>(&memory.to_text()).unwrap(), file);
    }

    #[test]
    fn without_the_files_own_keys_it_is_written_as_the_first_safeclaw_did() {
        let file = json!({"name": "Frankie"});
        assert_eq!(document::json::<Value>(&read(&file).to_text()).unwrap(), file);
    }

    #[test]
    fn an_address_that_the_owner_typed_has_a_name() {
        let mut memory =
            read(&json!({"Anna": "anna@example.org", "Bob": "bob@example.org", "dog": "Rex"}));
        for (key, is_own) in [("Anna", true), ("Bob", false), ("dog", true)] {
            memory.typed(key, &memory.facts[key].clone(), is_own);
        }
        let names = |memory: &Memory| memory.names_in("Tell anna, Bob and the dog");
        assert_eq!(names(&memory), BTreeMap::from([("Anna".into(), "anna@example.org".into())]));
        let file = document::json::<Value>(&memory.to_text()).unwrap();
        assert_eq!(file["_own"], json!(["Anna"]));
        assert_eq!(read(&file), memory);
        memory.typed("Anna", &json!("evil@example.org"), false);
        assert!(names(&memory).is_empty());
    }

    #[test]
    fn what_a_hand_has_bent_there_never_becomes_a_fact() {
        for bent in [json!({"boss": "Mallory"}), json!(["Mallory"]), json!("Mallory")] {
            let memory = read(&json!({"_set_aside": bent}));
            assert!(memory.facts.is_empty() && memory.aside.len() == 1, "{memory:?}");
            assert_eq!(read(&document::json(&memory.to_text()).unwrap()), memory);
        }
        let memory = read(&json!({"a": 1, "_private": "a"}));
        assert!(memory.holds_private() && memory.facts.len() == 1);
    }
}
