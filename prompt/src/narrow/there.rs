//! The addresses and files that a message names.

use conversation::workspace::urls;
use protocol::ActionCard;
use serde_json::{Value, json};

use super::{Asked, values};
use crate::said::Said;
use crate::wishes::Wished;
use crate::words::{files, has_number, kinds};

/// The addresses and files that may be meant.
#[derive(Clone)]
pub(super) struct There {
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
    pub(super) fn of(asked: &Asked<'_>) -> Self {
        let message = asked.said.message;
        let whole = |url: &str| match url.contains("://") {
            true => url.to_owned(),
            false => format!("https://{url}"),
        };
        let is_file = |url: &&str| kinds(url).any(|kind| kind == "<file>" || kind == "<mail>");
        Self {
            urls: urls(message).filter(|url| !is_file(url)).map(whole).collect(),
            files: files(message).map(str::to_owned).collect(),
            earlier: !asked.so_far.is_empty() || !asked.typed.is_empty(),
        }
    }

    /// Of several wishes for the same action each has an address or a file of its own, if there are as many.
    pub(super) fn at(&self, place: usize, wished: &[Wished<'_>]) -> Self {
        let one = |list: &[String]| match list.get(place) {
            Some(own) if list.len() == wished.len() => vec![own.clone()],
            _ => list.to_vec(),
        };
        Self { urls: one(&self.urls), files: one(&self.files), earlier: self.earlier }
    }

    /// Whether the message names the addresses and files that the action can't do without.
    pub(super) fn has_place(&self, card: &ActionCard) -> bool {
        let lacks = |schema: &Value| match format(schema) {
            Some(URI) => self.urls.is_empty(),
            Some(PATH) => self.files.is_empty(),
            _ => false,
        };
        self.earlier || !needed(card).any(|(_, schema)| lacks(schema))
    }

    /// Whether it names also the numbers and the listed values: what no word asks for is not asked for with invented ones.
    pub(super) fn has_what_it_needs(&self, said: Said<'_>, card: &ActionCard) -> bool {
        let lacks = |(name, schema): (&String, &Value)| {
            let kind = schema.get("type").and_then(Value::as_str);
            let is_number = matches!(kind, Some("integer" | "number"));
            let listed = schema.get("enum").and_then(Value::as_array);
            let is_told = |listed: &Vec<Value>| {
                let listed: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
                !values::named(said, &listed).is_empty() || values::only(said, card, name).is_some()
            };
            (is_number && !said.texts().any(has_number))
                || listed.is_some_and(|listed| !is_told(listed))
        };
        self.has_place(card) && (self.earlier || !needed(card).any(lacks))
    }

    /// The addresses or files of the message as the only ones, if the parameter is one and the message names any.
    pub(super) fn only(&self, schema: &Value) -> Option<Value> {
        match format(schema)? {
            URI if !self.urls.is_empty() => Some(json!({"type": "string", "enum": self.urls})),
            PATH if !self.files.is_empty() => Some(json!({"type": "string", "enum": self.files})),
            _ => None,
        }
    }
}

/// The parameters that it can't do without.
fn needed(card: &ActionCard) -> impl Iterator<Item = (&String, &Value)> {
    card.params.iter().filter(|(name, _)| !card.optional.contains(name))
}

/// Whether the action is about an address or a file.
pub(super) fn is_about_a_place(card: &ActionCard) -> bool {
    needed(card).any(|(_, schema)| matches!(format(schema), Some(URI | PATH)))
}

fn format(schema: &Value) -> Option<&str> {
    schema.get("format").and_then(Value::as_str)
}
