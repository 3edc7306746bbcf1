//! What a person has allowed for a while.

use std::fmt;

use protocol::{ActionName, Command, Millis, Object, Principal, SessionKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::asked::Asked;
use crate::call::Call;

/// A person's "always for an hour". It is kept as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    /// What it is counted and taken back under.
    pub id: String,
    /// What it allows.
    #[serde(flatten)]
    pub scope: Scope,
    /// It counts until then.
    pub until: Millis,
    /// How often it counts; `None` for as often as is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// How often it has counted.
    #[serde(default)]
    pub used: u32,
    /// Who gave it.
    pub given_by: Principal,
}

/// The calls that a grant allows. Its [`fmt::Display`] says them in words, in plain ASCII.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The action.
    pub action: ActionName,
    /// The parameters that have to be exactly these.
    pub params: Object,
    /// The parameters that may be anything. One that is neither here nor in `params` has to be absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// The session that may ask; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionKey>,
    /// The person who may ask; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Principal>,
}

impl Grant {
    /// Whether it allows `asked` at `now`.
    #[must_use]
    pub fn allows(&self, asked: &Asked, now: Millis) -> bool {
        now < self.until
            && self.times.is_none_or(|times| self.used < times)
            && self.scope.holds(asked)
    }
}

impl Scope {
    /// What "always" means for `call`: the same session and person, the same action, and the same parameters except
    /// free text. `None` where no session asks, because it would then count for all.
    #[must_use]
    pub fn of(call: &Call) -> Option<Self> {
        let command = &call.command;
        let schemas = &call.skill.card.params;
        let open: Vec<String> = schemas
            .iter()
            .filter(|(_, schema)| is_free_text(schema))
            .map(|(name, _)| name.clone())
            .collect();
        let fixed = command.params.iter().filter(|(name, _)| !open.contains(name));
        Some(Self {
            action: command.action.clone(),
            params: fixed.map(|(name, value)| (name.clone(), value.clone())).collect(),
            session: Some(command.envelope.session.clone()?),
            principal: command.envelope.principal.clone(),
            open,
        })
    }

    /// Just what `command` asks for.
    #[must_use]
    pub fn exactly(command: &Command) -> Self {
        Self {
            action: command.action.clone(),
            params: command.params.clone(),
            open: Vec::new(),
            session: command.envelope.session.clone(),
            principal: command.envelope.principal.clone(),
        }
    }

    fn holds(&self, asked: &Asked) -> bool {
        let same_or_any = |mine: Option<&str>, its: Option<&str>| mine.is_none() || mine == its;
        let session = self.session.as_ref().map(SessionKey::as_str);
        let principal = self.principal.as_ref().map(Principal::as_str);
        self.action == *asked.action
            && same_or_any(session, asked.session.map(SessionKey::as_str))
            && same_or_any(principal, asked.principal.map(Principal::as_str))
            && self.params.keys().all(|name| asked.params.contains_key(name))
            && asked.params.iter().all(|(name, value)| match self.params.get(name) {
                Some(fixed) => fixed == value,
                None => self.open.contains(name),
            })
    }
}

/// Whether a parameter with this schema is text that says what it likes: a text that the manifest does not narrow
/// down. Anything else (a choice, a number, an address with a `format` or a `pattern`) tells what is done to whom.
fn is_free_text(schema: &Value) -> bool {
    const NARROW: [&str; 4] = ["enum", "const", "format", "pattern"];
    schema.get("type") == Some(&Value::from("string"))
        && NARROW.iter().all(|key| schema.get(key).is_none())
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fixed = self.params.iter().map(|(name, value)| format!("{name} = {value}"));
        let open = self.open.iter().map(|name| format!("any {name}"));
        let parts: Vec<String> = fixed.chain(open).collect();
        let words = match parts.split_last() {
            None => self.action.to_string(),
            Some((only, [])) => format!("{} with {only}", self.action),
            Some((last, rest)) => format!("{} with {} and {last}", self.action, rest.join(", ")),
        };
        // So that nothing looks like something else.
        words.chars().try_for_each(|letter| match letter {
            ' ' => f.write_str(" "),
            letter if letter.is_ascii_graphic() => write!(f, "{letter}"),
            letter => write!(f, "{}", letter.escape_unicode()),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_text_that_the_manifest_leaves_free_is_open() {
        assert!(is_free_text(&json!({"type": "string", "maxLength": 200})));
        for fixed in [
            json!({"type": "string", "enum": ["X"]}),
            json!({"type": "string", "const": "X"}),
            json!({"type": "string", "format": "email"}),
            json!({"type": "string", "pattern": "^#"}),
            json!({"type": "integer"}),
            json!({"type": ["string", "null"]}),
            json!({}),
        ] {
            assert!(!is_free_text(&fixed), "{fixed}");
        }
    }
}
