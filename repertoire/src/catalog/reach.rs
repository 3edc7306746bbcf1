//! What a skill may reach: its settings, its hosts, and the secrets that go there.

use std::collections::BTreeMap;

use egress::{Endpoint, HeaderTemplate, HostPattern};

use super::manifest::{Manifest, Mode};
use super::skill::SecretUse;
use crate::config::SkillConfig;

/// The manifest's settings with the owner's values.
pub(super) fn settings(
    manifest: &Manifest,
    config: &SkillConfig,
) -> Result<BTreeMap<String, String>, String> {
    let mut settings = manifest.settings.clone();
    for (key, value) in &config.settings {
        match settings.get_mut(key) {
            Some(known) => value.clone_into(known),
            None => {
                return Err(format!(
                    "router/config.json sets {key:?}, which is none of this skill's [settings]"
                ));
            }
        }
    }
    Ok(settings)
}

/// The first setting that the skill needs and that is empty.
pub(super) fn unset(
    manifest: &Manifest,
    settings: &BTreeMap<String, String>,
) -> Result<Option<String>, String> {
    if let Some(key) = manifest.needs.iter().find(|key| !settings.contains_key(*key)) {
        return Err(format!("needs: {key:?} is none of this skill's [settings]"));
    }
    let empty = |key: &&String| settings.get(*key).is_some_and(|value| value.trim().is_empty());
    Ok(manifest.needs.iter().find(empty).cloned())
}

/// Where it may connect to, and with which secrets.
pub(super) type Reach = (Vec<HostPattern>, BTreeMap<String, SecretUse>);

/// What it reaches with these settings.
pub(super) fn reach(
    manifest: &Manifest,
    settings: &BTreeMap<String, String>,
) -> Result<Reach, String> {
    let hosts = manifest.net.hosts.iter().map(|host| pattern(host, settings));
    Ok((hosts.collect::<Result<_, _>>()?, secrets(manifest, settings)?))
}

/// The secrets, each with its host and header checked.
fn secrets(
    manifest: &Manifest,
    settings: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, SecretUse>, String> {
    let mut secrets = BTreeMap::new();
    for (name, secret) in &manifest.secrets {
        let fault = |why: String| format!("secrets.{name}: {why}");
        if let Some(key) = secret.when.keys().find(|key| !manifest.params.contains_key(*key)) {
            return Err(fault(format!("when: {key:?} is no parameter")));
        }
        if manifest.mode == Mode::Serve && !secret.when.is_empty() {
            let why = "when: a process that stays has the same secrets for every call; \
                use mode = \"once\", or leave `when` out";
            return Err(fault(why.to_owned()));
        }
        let host = pattern(&secret.host, settings).map_err(fault)?;
        if host == HostPattern::Any {
            return Err(fault("host: a secret needs a host of its own, * is none".to_owned()));
        }
        let header = HeaderTemplate::new(&secret.header, &secret.format)
            .map_err(|error| fault(error.to_string()))?;
        secrets.insert(name.clone(), SecretUse { host, header, when: secret.when.clone() });
    }
    Ok(secrets)
}

/// The private addresses that the owner allows.
pub(super) fn allow_private(config: &SkillConfig) -> Result<Vec<Endpoint>, String> {
    let endpoint = |text: &String| {
        text.parse().map_err(|error| {
            format!("router/config.json: allow_private: {text:?}: {error}; write host:port")
        })
    };
    config.allow_private.iter().map(endpoint).collect()
}

/// A host as it is written in the manifest; `{setting}` stands for the URL in that setting.
fn pattern(host: &str, settings: &BTreeMap<String, String>) -> Result<HostPattern, String> {
    let text = match host.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(setting) => settings
            .get(setting)
            .ok_or_else(|| format!("host {host:?}: [settings] has no {setting:?}"))?,
        None => host,
    };
    text.parse().map_err(|error| format!("host {text:?}: {error}"))
}
