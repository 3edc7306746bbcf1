//! The words of cookie banners, as the script wants them.

use std::sync::LazyLock;

use serde_json::{Value, json};

/// The words on banners' buttons in eight languages, by what they do; the words by which a banner is known;
/// and the places where well-known frameworks put theirs.
static PHRASES: LazyLock<Value> = LazyLock::new(|| {
    // The tests read the file; a broken one would leave banners where they are.
    serde_json::from_str(include_str!("phrases.json")).unwrap_or_default()
});

/// The arguments of `banner.js`. In a `framed` document, which lies over a page, all of it is the banner.
pub(super) fn args(framed: bool) -> Value {
    json!({ "phrases": &*PHRASES, "framed": framed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phrases_can_be_read_and_none_has_two_meanings() {
        let mut seen = std::collections::HashMap::new();
        for kind in ["reject", "necessary", "close", "accept"] {
            for phrase in PHRASES[kind].as_array().unwrap() {
                let phrase = phrase.as_str().unwrap().to_lowercase();
                assert_eq!(*seen.entry(phrase.clone()).or_insert(kind), kind, "{phrase}");
            }
        }
        assert!(PHRASES["about"].as_array().unwrap().len() > 40);
        assert!(PHRASES["containers"].as_array().unwrap().len() > 40);
    }
}
