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
    let hosts = manifest.net.hosts.iter().filter_map(|host| pattern(host, settings).transpose());
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
        // It belongs to an address that the owner has not set.
        let Some(host) = pattern(&secret.host, settings).map_err(fault)? else { continue };
        if host == HostPattern::Any {
            return Err(fault("host: a secret needs a host of its own, * is none".to_owned()));
        }
        let header = HeaderTemplate::new(&secret.header, &secret.format)
            .map_err(|error| fault(error.to_string()))?;
        let (when, optional) = (secret.when.clone(), secret.optional);
        secrets.insert(name.clone(), SecretUse { host, header, when, optional });
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

/// A host as it is written in the manifest; `{setting}` stands for the URL in that setting, and for none while it is empty.
fn pattern(host: &str, settings: &BTreeMap<String, String>) -> Result<Option<HostPattern>, String> {
    let text = match host.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(setting) => settings
            .get(setting)
            .ok_or_else(|| format!("host {host:?}: [settings] has no {setting:?}"))?,
        None => host,
    };
    if text.is_empty() && text != host {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|error| format!("host {text:?}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "name = \"FIND\"\ninstruction = \"x\"\neffect = \"none\"\nbuiltin = \"library\"\n[settings]\nurl = \"\"\n\
        [net]\nhosts = [\"{url}\"]\n[secrets.KEY]\nhost = \"{url}\"\nheader = \"Authorization\"\noptional = true\n";

    #[test]
    fn a_host_that_is_not_set_is_none_and_takes_no_secret() {
        let manifest: Manifest = toml::from_str(MANIFEST).unwrap();
        let reached = |url: &str| {
            let config = SkillConfig {
                settings: BTreeMap::from([("url".to_owned(), url.to_owned())]),
                ..SkillConfig::default()
            };
            reach(&manifest, &settings(&manifest, &config).unwrap())
        };
        let (hosts, secrets) = reached("").unwrap();
        assert!(hosts.is_empty() && secrets.is_empty());
        let (hosts, secrets) = reached("https://api.example/v1").unwrap();
        assert_eq!((hosts.len(), secrets["KEY"].optional), (1, true));
        assert!(reached("no address").is_err());
        let literal = MANIFEST.replace("hosts = [\"{url}\"]", "hosts = [\"\"]");
        let manifest: Manifest = toml::from_str(&literal).unwrap();
        assert!(reach(&manifest, &BTreeMap::from([("url".to_owned(), String::new())])).is_err());
    }
}
