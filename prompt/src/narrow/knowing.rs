//! Whether a message wants to know something: `why do people post so much?` wants no post.

use std::sync::LazyLock;

use regex::Regex;

use crate::handed::{hands_on, is_asking};
use crate::said::Said;

/// The words that such a question begins with, or in Chinese holds, in the languages that the first-party actions are shown in.
static BEGINS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(?:why|how|what|who|whose|where|when|which
        |warum|wieso|weshalb|wie|was|wer|wo|wann|welche[rs]?
        |por\ qué|qué|quién|cómo|cuándo|dónde|cuál)\b
        |为什么|怎么|什么|谁|哪",
    )
    .ok()
});

/// What asks for a deed though it begins like a question, or stands behind one: `what about a post on X?`, `when you have a
/// moment, can you ...`.
static PROPOSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(?:what\ about|how\ about|why\ don't\ (?:you|we)|wie\ wär|wie\ wäre|was\ hältst|qué\ tal\ si|por\ qué\ no)
        |(?:[,;.!]\s*|\b(?:and|und|y)\s+)(?:also\s+|auch\s+)?
            (?:please|can|could|would|will|kannst|könntest|bitte|puedes|podrías)\b
        |请|能不能|帮",
    )
    .ok()
});

/// Whether it begins with a question word, ends with a question mark, and hands nothing on.
pub(super) fn is_question(said: Said<'_>) -> bool {
    let begins = |text: &str| BEGINS.as_ref().is_some_and(|begins| begins.is_match(text));
    let is_proposal =
        |text: &str| PROPOSES.as_ref().is_some_and(|proposes| proposes.is_match(text));
    is_asking(said.message)
        && !hands_on(said.message)
        && said.texts().any(begins)
        && !said.texts().any(is_proposal)
}
