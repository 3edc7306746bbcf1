//! What a person has allowed for a while.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use protocol::{ActionName, Command, Effect, Millis, Object, Principal, SessionKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::asked::Asked;
use super::standing::{Standing, WayOut};
use crate::call::Call;
use crate::config::words;
use crate::digest::Digest;

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

/// The calls that a grant allows. Its [`fmt::Display`] says them in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The action.
    pub action: ActionName,
    /// The skill, as it was when the grant was given: it dies with a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<Digest>,
    /// The parameters that have to be exactly these.
    pub params: Object,
    /// The parameters that may be anything. One that is in none of these lists has to be absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// Parameter -> the host that it has to be an address of, without a query.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hosts: BTreeMap<String, String>,
    /// The session that may ask; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionKey>,
    /// The person who may ask; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Principal>,
}

impl Grant {
    /// Whether it allows `asked` in a session that stands so. Once untrusted text has come in, what it leaves open of
    /// what is seen elsewhere is only what the person types.
    #[must_use]
    pub fn allows(&self, asked: &Asked, standing: &Standing) -> bool {
        let leaves =
            asked.effect >= Effect::External || standing.way_out.is_some() || asked.carries_words();
        standing.now < self.until
            && self.times.is_none_or(|times| self.used < times)
            && self.scope.holds(asked)
            && (!(standing.taint.untrusted && leaves) || asked.typed(&self.scope.open))
            && match standing.way_out {
                Some(WayOut::Address | WayOut::Links) => {
                    !self.scope.hosts.is_empty() || self.scope.is_exact()
                }
                Some(WayOut::Words) | None => true,
            }
    }
}

impl Scope {
    /// What "always" means for `call`: the same session and person, the same skill, and the same parameters except what
    /// the manifest marks as text; of an address that is a `way_out`, its host. `None` where no session asks, because it
    /// would then count for all.
    #[must_use]
    pub fn of(call: &Call, way_out: Option<WayOut>) -> Option<Self> {
        let command = &call.command;
        let scope = Self { skill: Some(call.skill.digest), ..Self::exactly(command) };
        scope.session.as_ref()?;
        if way_out == Some(WayOut::Address) {
            return scope.by_host();
        }
        let open = call.skill.marks.text.clone();
        let params = scope.params.into_iter().filter(|(name, _)| !open.contains(name)).collect();
        Some(Self { params, open, ..scope })
    }

    /// The same for any address, without a query, of the hosts that it names; `None` when it names none, or one with a
    /// query, for that is where words are carried.
    #[must_use]
    pub fn by_host(self) -> Option<Self> {
        let is_address = |value: &Value| value.as_str().is_some_and(|text| text.contains('.'));
        let (urls, params): (Object, Object) =
            self.params.into_iter().partition(|(_, value)| is_address(value));
        let hosts: Option<BTreeMap<String, String>> =
            urls.into_iter().map(|(name, value)| Some((name, plain_host(&value)?))).collect();
        let hosts = hosts.filter(|hosts| !hosts.is_empty())?;
        Some(Self { params, hosts, ..self })
    }

    /// Just what `command` asks for.
    #[must_use]
    pub fn exactly(command: &Command) -> Self {
        Self {
            action: command.action.clone(),
            skill: None,
            params: command.params.clone(),
            open: Vec::new(),
            hosts: BTreeMap::new(),
            session: command.envelope.session.clone(),
            principal: command.envelope.principal.clone(),
        }
    }

    pub(super) fn is_exact(&self) -> bool {
        self.open.is_empty() && self.hosts.is_empty()
    }

    /// Whether it takes in `asked`, whatever its session has seen.
    #[must_use]
    pub fn holds(&self, asked: &Asked) -> bool {
        let same_or_any = |mine: Option<&str>, its: Option<&str>| mine.is_none() || mine == its;
        let session = self.session.as_ref().map(SessionKey::as_str);
        let principal = self.principal.as_ref().map(Principal::as_str);
        let required = self.params.keys().chain(self.hosts.keys());
        self.action == *asked.action
            && self.skill.is_none_or(|skill| asked.digest() == Some(skill))
            && same_or_any(session, asked.session.map(SessionKey::as_str))
            && same_or_any(principal, asked.principal.map(Principal::as_str))
            && required.into_iter().all(|name| asked.params.contains_key(name))
            && asked.params.iter().all(|(name, value)| self.takes(name, value))
    }

    /// Whether it takes in a call of this action with these parameters, whoever makes it.
    #[must_use]
    pub fn takes_call(&self, action: &ActionName, params: &Object) -> bool {
        let mut required = self.params.keys().chain(self.hosts.keys());
        self.action == *action
            && required.all(|name| params.contains_key(name))
            && params.iter().all(|(name, value)| self.takes(name, value))
    }

    fn takes(&self, name: &String, value: &Value) -> bool {
        match (self.params.get(name), self.hosts.get(name)) {
            (Some(fixed), _) => fixed == value,
            (None, Some(host)) => plain_host(value).as_ref() == Some(host),
            (None, None) => self.open.contains(name),
        }
    }
}

/// The host and port of an address that says nothing in a query or a user name.
fn plain_host(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    let parsed =
        |text: &str| Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let has_scheme = text.contains("://");
    let url =
        parsed(text).or_else(|| parsed(&format!("https://{text}")).filter(|_| !has_scheme))?;
    let is_plain = url.query().is_none() && url.username().is_empty() && url.password().is_none();
    let host = url.host_str()?.trim_end_matches('.');
    is_plain.then(|| match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = words();
        let fixed = self.params.iter().map(|(name, value)| format!("{name} = {value}"));
        let hosts = self.hosts.iter().map(|(name, host)| {
            told.fill("grant.host", &[("name", name as &dyn Display), ("host", host)])
        });
        let open = self.open.iter().map(|name| told.fill("grant.any", &[("name", name)]));
        let parts: Vec<String> = fixed.chain(hosts).chain(open).collect();
        let what = match parts.split_last() {
            None => return write!(f, "{}", self.action),
            Some((only, [])) => only.clone(),
            Some((last, rest)) => format!("{} {} {last}", rest.join(", "), told.get("grant.and")),
        };
        let gaps: [(&str, &dyn Display); 2] = [("action", &self.action), ("what", &what)];
        let words = told.fill("grant.with", &gaps);
        // So that nothing looks like something else.
        f.write_str(&legible::line(&words))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_host_is_granted_without_its_query() {
        let host = |text: &str| plain_host(&json!(text));
        assert_eq!(host("HTTPS://News.Example/a/b"), Some("news.example".to_owned()));
        assert_eq!(host("news.example:8443/x"), Some("news.example:8443".to_owned()));
        for none in
            ["https://news.example/?q=1", "https://me:x@news.example/", "ftp://news.example:x", ""]
        {
            assert_eq!(host(none), None, "{none}");
        }
    }
}
