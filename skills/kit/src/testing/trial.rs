//! Feeds a skill's function with parameters, without a process.

use std::path::Path;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::examples::Manifest;
use super::{ManifestError, Proxy};
use crate::serve::answer;
use crate::{Call, Object, SkillError};

/// The call under which a skill's function is tried: by default the first attempt of the message `m1`,
/// without settings and without a network.
#[derive(Debug, Clone)]
pub struct Trial {
    call: Call,
}

impl Default for Trial {
    fn default() -> Self {
        let call = Call {
            action: "TRIAL".to_owned(),
            message_id: "m1".to_owned(),
            attempt: 1,
            dry_run: false,
            who: crate::call::Who::default(),
            folders: std::collections::BTreeMap::new(),
            settings: Object::new(),
            proxy: None,
        };
        Self { call }
    }
}

impl Trial {
    /// A trial with the name and the default settings of a manifest.
    ///
    /// # Errors
    /// [`ManifestError`] when there is no such file or it cannot be read.
    pub fn of(manifest: impl AsRef<Path>) -> Result<Self, ManifestError> {
        let manifest = Manifest::read(manifest.as_ref())?;
        let mut trial = Self::default();
        trial.call.action = manifest.name;
        trial.call.settings = manifest.settings;
        Ok(trial)
    }

    /// Changes a setting, as the owner would.
    #[must_use]
    pub fn setting(mut self, name: &str, value: impl Into<String>) -> Self {
        self.call.settings.insert(name.to_owned(), Value::from(value.into()));
        self
    }

    /// Gives the call a network: whatever it asks for, `proxy` answers.
    #[must_use]
    pub fn proxy(self, proxy: &Proxy) -> Self {
        self.through(&proxy.address().to_string())
    }

    /// The same for a proxy of the test's own at `address` (`host:port`).
    #[must_use]
    pub fn through(mut self, address: &str) -> Self {
        self.call.proxy = Some(address.to_owned());
        self
    }

    /// Makes it a dry run.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.call.dry_run = true;
        self
    }

    /// Changes the message id.
    #[must_use]
    pub fn message_id(mut self, id: &str) -> Self {
        id.clone_into(&mut self.call.message_id);
        self
    }

    /// The call itself, for a part of a skill that is tried alone.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Runs a skill's function on `params`, with everything that [`serve_calls`](crate::serve_calls) does
    /// to them and to the result.
    ///
    /// # Errors
    /// The skill's failure, as the router would hear it.
    pub fn run<P, R>(
        &self,
        mut skill: impl FnMut(P, &Call) -> Result<R, SkillError>,
        params: Value,
    ) -> Result<Value, SkillError>
    where
        P: DeserializeOwned,
        R: Serialize,
    {
        let Value::Object(params) = params else {
            return Err(SkillError::new(format!("the parameters are no object: {params}")));
        };
        answer(&mut skill, params, &self.call).map(Value::Object)
    }
}
