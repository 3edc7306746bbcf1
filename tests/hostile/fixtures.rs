//! Policies, settings and skills that cases share, by name.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::case::OneSkill;
use crate::dojo::Dojo;

/// `fixtures.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fixtures {
    policies: BTreeMap<String, String>,
    configs: BTreeMap<String, String>,
    skills: BTreeMap<String, Shared>,
    #[serde(skip)]
    dojo: Option<Dojo>,
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
        let read = toml::from_str(&text);
        let fixtures: Self = read.unwrap_or_else(|error| panic!("fixtures.toml: {error}"));
        Self { dojo: Some(Dojo::read()), ..fixtures }
    }

    pub(crate) fn policy(&self, name: &str) -> &str {
        self.policies.get(name).unwrap_or_else(|| panic!("there is no policy {name:?}"))
    }

    pub(crate) fn config(&self, name: &str) -> String {
        match name {
            "dojo" => self.dojo().config(),
            name => {
                let config = self.configs.get(name);
                config.unwrap_or_else(|| panic!("there is no config {name:?}")).clone()
            }
        }
    }

    /// The skill of this name, or all tools of the benchmark's suite that `suite:NAME` names.
    pub(crate) fn skills(&self, name: &str) -> Vec<OneSkill> {
        match name.strip_prefix("suite:") {
            Some(suite) => self.dojo().suite(suite),
            None => vec![self.skill(name)],
        }
    }

    fn dojo(&self) -> &Dojo {
        self.dojo.as_ref().expect("the tools are read with the rest")
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
