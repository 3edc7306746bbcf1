//! The addresses that a session knows: typed by a person, or standing in what it was shown.
//!
//! A skill that may reach any host can carry words out in the address itself, so once there is something to
//! carry, or somebody to be carried to, it goes only where a person or a page has pointed.

use linkify::{LinkFinder, LinkKind};
use protocol::{Command, Object};
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;

/// How many addresses are remembered of a session; the oldest make way.
const REMEMBERED: usize = 2_000;

/// The fingerprints of all addresses in the texts of `result`.
pub(super) fn within(result: &Object) -> Vec<u64> {
    let mut found = Vec::new();
    for text in texts(result) {
        let mut finder = LinkFinder::new();
        finder.kinds(&[LinkKind::Url]);
        found.extend(finder.links(text).filter_map(|link| fingerprint(link.as_str())));
    }
    found
}

/// The fingerprints of the addresses that `result` brings. What only repeats what `command` was given, as an echo does,
/// brings none.
pub(super) fn new_in(command: &Command, result: &Object) -> Vec<u64> {
    let given = within(&command.params);
    within(result).into_iter().filter(|link| !given.contains(link)).collect()
}

/// `known` with `new` behind it, each once.
pub(super) fn joined(known: Vec<u64>, new: &[u64]) -> Vec<u64> {
    let mut all: Vec<u64> = known.into_iter().filter(|link| !new.contains(link)).collect();
    for link in new {
        if !all.contains(link) {
            all.push(*link);
        }
    }
    all.drain(..all.len().saturating_sub(REMEMBERED));
    all
}

/// Whether any text in `params` is something else than an address that is known or was typed by a person.
pub(super) fn are_foreign(params: &Object, known: &[u64], typed: &[String]) -> bool {
    let typed: Vec<u64> = typed.iter().filter_map(|link| fingerprint(link)).collect();
    texts(params).into_iter().any(|text| {
        fingerprint(text).is_none_or(|link| !known.contains(&link) && !typed.contains(&link))
    })
}

/// What tells an http(s) address from others: without its fragment, which is sent nowhere. A text without a scheme
/// is read as a person would mean it.
fn fingerprint(text: &str) -> Option<u64> {
    let text = text.trim();
    let url = Url::parse(text).or_else(|_| Url::parse(&format!("https://{text}")));
    let mut url = url.ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_fragment(None);
    let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = Sha256::digest(url.as_str()).into();
    Some(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

/// Every text in `object`, however deep.
fn texts(object: &Object) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut left: Vec<&Value> = object.values().collect();
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => texts.push(text.as_str()),
            Value::Array(values) => left.extend(values),
            Value::Object(object) => left.extend(object.values()),
            _ => {}
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    fn is_foreign(url: &str, known: &[u64], typed: &[&str]) -> bool {
        let typed: Vec<String> = typed.iter().map(|link| (*link).to_owned()).collect();
        are_foreign(&object(json!({ "url": url })), known, &typed)
    }

    #[test]
    fn what_stands_in_a_result_or_was_typed_is_known() {
        let page = json!({"text": "See https://a.example/x?y=1. Or [this](https://b.example/).",
            "links": [{"url": "https://c.example/deep"}]});
        let known = within(&object(page));
        for link in ["https://a.example/x?y=1", "https://b.example", "https://c.example/deep#part"]
        {
            assert!(!is_foreign(link, &known, &[]), "{link}");
        }
        assert!(!is_foreign("https://d.example/", &known, &["d.example"]));
        for link in ["https://a.example/x?y=2", "https://d.example", "not a link", ""] {
            assert!(is_foreign(link, &known, &[]), "{link}");
        }
    }

    #[test]
    fn only_so_many_are_remembered() {
        let many: Vec<u64> = (0..3_000).collect();
        let all = joined(vec![5_000, 2_999], &many);
        assert_eq!((all.len(), all[0]), (REMEMBERED, 1_000));
    }
}
