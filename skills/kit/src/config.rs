//! The environment that the router gives a skill: the only place that reads it.

use serde_json::Value;

use crate::call::Who;
use crate::{Call, Object};

/// How the router runs the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// One call: the parameters until the end of standard input, then the process ends.
    Once,
    /// Many calls: one line each, until standard input ends.
    Serve,
}

/// What the environment says.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) mode: Mode,
    /// The call of mode once; in mode serve the part that all calls share.
    pub(crate) call: Call,
}

/// The environment is not one that a router made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}={value:?} is not {expected}")]
pub(crate) struct BadVariable {
    name: &'static str,
    value: String,
    expected: &'static str,
}

impl Config {
    /// Reads the process's environment.
    #[expect(clippy::disallowed_methods, reason = "this is config.rs")]
    pub(crate) fn from_environment() -> Result<Self, BadVariable> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// Reads an environment. What is missing has the value that suits a run by hand, without a router.
    fn read(variable: impl Fn(&'static str) -> Option<String>) -> Result<Self, BadVariable> {
        let call = Call {
            action: variable("SAFECLAW_SKILL").unwrap_or_default(),
            message_id: variable("SAFECLAW_MESSAGE_ID").unwrap_or_else(|| "by-hand".to_owned()),
            attempt: parsed(&variable, "SAFECLAW_ATTEMPT", "a number", |text| text.parse().ok())?
                .unwrap_or(1),
            dry_run: variable("SAFECLAW_DRY_RUN").is_some_and(|value| value == "1"),
            who: Who {
                session: variable("SAFECLAW_SESSION"),
                principal: variable("SAFECLAW_PRINCIPAL"),
                owner: variable("SAFECLAW_OWNER").is_some_and(|value| value == "1"),
            },
            folders: parsed(&variable, "SAFECLAW_FOLDERS", "an object of paths", |text| {
                serde_json::from_str(text).ok()
            })?
            .unwrap_or_default(),
            settings: parsed(&variable, "SAFECLAW_SETTINGS", "a JSON object", object)?
                .unwrap_or_default(),
            proxy: parsed(&variable, "http_proxy", "http://<host>:<port>", authority)?,
        };
        let mode = parsed(&variable, "SAFECLAW_MODE", "once or serve", mode)?;
        Ok(Self { mode: mode.unwrap_or(Mode::Once), call })
    }
}

fn parsed<T>(
    variable: &impl Fn(&'static str) -> Option<String>,
    name: &'static str,
    expected: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, BadVariable> {
    let Some(value) = variable(name) else { return Ok(None) };
    parse(&value).map(Some).ok_or(BadVariable { name, value, expected })
}

fn mode(text: &str) -> Option<Mode> {
    match text {
        "once" => Some(Mode::Once),
        "serve" => Some(Mode::Serve),
        _ => None,
    }
}

fn object(text: &str) -> Option<Object> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

fn authority(text: &str) -> Option<String> {
    let authority = text.strip_prefix("http://")?.trim_end_matches('/');
    let (host, port) = authority.rsplit_once(':')?;
    (!host.is_empty() && port.parse::<u16>().is_ok()).then(|| authority.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, BadVariable> {
        Config::read(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_call_of_the_router_is_read() {
        let config = read(&[
            ("SAFECLAW_SKILL", "CREATE_POST"),
            ("SAFECLAW_MODE", "serve"),
            ("SAFECLAW_MESSAGE_ID", "m1"),
            ("SAFECLAW_ATTEMPT", "2"),
            ("SAFECLAW_DRY_RUN", "1"),
            ("SAFECLAW_SETTINGS", r#"{"x_url":"https://api.x.com"}"#),
            ("SAFECLAW_FOLDERS", r#"{"papers":"/papers"}"#),
            ("SAFECLAW_SESSION", "owner"),
            ("SAFECLAW_OWNER", "1"),
            ("http_proxy", "http://127.0.0.1:4711"),
        ])
        .unwrap();
        assert_eq!(config.mode, Mode::Serve);
        assert_eq!((config.call.message_id(), config.call.attempt()), ("m1", 2));
        assert!(config.call.is_dry_run());
        assert_eq!(config.call.folder("papers"), Ok(std::path::Path::new("/papers")));
        assert!(config.call.folder("books").is_err());
        assert_eq!((config.call.session(), config.call.is_owner()), (Some("owner"), true));
        assert_eq!(config.call.setting::<String>("x_url"), Ok("https://api.x.com".to_owned()));
        assert_eq!(config.call.proxy.as_deref(), Some("127.0.0.1:4711"));
    }

    #[test]
    fn a_run_by_hand_needs_no_environment() {
        let config = read(&[]).unwrap();
        assert_eq!(config.mode, Mode::Once);
        assert_eq!((config.call.message_id(), config.call.attempt()), ("by-hand", 1));
        assert!(!config.call.is_dry_run());
    }

    #[test]
    fn a_variable_that_no_router_writes_is_named() {
        for (name, value) in [
            ("SAFECLAW_MODE", "twice"),
            ("SAFECLAW_ATTEMPT", "first"),
            ("SAFECLAW_SETTINGS", "[]"),
            ("http_proxy", "socks5://127.0.0.1:1"),
            ("http_proxy", "http://127.0.0.1"),
        ] {
            let error = read(&[(name, value)]).unwrap_err().to_string();
            assert!(error.starts_with(name), "{error}");
        }
    }
}
