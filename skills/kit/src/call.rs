//! What surrounds the parameters of one call.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;

use crate::{Object, SkillError, http};

/// One call of the skill: everything but its parameters.
#[derive(Debug, Clone)]
pub struct Call {
    /// The action's name, for the errors that say which setting to change.
    pub(crate) action: String,
    pub(crate) message_id: String,
    pub(crate) attempt: u32,
    pub(crate) dry_run: bool,
    pub(crate) who: Who,
    pub(crate) settings: Object,
    /// The folders of the manifest, by name.
    pub(crate) folders: BTreeMap<String, PathBuf>,
    /// The router's proxy as `host:port`; none for a skill without `[net]`.
    pub(crate) proxy: Option<String>,
}

/// Who asks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Who {
    pub(crate) session: Option<String>,
    pub(crate) principal: Option<String>,
    pub(crate) owner: bool,
}

impl Call {
    /// The action that is asked for; a process that several actions share serves all of them.
    #[must_use]
    pub fn action(&self) -> &str {
        &self.action
    }

    /// The conversation that asks, or nothing where the agent has none.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.who.session.as_deref()
    }

    /// Who asks, as `<channel>:<id>`.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.who.principal.as_deref()
    }

    /// Whether it is the owner's own conversation that asks.
    #[must_use]
    pub fn is_owner(&self) -> bool {
        self.who.owner
    }

    /// Where the folder `name` of the manifest's `[folders]` is to be found.
    ///
    /// # Errors
    /// When skill.toml declares no such folder.
    pub fn folder(&self, name: &str) -> Result<&Path, SkillError> {
        let folder = self.folders.get(name).map(PathBuf::as_path);
        folder.ok_or_else(|| {
            SkillError::new(format!(
                "there is no folder {name}: declare [folders.{name}] in skill.toml"
            ))
        })
    }

    /// The command's id. A second attempt has the same one, so it is the idempotency key to hand to an
    /// API that knows such a thing.
    #[must_use]
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Which attempt this is, from 1. A higher one means that an earlier attempt may have done its work.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Whether nothing may be sent: there is no network, and the answer shows what would be sent
    /// ([`Request::would_send`](http::Request::would_send)).
    #[must_use]
    pub fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// The setting `name`: the default under `[settings]` of skill.toml, or what the owner put in its
    /// place in router/config.json.
    ///
    /// ```
    /// use safeclaw_skill::{Call, SkillError};
    ///
    /// fn pages(call: &Call) -> Result<u32, SkillError> {
    ///     call.setting("pages")
    /// }
    /// ```
    ///
    /// # Errors
    /// When skill.toml declares no such setting, or when its text cannot be read as a `T`; the words name
    /// the place to change it.
    pub fn setting<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T, SkillError> {
        let Some(Value::String(text)) = self.settings.get(name) else {
            return Err(SkillError::new(format!(
                "there is no setting {name}: declare it under [settings] in skill.toml"
            )));
        };
        text.parse().map_err(|error| {
            SkillError::new(format!(
                "the setting {name} = {text:?} cannot be read ({error}): change skills.{}.settings.{name} in router/config.json",
                self.action
            ))
        })
    }

    /// The network: a client that speaks to the hosts of `[net] hosts` through the router's proxy.
    #[must_use]
    pub fn http(&self) -> http::Client {
        http::Client::through(self.proxy.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call {
        Call {
            action: "FEED".to_owned(),
            message_id: "m1".to_owned(),
            attempt: 1,
            dry_run: false,
            who: Who::default(),
            folders: BTreeMap::new(),
            settings: Object::from_iter([("pages".to_owned(), Value::from("many"))]),
            proxy: None,
        }
    }

    #[test]
    fn a_setting_is_read_as_its_type() {
        assert_eq!(call().setting::<String>("pages"), Ok("many".to_owned()));
    }

    #[test]
    fn a_setting_that_cannot_be_used_says_where_to_change_it() {
        let error = call().setting::<u32>("pages").unwrap_err().to_string();
        assert_eq!(
            error,
            "the setting pages = \"many\" cannot be read (invalid digit found in string): change skills.FEED.settings.pages in router/config.json"
        );
        let error = call().setting::<u32>("page").unwrap_err().to_string();
        assert_eq!(error, "there is no setting page: declare it under [settings] in skill.toml");
    }
}
