//! What was learned of model servers.

use std::collections::BTreeMap;
use std::path::Path;

use conversation::workspace::Workspace;
use document::{Clock, File, Json, Notices};
use protocol::Millis;
use serde::{Deserialize, Serialize};

use super::Learned;

/// How many servers' models are remembered.
const REMEMBERED: usize = 200;

/// The content of `endpoints.json`: by address and model, such as `127.0.0.1:11434 llama3.1:8B`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Book(BTreeMap<String, Learned>);

impl Json for Book {
    const LIMIT: u64 = 1024 * 1024;
}

/// `endpoints.json`: what was learned of model servers, over restarts. It can be removed at any time.
#[derive(Debug)]
pub struct Endpoints {
    file: File<Book>,
    clock: Clock,
}

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

    /// Those that a workspace keeps, which tells what is wrong with the file.
    #[must_use]
    pub fn of(workspace: &Workspace) -> Self {
        Self::new(workspace.folder(), workspace.notices())
    }

    fn new(folder: &Path, notices: &Notices) -> Self {
        Self { file: File::new(folder.join("endpoints.json"), notices), clock: Clock::default() }
    }

    /// The same by another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    /// What is known of `model` at `address`.
    #[must_use]
    pub fn recall(&self, address: &str, model: &str) -> Learned {
        self.file.read().0.get(&key(address, model)).cloned().unwrap_or_default()
    }

    /// Remembers `learned` of `model` at `address`. If it can't be written, it is kept in memory.
    pub fn remember(&self, address: &str, model: &str, learned: Learned) {
        let key = key(address, model);
        let known = self.file.read().0.get(&key).cloned();
        let is_new = known.is_none();
        if known.unwrap_or_default().is_close_to(&learned) {
            return;
        }
        let saved = self.file.update(|book| {
            if book.0.len() >= REMEMBERED && is_new {
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
    use crate::Refused;
    use crate::Way;

    #[test]
    fn what_was_learned_outlives_the_agent() {
        let folder = tempfile::tempdir().unwrap();
        let learned = Learned {
            way: Some(Way::ToolCode),
            way_refused: Some(refused(1, "json was answered with 400: no grammar")),
            window: Some(32_768),
            prompt_refused: Some(refused(2, "the prompt is too long")),
            bytes_per_token: Some(3.5),
            sees: Some(false),
            picture_refused: Some(refused(3, "a picture was answered with 400: no mmproj")),
            build: Some("b6000".to_owned()),
        };
        let endpoints = Endpoints::at(folder.path());
        assert_eq!(endpoints.recall("here", "m"), Learned::default());
        endpoints.remember("here", "m", learned.clone());
        let close = Learned { bytes_per_token: Some(3.6), ..learned.clone() };
        endpoints.remember("here", "m", close);
        let again = Endpoints::at(folder.path());
        assert_eq!(again.recall("here", "m"), learned);
        assert_eq!(again.recall("here", "other"), Learned::default());
        insta::assert_snapshot!(
            std::fs::read_to_string(folder.path().join("endpoints.json")).unwrap()
        );
    }

    fn refused(at: u64, words: &str) -> Refused {
        Refused { at: Millis(at), words: words.to_owned() }
    }

    #[test]
    fn files_of_before_refusals_had_dates_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let old = r#"{"here m": {"way": "tool_code", "window": 4096, "bytes_per_token": 3.5, "sees": false}}"#;
        std::fs::write(folder.path().join("endpoints.json"), old).unwrap();
        let notices = Notices::default();
        let learned = Endpoints::new(folder.path(), &notices).recall("here", "m");
        let expected = Learned {
            way: Some(Way::ToolCode),
            window: Some(4_096),
            bytes_per_token: Some(3.5),
            sees: Some(false),
            ..Learned::default()
        };
        assert_eq!(learned, expected);
        assert!(notices.take().is_empty());
        assert_eq!(std::fs::read_to_string(folder.path().join("endpoints.json")).unwrap(), old);
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
