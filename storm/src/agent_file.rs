//! What a mind is: a Markdown file with a tag that names its model, and its instructions below.
//!
//! `<aistorm type="OpenAI" model="gpt-4" />`; the later layout writes `type="agent" name=... service=... model=...`.
//! Further properties are kept in their order.

use crate::escape::{escaped_tags, unescaped_tags};
use crate::segment::{Properties, Segment};

/// An agent file. Its name is that of the file, without `.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFile {
    /// All that the tag says: `type`, `model`, and what else stands there.
    pub properties: Properties,
    /// Its instructions, the system prompt.
    pub prompt: String,
}

/// Why a file is no agent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AgentFileError {
    /// There is no tag.
    #[error("it has no line such as <aistorm type=\"OpenAI\" model=\"gpt-4\" /> at its top")]
    NoTag,
    /// The tag does not say who serves the model.
    #[error("its <aistorm /> line has no type, which says who serves the model: type=\"OpenAI\"")]
    NoType,
    /// The tag does not say which model.
    #[error("its <aistorm /> line has no model, which says which one: model=\"gpt-4\"")]
    NoModel,
}

impl AgentFile {
    /// A mind with a model and instructions.
    #[must_use]
    pub fn new(service: &str, model: &str, prompt: &str) -> Self {
        let properties = Properties::default().with("type", service).with("model", model);
        Self { properties, prompt: prompt.trim().to_owned() }
    }

    /// Reads a file in either form.
    ///
    /// # Errors
    /// [`AgentFileError`] names what is missing.
    pub fn read(text: &str) -> Result<Self, AgentFileError> {
        let segments = Segment::all(text);
        Self::of(segments.first().ok_or(AgentFileError::NoTag)?)
    }

    /// Reads one piece of a file.
    ///
    /// # Errors
    /// As for [`AgentFile::read`].
    pub fn of(segment: &Segment<'_>) -> Result<Self, AgentFileError> {
        let prompt = unescaped_tags(segment.content.trim());
        let file = Self { properties: segment.properties.clone(), prompt };
        if file.service().is_empty() {
            return Err(AgentFileError::NoType);
        }
        if file.model().is_empty() {
            return Err(AgentFileError::NoModel);
        }
        Ok(file)
    }

    /// Who serves its model, as it is written there.
    #[must_use]
    pub fn service(&self) -> &str {
        let kind = self.properties.get("type").unwrap_or_default();
        // In the later layout `type` says what the piece is.
        let service = if kind == "agent" { self.properties.get("service") } else { Some(kind) };
        service.unwrap_or_default().trim()
    }

    /// Its model.
    #[must_use]
    pub fn model(&self) -> &str {
        self.properties.get("model").unwrap_or_default().trim()
    }

    /// The file of an agent.
    #[must_use]
    pub fn write(&self) -> String {
        format!("{}\n\n{}\n", self.properties, escaped_tags(self.prompt.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let text =
            "<aistorm type=\"OpenAI\" model=\"gpt-4\" />\n\nYou are a creative thinking expert.\n";
        let file = AgentFile::read(text).unwrap();
        assert_eq!((file.service(), file.model()), ("OpenAI", "gpt-4"));
        assert_eq!(file.prompt, "You are a creative thinking expert.");
        assert_eq!(file.write(), text);
        let later = "<aistorm type=\"agent\" name=\"X\" service=\"Anthropic\" model=\"claude\" temperature=\"0.2\" />\n\nBe brief.\n";
        let file = AgentFile::read(later).unwrap();
        assert_eq!((file.service(), file.model()), ("Anthropic", "claude"));
        assert_eq!(file.properties.get("temperature"), Some("0.2"));
        assert_eq!(file.write(), later);
        assert_eq!(
            AgentFile::new("OpenAI", "gpt-4", "a <aistorm /> b")
                .write()
                .matches("<aistorm")
                .count(),
            1
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |text: &str| AgentFile::read(text).unwrap_err();
        assert_eq!(error("You are a poet."), AgentFileError::NoTag);
        assert_eq!(error("<aistorm model=\"gpt-4\" />\n\nx"), AgentFileError::NoType);
        assert_eq!(
            error("<aistorm type=\"agent\" model=\"gpt-4\" />\n\nx"),
            AgentFileError::NoType
        );
        assert_eq!(error("<aistorm type=\"OpenAI\" model=\" \" />\n\nx"), AgentFileError::NoModel);
    }
}
