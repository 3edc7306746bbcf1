//! What a small model is offered: only what the words tell, and addresses only as they stand there. It takes whatever it
//! is offered, and invents an address rather than none.

use protocol::{ActionCard, Object};
use serde_json::{Value, json};

use super::offered::offered;
use super::wishes::wishes;
use super::words::{files, kinds};
use crate::action::Observation;
use crate::workspace::urls;

/// A message, and what may be done about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// What the user said.
    pub(crate) message: &'a str,
    /// The actions that may be asked for: the local ones, then the router's.
    pub(crate) cards: [&'a [ActionCard]; 2],
    /// What this turn's actions have brought by now.
    pub(crate) so_far: &'a [Observation],
    /// The addresses that the person typed in this conversation.
    pub(crate) typed: &'a [String],
}

/// What is offered.
#[derive(Debug)]
pub(crate) struct Narrowed {
    /// The actions, with their parameters narrowed.
    pub(crate) cards: Vec<ActionCard>,
    /// How many of them are asked for, if any is.
    pub(crate) least: usize,
}

/// The actions that the parts of the message tell; if none does, all but those that would need an address which nobody has
/// named.
#[must_use]
pub(crate) fn narrowed(asked: &Asked<'_>) -> Narrowed {
    let Asked { message, so_far, .. } = *asked;
    let all = offered(message, asked.cards, so_far);
    let wished = wishes(message, &all);
    // What was done since is done.
    let least = if so_far.is_empty() { wished.len() } else { 0 };
    let there = There::of(asked);
    let is_meant = |card: &ActionCard| match wished.as_slice() {
        [] => there.has_what_it_needs(card),
        wished => wished.iter().any(|one| one.name == card.name),
    };
    let cards = all.into_iter().filter(|card| is_meant(card)).map(|card| there.narrow(card));
    Narrowed { cards: cards.collect(), least }
}

/// The addresses and files that may be meant.
struct There {
    /// The addresses in the message, whole.
    urls: Vec<String>,
    /// The files in the message.
    files: Vec<String>,
    /// Whether earlier ones may be meant.
    earlier: bool,
}

/// The `format` of a parameter that is an address, and of one that is a file.
const URI: &str = "uri";
const PATH: &str = "path";

impl There {
    fn of(asked: &Asked<'_>) -> Self {
        let whole = |url: &str| match url.contains("://") {
            true => url.to_owned(),
            false => format!("https://{url}"),
        };
        let is_file = |url: &&str| kinds(url).any(|kind| kind == "<file>" || kind == "<mail>");
        Self {
            urls: urls(asked.message).filter(|url| !is_file(url)).map(whole).collect(),
            files: files(asked.message).map(str::to_owned).collect(),
            earlier: !asked.so_far.is_empty() || !asked.typed.is_empty(),
        }
    }

    fn has_what_it_needs(&self, card: &ActionCard) -> bool {
        let lacks = |(name, schema): (&String, &Value)| {
            let is_there = match format(schema) {
                Some(URI) => !self.urls.is_empty(),
                Some(PATH) => !self.files.is_empty(),
                _ => true,
            };
            !is_there && !card.optional.contains(name)
        };
        self.earlier || !card.params.iter().any(lacks)
    }

    /// The card with the addresses and files of the message as the only ones.
    fn narrow(&self, card: &ActionCard) -> ActionCard {
        let only = |schema: &Value| match format(schema) {
            Some(URI) if !self.urls.is_empty() => json!({"type": "string", "enum": self.urls}),
            Some(PATH) if !self.files.is_empty() => json!({"type": "string", "enum": self.files}),
            _ => schema.clone(),
        };
        let params: Object =
            card.params.iter().map(|(name, schema)| (name.clone(), only(schema))).collect();
        ActionCard { params, ..card.clone() }
    }
}

fn format(schema: &Value) -> Option<&str> {
    schema.get("format").and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agent_cards, router_cards};

    fn offer(message: &str, typed: &[String]) -> Narrowed {
        let cards = [agent_cards(), router_cards()];
        narrowed(&Asked { message, cards: [&cards[0], &cards[1]], so_far: &[], typed })
    }

    fn names(offer: &Narrowed) -> Vec<&str> {
        offer.cards.iter().map(|card| card.name.as_str()).collect()
    }

    #[test]
    fn only_what_the_words_tell_is_offered() {
        let offer = offer("Post 'Hi' on X and on Mastodon, and remember that I did", &[]);
        assert_eq!(names(&offer), ["CREATE_POST", "_MEMORY_WRITE"]);
        assert_eq!(offer.least, 3);
    }

    #[test]
    fn without_an_address_none_is_invented() {
        let others = ["_MEMORY_WRITE", "CREATE_POST", "HELLO_WORLD"];
        assert_eq!(names(&offer("Was ist die Hauptstadt von Kanada?", &[])), others);
        let all = offer("und was noch?", &["https://example.com".to_owned()]);
        assert_eq!(names(&all).len(), 5, "an address of before may be meant");
    }

    #[test]
    fn addresses_are_offered_whole_as_they_stand_there() {
        let params = |message| {
            let offer = offer(message, &[]);
            offer.cards.first().map(|card| card.params.clone()).unwrap_or_default()
        };
        let page = params("Was steht auf example.org/news?");
        assert_eq!(page["url"]["enum"], json!(["https://example.org/news"]));
        let file = params("kurz: output/notes.txt.");
        assert_eq!(file["content"]["enum"], json!(["output/notes.txt"]));
    }
}
