//! The rules as they stand in router/policy.toml.

use std::path::{Path, PathBuf};

use protocol::Effect;
use serde::Deserialize;

/// The policy of a fresh install.
pub const DEFAULT: &str = include_str!("../../policy.toml");

/// The largest policy file, in bytes.
const LIMIT: u64 = 256 * 1024;

/// What to do with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// Run it.
    Allow,
    /// Ask a person.
    Ask,
    /// Do not run it.
    #[default]
    Refuse,
}

/// router/policy.toml.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    effects: Effects,
}

/// What to do by effect. An effect without a rule is refused.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Effects {
    #[serde(default)]
    none: Rule,
    #[serde(default)]
    local: Rule,
    #[serde(default)]
    external: Rule,
    #[serde(default)]
    irreversible: Rule,
}

/// A policy that can't be used. Nothing may run under a policy that nobody can read.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file can't be read.
    #[error(transparent)]
    File(#[from] home::FileError),
    /// It holds something that is no rule.
    #[error("{}: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        why: String,
    },
}

impl Rules {
    /// Reads the rules in `path`; a file that is missing means [`DEFAULT`].
    ///
    /// # Errors
    /// [`PolicyError`] with line and column.
    pub fn read(path: &Path) -> Result<Self, PolicyError> {
        let broken = |why: String| PolicyError::Broken { path: path.to_owned(), why };
        match home::file::read(path, LIMIT)? {
            None => Self::parse(DEFAULT).map_err(broken),
            Some(bytes) => {
                let text = String::from_utf8(bytes)
                    .map_err(|_| broken("it is not text in UTF-8".to_owned()))?;
                Self::parse(&text).map_err(broken)
            }
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string().trim_end().replace('\n', "\n  "))
    }

    pub(super) fn for_effect(&self, effect: Effect) -> Rule {
        match effect {
            Effect::None => self.effects.none,
            Effect::Local => self.effects.local,
            Effect::External => self.effects.external,
            Effect::Irreversible => self.effects.irreversible,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_install_asks_before_anything_is_seen_elsewhere() {
        let rules = Rules::parse(DEFAULT).unwrap();
        let rule = |effect| rules.for_effect(effect);
        assert_eq!((rule(Effect::None), rule(Effect::Local)), (Rule::Allow, Rule::Allow));
        assert_eq!((rule(Effect::External), rule(Effect::Irreversible)), (Rule::Ask, Rule::Ask));
    }

    #[test]
    fn what_has_no_rule_is_refused() {
        let rules = Rules::parse("[effects]\nnone = \"allow\"\n").unwrap();
        assert_eq!(rules.for_effect(Effect::External), Rule::Refuse);
    }

    #[test]
    fn a_typo_is_an_error_with_its_line() {
        for bad in
            ["[effects]\nexternl = \"allow\"\n", "[effects]\nnone = \"alow\"\n", "[effect]\n"]
        {
            assert!(Rules::parse(bad).unwrap_err().contains("line"), "{bad}");
        }
    }
}
