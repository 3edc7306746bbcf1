//! `/search QUERY`: the best passages of the library.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Object;
use serde_json::Value;

use super::library::{search, text};
use super::perform::{At, Perform, Read};

/// How much of a passage is shown, in characters.
const SHOWN: usize = 200;

#[derive(Debug)]
struct Search(String);

pub(super) fn read(rest: &str) -> Read {
    match rest.trim() {
        "" => Err("say what to look for: /search QUERY".to_owned()),
        query => Ok(Arc::new(Search(query.to_owned()))),
    }
}

#[async_trait]
impl Perform for Search {
    async fn perform(&self, mut at: At<'_>) {
        match search(&mut at, &self.0).await {
            Ok(found) => at.text(listed(&found)),
            Err(why) => at.notice(why),
        }
    }
}

/// `n. [element] place` and the beginning of each passage.
pub(super) fn listed(found: &Object) -> String {
    let hits = found.get("hits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if hits.is_empty() {
        return "No matching documents found.".to_owned();
    }
    let one = |(at, hit): (usize, &Value)| {
        let whole = text(hit, "text").split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = whole.chars().take(SHOWN).collect();
        let more = if short.len() < whole.len() { "..." } else { "" };
        format!("{}. [{}] {}\n{short}{more}", at + 1, text(hit, "element"), text(hit, "place"))
    };
    hits.iter().enumerate().map(one).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hits_are_numbered_with_their_beginning() {
        let long = "word ".repeat(100);
        let found = json!({"hits": [
            {"element": "pdf", "place": "/papers/manual.pdf", "text": "Turn the\nvalve."},
            {"element": "md", "place": "notes.md", "text": long},
        ]});
        let listed = listed(found.as_object().unwrap());
        let (first, second) = listed.split_once("\n2. ").unwrap();
        assert_eq!(first, "1. [pdf] /papers/manual.pdf\nTurn the valve.");
        assert_eq!(second.len(), "[md] notes.md\n".len() + SHOWN + 3);
        assert_eq!(super::listed(&Object::new()), "No matching documents found.");
    }
}
