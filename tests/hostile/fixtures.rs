//! Policies, settings and skills that cases share, by name.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::case::OneSkill;

/// `fixtures.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fixtures {
    policies: BTreeMap<String, String>,
    configs: BTreeMap<String, String>,
    skills: BTreeMap<String, Shared>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shared {
    manifest: String,
    run: String,
}

impl Fixtures {
    pub(crate) fn read() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/fixtures.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        toml::from_str(&text).unwrap_or_else(|error| panic!("fixtures.toml: {error}"))
    }

    pub(crate) fn policy(&self, name: &str) -> &str {
        self.policies.get(name).unwrap_or_else(|| panic!("there is no policy {name:?}"))
    }

    pub(crate) fn config(&self, name: &str) -> &str {
        self.configs.get(name).unwrap_or_else(|| panic!("there is no config {name:?}"))
    }

    pub(crate) fn skill(&self, name: &str) -> OneSkill {
        let shared = self.skills.get(name).unwrap_or_else(|| panic!("there is no skill {name:?}"));
        OneSkill {
            name: name.to_owned(),
            manifest: shared.manifest.clone(),
            run: shared.run.clone(),
        }
    }
}
