//! What is told to people: in English, and as one of the pages' words with what fills its gaps, for those who read another
//! language.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display};

use home::FileError;
use serde::Serialize;
use storm::{AgentFileError, CastError, NameError, PremiseError, Warning};
use storm_runner::{LogFileError, RunError, ShelfError};

/// Something that people are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Told {
    text: String,
    /// Under which key other languages have it; none where it is English alone.
    #[serde(skip_serializing_if = "str::is_empty")]
    key: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<&'static str, String>,
}

impl Told {
    /// Something that other languages have under `key`.
    pub fn new(key: &'static str, text: impl Display) -> Self {
        Self { text: text.to_string(), key, values: BTreeMap::new() }
    }

    /// The same, whose gap is filled with this.
    #[must_use]
    pub fn with(mut self, gap: &'static str, value: impl Display) -> Self {
        self.values.insert(gap, value.to_string());
        self
    }

    /// The same, whose gap is filled with what somebody has typed, between quotes.
    #[must_use]
    fn with_typed(self, gap: &'static str, value: impl Debug) -> Self {
        self.with(gap, format_args!("{value:?}"))
    }

    /// The same, with another English text.
    fn of_file(self, text: impl Display) -> Self {
        Self { text: text.to_string(), ..self }
    }
}

impl Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// It is told in English alone.
impl From<String> for Told {
    fn from(text: String) -> Self {
        Self::new("", text)
    }
}

impl From<&NameError> for Told {
    fn from(error: &NameError) -> Self {
        match error {
            NameError::Blank(name) => Self::new("error.nameBlank", error).with_typed("name", name),
            NameError::Path(name) => Self::new("error.namePath", error).with_typed("name", name),
            NameError::Character(name) => {
                Self::new("error.nameCharacter", error).with_typed("name", name)
            }
            NameError::Long(bytes) => Self::new("error.nameLong", error)
                .with("most", storm::NAME_LIMIT)
                .with("bytes", bytes),
        }
    }
}

impl From<&PremiseError> for Told {
    fn from(error: &PremiseError) -> Self {
        match error {
            PremiseError::Empty => Self::new("error.premiseEmpty", error),
            PremiseError::Long(bytes) => Self::new("error.premiseLong", error)
                .with("most", storm::PREMISE_LIMIT)
                .with("bytes", bytes),
            PremiseError::NoTag => Self::new("error.premiseTag", error),
        }
    }
}

impl From<&CastError> for Told {
    fn from(error: &CastError) -> Self {
        match error {
            CastError::Empty => Self::new("error.castEmpty", error),
            CastError::Twice(name) => Self::new("error.castTwice", error).with("name", name),
            CastError::Unreadable { file, why } => {
                Self::new("error.broken", error).with("path", file).with("why", why)
            }
            CastError::Person(name) => Self::new("error.castPerson", error).with("name", name),
        }
    }
}

impl From<&AgentFileError> for Told {
    fn from(error: &AgentFileError) -> Self {
        let key = match error {
            AgentFileError::NoTag => "error.agentTag",
            AgentFileError::NoType => "error.agentType",
            AgentFileError::NoModel => "error.agentModel",
        };
        Self::new(key, error)
    }
}

impl From<&ShelfError> for Told {
    fn from(error: &ShelfError) -> Self {
        match error {
            ShelfError::Name(why) => why.into(),
            ShelfError::Taken(name) => Self::new("error.taken", error).with("name", name),
            ShelfError::Ending { name, ending } => {
                Self::new("error.nameEnding", error).with("name", name).with("ending", ending)
            }
            ShelfError::Missing { name, .. } => {
                Self::new("error.missing", error).with("name", name)
            }
            ShelfError::Cast { why, .. } => Self::from(why).of_file(error),
            ShelfError::Running(name) => Self::new("error.running", error).with("name", name),
            ShelfError::Begun(name) => Self::new("error.begun", error).with("name", name),
            ShelfError::NoAgent { why, .. } => Self::from(why).of_file(error),
            ShelfError::Broken { path, why } => {
                Self::new("error.broken", error).with("path", path.display()).with("why", why)
            }
            ShelfError::Log(LogFileError::Broken { path, why }) => {
                Self::new("error.broken", error).with("path", path.display()).with("why", why)
            }
            ShelfError::Log(LogFileError::Gone(path)) => {
                Self::new("error.gone", error).with("path", path.display())
            }
            ShelfError::Log(LogFileError::File(why)) | ShelfError::File(why) => why.into(),
            ShelfError::NoneChosen => Self::new("", error),
        }
    }
}

impl From<&RunError> for Told {
    fn from(error: &RunError) -> Self {
        match error {
            RunError::Shelf(why) => why.into(),
            RunError::Failed { name, why } => {
                Self::new("error.failed", error).with("name", name).with("why", why)
            }
            RunError::Wordless(name) => Self::new("error.wordless", error).with("name", name),
            RunError::Budget { spent, limit, .. } => {
                Self::new("talk.spent", error).with("spent", spent).with("limit", limit)
            }
            RunError::Nothing => Self::new("error.nothing", error),
            RunError::Long(bytes) => Self::new("error.long", error).with("bytes", bytes),
        }
    }
}

impl From<&Warning> for Told {
    fn from(warning: &Warning) -> Self {
        Self::new("error.line", warning).with("line", warning.line)
    }
}

/// The system's reason stays as the system tells it.
impl From<&FileError> for Told {
    fn from(error: &FileError) -> Self {
        Self::new("error.file", error).with("why", error)
    }
}
