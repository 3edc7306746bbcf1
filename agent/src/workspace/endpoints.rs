//! What was learned of model servers.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Document, File, Notices, document};
use crate::model::Way;

/// How many servers' models are remembered.
const REMEMBERED: usize = 200;

/// What is known of one model of one server.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Learned {
    /// How it has to be asked for actions, if not in the way that is tried first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// The largest window, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// How many bytes of a prompt make one token, by the server's own count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_token: Option<f64>,
    /// That it takes no pictures, if it has refused one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sees: Option<bool>,
}

impl Learned {
    /// Whether `other` says the same, as far as it matters for the next prompt.
    fn is_close_to(&self, other: &Self) -> bool {
        let close = match (self.bytes_per_token, other.bytes_per_token) {
            (Some(one), Some(other)) => (one - other).abs() <= other / 10.0,
            (one, other) => one == other,
        };
        close && (self.way, self.window, self.sees) == (other.way, other.window, other.sees)
    }
}

/// The content of `endpoints.json`: by address and model, such as `127.0.0.1:11434 llama3.1:8B`.
#[derive(Debug, Clone, PartialEq, Default)]
struct Book(BTreeMap<String, Learned>);

impl Document for Book {
    const LIMIT: u64 = 1024 * 1024;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        document::json(text).map(Self)
    }

    fn to_text(&self) -> String {
        document::pretty(&self.0)
    }
}

/// `endpoints.json`: what was learned of model servers, over restarts. It can be removed at any time.
#[derive(Debug)]
pub struct Endpoints(File<Book>);

/// Nothing yet, and in memory alone.
impl Default for Endpoints {
    fn default() -> Self {
        // Nothing can be written below what is no folder.
        Self::at(Path::new("/dev/null"))
    }
}

impl Endpoints {
    /// What was learned by those who kept it in `folder`.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self::new(folder, &Notices::default())
    }

    /// The same; what is wrong with the file goes to `notices`.
    pub(super) fn new(folder: &Path, notices: &Notices) -> Self {
        Self(File::new(folder.join("endpoints.json"), notices))
    }

    /// What is known of `model` at `address`.
    #[must_use]
    pub fn recall(&self, address: &str, model: &str) -> Learned {
        self.0.read().0.get(&key(address, model)).copied().unwrap_or_default()
    }

    /// Remembers `learned` of `model` at `address`. If it can't be written, it is kept in memory.
    pub fn remember(&self, address: &str, model: &str, learned: Learned) {
        let key = key(address, model);
        let known = self.0.read().0.get(&key).copied();
        if known.unwrap_or_default().is_close_to(&learned) {
            return;
        }
        let saved = self.0.update(|book| {
            if book.0.len() >= REMEMBERED && known.is_none() {
                book.0.clear();
            }
            book.0.insert(key, learned);
        });
        if let Err(error) = saved {
            tracing::warn!(%error, "what was learned of the model is kept in memory");
        }
    }
}

fn key(address: &str, model: &str) -> String {
    format!("{address} {model}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learned_outlives_the_agent() {
        let folder = tempfile::tempdir().unwrap();
        let learned = Learned {
            way: Some(Way::ToolCode),
            window: Some(32_768),
            bytes_per_token: Some(3.5),
            sees: Some(false),
        };
        let endpoints = Endpoints::at(folder.path());
        assert_eq!(endpoints.recall("here", "m"), Learned::default());
        endpoints.remember("here", "m", learned);
        endpoints.remember("here", "m", Learned { bytes_per_token: Some(3.6), ..learned });
        let again = Endpoints::at(folder.path());
        assert_eq!(again.recall("here", "m"), learned);
        assert_eq!(again.recall("here", "other"), Learned::default());
        insta::assert_snapshot!(
            std::fs::read_to_string(folder.path().join("endpoints.json")).unwrap()
        );
    }

    #[test]
    fn a_broken_file_is_set_aside_and_said() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("endpoints.json"), "{\"x\": 1").unwrap();
        let notices = Notices::default();
        let endpoints = Endpoints::new(folder.path(), &notices);
        assert_eq!(endpoints.recall("here", "m"), Learned::default());
        let said = notices.take()[0].to_string();
        assert!(said.contains("endpoints.json can't be used: it is no JSON"), "{said}");
        assert!(said.contains("kept as"), "{said}");
    }
}
