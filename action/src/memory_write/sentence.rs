//! What was remembered, in a sentence for people.

use conversation::observation::capitalized;
use conversation::workspace::Memory;
use protocol::Done;
use serde_json::Value;
use words::Words;

/// Keys that are about the user, whatever else is known.
const ABOUT_THE_USER: [&str; 10] =
    ["name", "age", "city", "birthday", "email", "address", "phone", "job", "language", "country"];

/// What the result `done` of a write says; none if it holds nothing that was written.
pub(super) fn of(done: &Done, words: &Words) -> Option<String> {
    let part = |name: &str| done.result.get(name).and_then(Value::as_object);
    if done.result.contains_key("set_aside") {
        return done.text.as_deref().map(capitalized);
    }
    let added = part("added").into_iter().flatten().map(|(key, value)| fact(words, key, value));
    let changed =
        part("changed").into_iter().flatten().map(|(key, change)| changed(words, key, change));
    let new: Vec<String> = added.chain(changed).collect();
    let known: Vec<&str> = done
        .result
        .get("unchanged")
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |keys| keys.iter().filter_map(Value::as_str).collect());
    let new = (!new.is_empty()).then(|| words.fill("deed.remember", &[("facts", &new.join("; "))]));
    let known =
        (!known.is_empty()).then(|| words.fill("deed.known", &[("keys", &known.join(", "))]));
    let secret = done.result.contains_key("redacted").then(|| words.get("deed.secret").to_owned());
    let said: Vec<String> = new.into_iter().chain(known).chain(secret).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

fn fact(words: &Words, key: &str, value: &Value) -> String {
    let name = key.replace('_', " ");
    let is_about_the_user = ABOUT_THE_USER.contains(&key)
        || name.starts_with("favorite ")
        || name.starts_with("favourite ");
    let text = if is_about_the_user { "deed.yours" } else { "deed.this" };
    words.fill(text, &[("words", &name), ("value", &Memory::shown(value))])
}

fn changed(words: &Words, key: &str, change: &Value) -> String {
    let of = |name: &str| change.get(name).unwrap_or(&Value::Null);
    let (fact, before) = (fact(words, key, of("to")), Memory::shown(of("from")));
    words.fill("deed.was", &[("fact", &fact), ("value", &before)])
}

#[cfg(test)]
mod tests {
    use protocol::Object;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_remembered_is_said_as_a_person_would() {
        let told = |result: Value| {
            let result: Object = result.as_object().unwrap().clone();
            let words = words::CONSOLE.wanted([]);
            of(&Done { result, text: Some("set aside: x".to_owned()), ..Done::default() }, words)
        };
        let said = [
            told(json!({"added": {"name": "Frankie"}})),
            told(json!({"added": {"capital_of_france": "Paris"}, "unchanged": ["city"]})),
            told(json!({"changed": {"favorite_color": {"from": "red", "to": "blue"}}})),
            told(json!({"added": {"token": "[secret]"}, "redacted": true})),
            told(json!({"set_aside": ["x"]})),
            told(json!({})),
        ];
        let said: Vec<String> = said.into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(
            said,
            [
                "I'll remember that your name is Frankie.",
                "I'll remember this: capital of france = Paris. I knew this already: city.",
                "I'll remember that your favorite color is blue (it was red).",
                "I'll remember this: token = [secret]. A secret was in it, which I do not remember.",
                "Set aside: x",
                "",
            ]
        );
    }
}
