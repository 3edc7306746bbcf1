//! Why a storm can't be opened, made or changed.

use std::path::PathBuf;

use home::FileError;
use storm::{AgentFileError, CastError, Name, NameError};

use crate::log_file::LogFileError;

/// Why a storm can't be opened or made.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// The name leads elsewhere, or is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is one of that name.
    #[error(
        "there is a storm {0} already; go on with `{next}`, or choose another name",
        next = command("storm next", .0)
    )]
    Taken(Name),
    /// It ends as the files of storms do, so that it would open another storm.
    #[error(
        "a storm can't be called {name}, for files of storms end in {ending}; choose another name"
    )]
    Ending {
        /// The name.
        name: Name,
        /// Its end.
        ending: &'static str,
    },
    /// There is none.
    #[error("there is no storm {name} in {}{hint}", folder.display())]
    Missing {
        /// How it would be called.
        name: Name,
        /// Where it was looked for.
        folder: PathBuf,
        /// The nearest name, or what makes one.
        hint: String,
    },
    /// No storm was named, now or before.
    #[error(
        "say which storm: /storm new NAME PREMISE makes one, /storm start NAME goes on with one"
    )]
    NoneChosen,
    /// One of its files can't be read.
    #[error("{} can't be read: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file of an agent is none.
    #[error("{} can't be read: {why}", path.display())]
    NoAgent {
        /// The file.
        path: PathBuf,
        /// What it lacks.
        why: AgentFileError,
    },
    /// Nobody can take turns.
    #[error("{name}: {why}")]
    Cast {
        /// The storm.
        name: Name,
        /// What is wrong.
        why: CastError,
    },
    /// Somebody lets it go on already.
    #[error(
        "{0} goes on in another window already; end it there, or with `{stop}`",
        stop = command("storm stop", .0)
    )]
    Running(Name),
    /// Something was said in it, and its beginning stays as it was.
    #[error("something was said in {0} already, so its premise and agents stay as they are")]
    Begun(Name),
    /// Its log can't be used.
    #[error(transparent)]
    Log(#[from] LogFileError),
    /// The system's reason.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A command about a storm, as it is typed here.
pub fn command(words: &str, name: &Name) -> String {
    home::command(&format!("{words} {}", typed(name)))
}

/// A name as a shell takes it.
fn typed(name: &Name) -> String {
    let name = name.as_str();
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if is_plain { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}
