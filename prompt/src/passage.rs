//! A passage of the library, as a search finds it.

use protocol::{Object, Reads};
use serde_json::Value;

/// The passages that were found for a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Passages {
    /// The best first.
    pub found: Vec<Passage>,
    /// What a model is told of them that cites nothing; without it, the model is to cite what it takes from them.
    pub told: Option<String>,
}

impl Passages {
    /// Whether they are an answer by themselves where no model answers: a person has asked for them.
    #[must_use]
    pub fn are_an_answer(&self) -> bool {
        self.told.is_none() && !self.found.is_empty()
    }
}

/// A passage that was found for a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// How it is cited: `[manual.pdf, pages 2-3]`.
    pub citation: String,
    /// What it says.
    pub text: String,
    /// What a model's reading of it brings into the conversation.
    pub brings: Reads,
}

impl Passage {
    /// The hits of a result of `SEARCH_DOCS`, the best first.
    #[must_use]
    pub fn of_hits(result: &Object) -> Vec<Self> {
        let hits = result.get("hits").and_then(Value::as_array);
        hits.into_iter().flatten().filter_map(Self::of_hit).collect()
    }

    fn of_hit(hit: &Value) -> Option<Self> {
        let text = |key: &str| Some(hit.get(key)?.as_str()?.to_owned());
        // What does not say that the owner wrote it, or that everybody may see it, is others' and private.
        let own = hit.get("own").and_then(Value::as_bool) == Some(true);
        let is_public = hit.get("role").and_then(Value::as_str) == Some("public");
        let brings = Reads { public: !own, private: !is_public };
        Some(Self { citation: text("citation")?, text: text("text")?, brings })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hit_brings_what_it_says_and_no_less() {
        let hits = json!({"hits": [
            {"citation": "[a.md]", "text": "x", "role": "public", "own": true},
            {"citation": "[b.md]", "text": "x", "role": "admin", "own": true},
            {"citation": "[c.md]", "text": "x", "role": "public", "own": false},
            {"citation": "[d.md]", "text": "x"},
            {"text": "no citation"},
        ]});
        let hits = Passage::of_hits(hits.as_object().unwrap());
        let brings: Vec<Reads> = hits.iter().map(|hit| hit.brings).collect();
        assert_eq!(brings, [Reads::NONE, Reads::PRIVATE, Reads::PUBLIC, Reads::BOTH]);
    }
}
