//! One rule of router/policy.toml: what has to be so for it to decide.

use std::collections::BTreeMap;

use protocol::{Millis, Object, Principal};
use serde_json::Value;
use url::Url;

use super::asked::Asked;
use super::glob::Glob;
use super::standing::Standing;
use super::then::{Place, Then};

/// A rule. The first one that matches a call decides it.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Which one it is, counted from 1.
    pub number: usize,
    /// Where it stands.
    pub place: Place,
    /// What its uses are counted under: a digest of everything below but the note, so that changing any of it begins
    /// a new count.
    pub id: String,
    /// What it asks of a call.
    pub conditions: Conditions,
    /// It matches until then.
    pub until: Option<Millis>,
    /// How often it may allow.
    pub times: Option<u32>,
    /// What it decides.
    pub then: Then,
    /// The owner's own words.
    pub note: Option<String>,
}

/// What a rule asks of a call. What is not named is not looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    /// The action's name.
    pub action: Glob,
    /// Parameter -> what it has to be. One that the call does not have fits nothing.
    pub params: BTreeMap<String, Pattern>,
    /// The host of an address among the parameters, as it is reached, however it is spelled.
    pub host: Option<Glob>,
    /// What stands before the colon of the principal.
    pub channel: Option<Glob>,
    /// Who asked, as far as the agent says.
    pub principal: Option<Glob>,
    /// The session.
    pub session: Option<Glob>,
}

/// What a parameter has to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// A text that fits.
    Text(Glob),
    /// This very value.
    Exactly(Value),
}

impl Rule {
    /// Whether it decides `asked` at the moment.
    #[must_use]
    pub fn matches(&self, asked: &Asked, standing: &Standing) -> bool {
        let is_left = || {
            let used = standing.used.get(&self.id).copied().unwrap_or(0);
            self.times.is_none_or(|times| used < times)
        };
        self.until.is_none_or(|until| standing.now < until)
            && self.conditions.hold(asked)
            && is_left()
    }

    /// Whether it catches every call that `later` could decide, at any time.
    #[must_use]
    pub fn catches_all_of(&self, later: &Self) -> bool {
        let lasts = match (self.until, later.until) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(mine), Some(its)) => its <= mine,
        };
        lasts && self.times.is_none() && self.conditions.cover(&later.conditions)
    }
}

impl Conditions {
    fn hold(&self, asked: &Asked) -> bool {
        let principal = asked.principal.map(Principal::as_str);
        let channel = principal.and_then(|name| name.split(':').next());
        let fits = |glob: &Option<Glob>, text: Option<&str>| match (glob, text) {
            (None, _) => true,
            (Some(glob), Some(text)) => glob.matches(text),
            (Some(_), None) => false,
        };
        self.action.matches(asked.action.as_str())
            && self.host.as_ref().is_none_or(|host| names_host(asked.params, host))
            && fits(&self.channel, channel)
            && fits(&self.principal, principal)
            && fits(&self.session, asked.session.map(protocol::SessionKey::as_str))
            && self.params.iter().all(|(name, pattern)| {
                asked.params.get(name).is_some_and(|value| pattern.matches(value))
            })
    }

    fn cover(&self, other: &Self) -> bool {
        let covers = |mine: &Option<Glob>, its: &Option<Glob>| match (mine, its) {
            (None, _) => true,
            (Some(mine), Some(its)) => mine.covers(its),
            (Some(_), None) => false,
        };
        self.action.covers(&other.action)
            && covers(&self.host, &other.host)
            && covers(&self.channel, &other.channel)
            && covers(&self.principal, &other.principal)
            && covers(&self.session, &other.session)
            && self.params.iter().all(|(name, pattern)| {
                other.params.get(name).is_some_and(|its| pattern.covers(its))
            })
    }

    /// Whether every call has what it asks for.
    #[must_use]
    pub fn are_none(&self) -> bool {
        let Self { action, params, host, channel, principal, session } = self;
        action.is_anything()
            && params.is_empty()
            && [host, channel, principal, session].iter().all(|condition| condition.is_none())
    }
}

impl Pattern {
    fn matches(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text(glob), Value::String(text)) => glob.matches(text),
            (Self::Text(_), _) => false,
            (Self::Exactly(wanted), value) => same(wanted, value),
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(mine), Self::Text(its)) => mine.covers(its),
            (Self::Exactly(mine), Self::Exactly(its)) => same(mine, its),
            _ => false,
        }
    }
}

/// Whether an address of such a host stands among the parameters.
fn names_host(params: &Object, host: &Glob) -> bool {
    let is_its = |text: &str| {
        let parsed = |text: &str| {
            Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
        };
        // `host:443/x` is read as if `host` were its scheme.
        let url = parsed(text.trim()).or_else(|| parsed(&format!("https://{}", text.trim())));
        let named = url.and_then(|url| Some(url.host_str()?.trim_end_matches('.').to_owned()));
        named.is_some_and(|named| host.matches(&named))
    };
    fn any(value: &Value, is_its: &dyn Fn(&str) -> bool) -> bool {
        match value {
            Value::String(text) => is_its(text),
            Value::Array(values) => values.iter().any(|value| any(value, is_its)),
            Value::Object(object) => object.values().any(|value| any(value, is_its)),
            _ => false,
        }
    }
    params.values().any(|value| any(value, &is_its))
}

/// Whether two values mean the same: to a schema, 5 and 5.0 do.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        let five = Pattern::Exactly(json!({"count": [5]}));
        assert!(five.matches(&json!({"count": [5.0]})));
        for other in [json!({"count": [6]}), json!({"count": ["5"]}), json!({"count": [5], "x": 1})]
        {
            assert!(!five.matches(&other), "{other}");
        }
    }
}
