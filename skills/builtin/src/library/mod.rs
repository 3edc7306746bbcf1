//! The library's skills: two processes of this one program, in the sandbox.
//!
//! The process `library` parses and indexes, and has no network. It sees two folders: `library`, which is its own, and
//! `papers`, which the owner has opened for reading. The process `meaning` searches, sees `library` alone, and reaches the
//! embedder that the owner has set, if any: [`meaning`] says why. Who asks is the router's word
//! ([`Call::is_owner`]), and so is what they may see.

mod answer;
mod deaths;
mod embedder;
mod forget;
mod index;
mod meaning;
mod open;
mod root;
#[cfg(test)]
mod tests;

pub use deaths::fatal;
pub use root::Root;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use library::{Library, Reader};
use safeclaw_skill::{Call, Object, SkillError, serve_calls};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The whole `main`.
pub(crate) fn main() -> ExitCode {
    let mut shelf = Shelf::default();
    serve_calls(move |params: Object, call: &Call| shelf.answer(params, call))
}

/// The library, opened by the first call that needs it.
#[derive(Default)]
struct Shelf {
    library: Option<Library>,
    failed: index::Failed,
    meaning: meaning::Meaning,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wait {
    /// So many seconds are worked before the answer; without it the work goes on behind the answer.
    wait: Option<u64>,
    /// How far the work has come, as `at` of an earlier answer says.
    from: Option<meaning::Place>,
}

impl Shelf {
    fn answer(&mut self, params: Object, call: &Call) -> Result<Value, SkillError> {
        match call.action() {
            "SEARCH_DOCS" => self.search(read(params)?, &reader(call), call),
            "SEARCH_PUBLIC_DOCS" => self.search(read(params)?, &everybody(), call),
            "EMBED_DOCS" => self.embed(read(params)?, call),
            "LIST_DOCS" => answer::list(self.library(call)?, read(params)?, &reader(call), call),
            "LIST_PUBLIC_DOCS" => {
                answer::list(self.library(call)?, read(params)?, &everybody(), call)
            }
            "INDEX_DOC" => self.index(read(params)?, call, false),
            "PUBLISH_DOC" => self.index(read(params)?, call, true),
            "FORGET_DOC" => forget::forget(self.library(call)?, read(params)?, call),
            "REBUILD_LIBRARY" => answer::rebuild(self.library(call)?, call),
            "CHECK_LIBRARY" => answer::check(self.library(call)?, call),
            other => Err(SkillError::new(format!("the library knows no {other}"))),
        }
    }

    fn index(
        &mut self,
        paths: index::Paths,
        call: &Call,
        public: bool,
    ) -> Result<Value, SkillError> {
        self.library(call)?;
        let Self { library: Some(library), failed, .. } = self else {
            return Err(SkillError::new("the library is not open"));
        };
        index::index((library, failed), paths, call, public)
    }

    fn search(
        &mut self,
        question: answer::Question,
        reader: &Reader,
        call: &Call,
    ) -> Result<Value, SkillError> {
        self.library(call)?;
        let Self { library: Some(library), meaning, .. } = self else {
            return Err(SkillError::new("the library is not open"));
        };
        let vector = meaning.of_question(library, question.text(), call)?;
        answer::search(library, &question, (reader, vector.as_ref()), call)
    }

    fn embed(&mut self, params: Wait, call: &Call) -> Result<Value, SkillError> {
        owner_alone(call)?;
        self.library(call)?;
        let Self { library: Some(library), meaning, .. } = self else {
            return Err(SkillError::new("the library is not open"));
        };
        match params.wait {
            Some(seconds) => {
                let patience = Duration::from_secs(seconds);
                meaning::work_for(library, (patience, params.from.unwrap_or_default()), call)
            }
            None => meaning.told(library, call),
        }
    }

    fn library(&mut self, call: &Call) -> Result<&mut Library, SkillError> {
        let library = match self.library.take().filter(|library| !library.is_replaced()) {
            Some(library) => library,
            None => opened(call)?,
        };
        Ok(self.library.insert(library))
    }
}

fn opened(call: &Call) -> Result<Library, SkillError> {
    let library = Library::open(call.folder("library")?, now())?;
    if let Some(mended) = library.mended() {
        // It is told where somebody listens; the library is mended all the same.
        let _ = writeln!(
            io::stderr(),
            "the database was broken ({}): {} documents were built again from their texts, {} are lost; the broken \
             one is {}",
            mended.why,
            mended.documents,
            mended.lost.len(),
            mended.aside.display()
        );
    }
    Ok(library)
}

fn read<P: DeserializeOwned>(params: Object) -> Result<P, SkillError> {
    serde_json::from_value(Value::Object(params))
        .map_err(|error| SkillError::new(format!("the parameters do not fit: {error}")))
}

/// What the one who asks may see, by the router's word.
fn reader(call: &Call) -> Reader {
    if call.is_owner() { Reader::Owner } else { everybody() }
}

/// What everybody may see, and all that the owner is shown by the actions of guests.
fn everybody() -> Reader {
    Reader::Roles(vec![library::Role::Public])
}

fn owner_alone(call: &Call) -> Result<(), SkillError> {
    if call.is_owner() {
        return Ok(());
    }
    Err(SkillError::new("only the owner puts papers into the library, and takes them out"))
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
