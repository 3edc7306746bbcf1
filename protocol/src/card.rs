//! An action's public face, and all of them together.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ActionName, Object, Reads, SetName};

/// What an action does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing.
    None,
    /// It changes something on this machine that can be changed back.
    Local,
    /// It is seen elsewhere.
    External,
    /// It can't be taken back.
    Irreversible,
}

/// A sentence that asks for an action, with the parameters that it means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// What a person says.
    pub say: String,
    /// What the action is called with.
    pub params: Object,
}

/// What the agent, and through it the model, knows of an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionCard {
    /// The name that it is called by.
    pub name: ActionName,
    /// What it is for, in one or two sentences.
    #[serde(default)]
    pub instruction: String,
    /// Parameter name -> JSON Schema.
    ///
    /// The first SafeClaw's files describe a parameter in words instead (`"platform": "X | LinkedIn"`);
    /// such a text is read as the description of a string.
    #[serde(default, deserialize_with = "params_in_either_form")]
    pub params: Object,
    /// The parameters that may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<String>,
    /// What it does to the world. A file of the first version does not say: external, to be careful.
    #[serde(default = "external")]
    pub effect: Effect,
    /// What enters the session with its result. A file of the first version does not say: public.
    #[serde(default = "public")]
    pub reads: Reads,
    /// Sentences that ask for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// How long it may take, in milliseconds; absent in a file of the first version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The set that it is offered with; absent for an action that is always offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetName>,
    /// Keys that somebody added to a file of cards by hand.
    #[serde(flatten)]
    pub more: Object,
}

fn external() -> Effect {
    Effect::External
}

fn public() -> Reads {
    Reads::PUBLIC
}

fn params_in_either_form<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Object, D::Error> {
    let mut params = Object::deserialize(source)?;
    for schema in params.values_mut() {
        if let Value::String(words) = schema {
            *schema = json!({"type": "string", "description": words});
        }
    }
    Ok(params)
}

impl std::fmt::Display for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Local => "local",
            Self::External => "external",
            Self::Irreversible => "irreversible",
        })
    }
}

impl ActionCard {
    /// The JSON Schema of the whole parameter object: everything that is not optional is required,
    /// nothing else is accepted.
    #[must_use]
    pub fn params_schema(&self) -> Value {
        let required: Vec<&String> =
            self.params.keys().filter(|name| !self.optional.contains(name)).collect();
        json!({
            "type": "object",
            "properties": self.params,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// Everything that a router can run, as it publishes it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Catalog {
    /// A digest of the cards: it changes when they do.
    pub version: String,
    /// The cards, sorted by name. One that this version can't read is left out, the others count.
    #[serde(deserialize_with = "readable")]
    pub cards: Vec<ActionCard>,
}

fn readable<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Vec<ActionCard>, D::Error> {
    let cards = Vec::<Value>::deserialize(source)?;
    Ok(cards.into_iter().filter_map(|card| serde_json::from_value(card).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_of_the_first_versions_loose_form_is_read() {
        let card: ActionCard = serde_json::from_value(json!({
            "name": "CREATE_POST", "instruction": "Post.", "params": {"platform": "X | LinkedIn"}
        }))
        .unwrap();
        assert_eq!(
            card.params["platform"],
            json!({"type": "string", "description": "X | LinkedIn"})
        );
        assert_eq!((card.effect, card.reads), (Effect::External, Reads::PUBLIC));
    }

    #[test]
    fn a_card_on_the_wire() {
        let card = ActionCard {
            name: ActionName::new("CREATE_POST").unwrap(),
            instruction: "Publish a short post.".to_owned(),
            params: json!({"text": {"type": "string"}, "lang": {"type": "string"}})
                .as_object()
                .unwrap()
                .clone(),
            optional: vec!["lang".to_owned()],
            effect: Effect::External,
            reads: Reads::NONE,
            examples: vec![Example {
                say: "Post 'Hi'.".to_owned(),
                params: json!({"text": "Hi"}).as_object().unwrap().clone(),
            }],
            timeout_ms: Some(15_000),
            set: None,
            more: Object::new(),
        };
        insta::assert_snapshot!(serde_json::to_string(&card).unwrap());
        assert_eq!(
            serde_json::from_str::<ActionCard>(&serde_json::to_string(&card).unwrap()).unwrap(),
            card
        );
        insta::assert_snapshot!(card.params_schema().to_string(), @r#"{"type":"object","properties":{"text":{"type":"string"},"lang":{"type":"string"}},"required":["text"],"additionalProperties":false}"#);
    }

    #[test]
    fn a_card_may_belong_to_a_set() {
        let text = r#"{"name": "A", "set": "library"}"#;
        let card: ActionCard = serde_json::from_str(text).unwrap();
        assert_eq!(card.set, SetName::new("library").ok());
        assert_eq!(serde_json::to_value(&card).unwrap()["set"], "library");
        assert!(serde_json::from_str::<ActionCard>(r#"{"name": "A", "set": "../x"}"#).is_err());
    }

    #[test]
    fn a_newer_routers_catalogue_is_read_as_far_as_it_can_be() {
        let catalog: Catalog = serde_json::from_value(json!({"version": "9", "cards": [
            {"name": "A", "examples": [{"say": "x", "params": {}, "new": 1}]}, {"name": "B", "effect": "cosmic"},
        ]}))
        .unwrap();
        assert_eq!(catalog.cards.iter().map(|card| card.name.as_str()).collect::<Vec<_>>(), ["A"]);
    }

    #[test]
    fn keys_that_somebody_added_are_kept() {
        let card: ActionCard =
            serde_json::from_value(json!({"name": "A", "note": "mine"})).unwrap();
        assert_eq!(serde_json::to_value(&card).unwrap()["note"], "mine");
    }
}
