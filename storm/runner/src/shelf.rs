//! The storms of a folder: a folder for each, with its agents, its premise and its log.
//!
//! `AIStormSessions/<Name>/Agents/*.md`, `<id>.ini.md` and `<id>.log.md`. A `<id>.session.md` of AIStorm's later layout
//! is taken over into a folder of its own when it is opened for the first time, and stays where it is.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use home::{FileError, file, nearest};
use storm::{
    Agent, Cast, CastError, Log, Name, Premise, PremiseError, Session, SessionError, Stamp,
};

use crate::error::{ShelfError, command};
use crate::folder::{AGENTS, LOG, PREMISE, agent_path, agents, broken, entries, read};
use crate::log_file::LogFile;
use crate::stored::Stored;

const SESSION: &str = ".session.md";

/// How the files of storms end. A storm is opened by their names as well, so its own name never ends so.
const ENDINGS: [&str; 4] = [LOG, PREMISE, SESSION, ".md"];

/// Which storm is meant where none is named.
const CHOSEN: &str = ".chosen";

/// A folder of storms.
#[derive(Debug, Clone)]
pub struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    /// The storms of this folder, which need not be there yet.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Their folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of all storms, sorted.
    pub fn names(&self) -> Result<Vec<Name>, FileError> {
        let mut names = Vec::new();
        for path in entries(&self.folder)? {
            let Some(file) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let name = if path.is_dir() { Some(file) } else { file.strip_suffix(SESSION) };
            let Some(Ok(name)) = name.map(Name::new) else { continue };
            if !path.is_dir() || id_in(&path).is_some() {
                names.push(name);
            }
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Makes a storm in which nothing was said yet.
    pub fn create(
        &self,
        name: &Name,
        premise: &Premise,
        cast: &Cast,
        now: Stamp,
    ) -> Result<PathBuf, ShelfError> {
        if let Some(ending) = ENDINGS.into_iter().find(|end| name.as_str().ends_with(end)) {
            return Err(ShelfError::Ending { name: name.clone(), ending });
        }
        let folder = self.folder_of(name);
        if folder.exists() || self.session_file(name).exists() {
            return Err(ShelfError::Taken(name.clone()));
        }
        self.write(name, premise, cast.agents(), &Log::new(now, name.as_str()))?;
        Ok(folder)
    }

    /// Opens the storm of this name; `text` may end as the names of its files do.
    pub fn open(&self, text: &str) -> Result<Stored, ShelfError> {
        let bare = ENDINGS.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
        let name = Name::new(bare)?;
        let folder = self.folder.join(name.as_str());
        if id_in(&folder).is_none() && self.session_file(&name).is_file() {
            self.take_over(&name)?;
        }
        let Some(id) = id_in(&folder) else { return Err(self.missing(name)) };
        let premise = folder.join(format!("{id}{PREMISE}"));
        let premise = match read(&premise)? {
            Some(text) => Premise::read(&text).map_err(|why| broken(&premise, &why))?,
            None => {
                return Err(broken(
                    &premise,
                    &"it is not there; write what the storm is about into it",
                ));
            }
        };
        let unreadable = |path: &Path, why: String| {
            Err(CastError::Unreadable { file: path.display().to_string(), why })
        };
        let cast = match agents(&folder.join(AGENTS)) {
            Ok(agents) => Cast::new(agents),
            // All but taking turns goes on, and what can mend the file is part of that.
            Err(ShelfError::NoAgent { path, why }) => unreadable(&path, why.to_string()),
            Err(ShelfError::Broken { path, why }) => unreadable(&path, why),
            Err(other) => return Err(other),
        };
        let log = folder.join(format!("{id}{LOG}"));
        if !log.exists() {
            file::write_missing(&log, Log::new(now(), name.as_str()).write().as_bytes())?;
        }
        Ok(Stored { name, folder, premise, cast, log: LogFile::open(&log)? })
    }

    /// Makes this the storm that is meant where none is named.
    pub fn choose(&self, name: &Name) -> Result<(), FileError> {
        file::write(&self.folder.join(CHOSEN), name.as_str().as_bytes())
    }

    /// Opens the storm that is meant where none is named.
    pub fn chosen(&self) -> Result<Stored, ShelfError> {
        let name = read(&self.folder.join(CHOSEN))?.ok_or(ShelfError::NoneChosen)?;
        self.open(name.trim())
    }

    /// The folder of a storm, which need not be there.
    pub(crate) fn folder_of(&self, name: &Name) -> PathBuf {
        self.folder.join(name.as_str())
    }

    pub(crate) fn missing(&self, name: Name) -> ShelfError {
        let names = self.names().unwrap_or_default();
        let near = nearest(name.as_str(), names.iter().map(Name::as_str));
        let hint = match near {
            Some(near) => format!("; did you mean {near}?"),
            None => {
                let new = format!("{} --premise TEXT", command("storm new", &name));
                format!("; make it with `{new}`")
            }
        };
        ShelfError::Missing { name, folder: self.folder.clone(), hint }
    }

    pub(crate) fn session_file(&self, name: &Name) -> PathBuf {
        self.folder.join(format!("{name}{SESSION}"))
    }

    /// Writes what stands in a file of the later layout into a folder in the earlier one.
    fn take_over(&self, name: &Name) -> Result<(), ShelfError> {
        let path = self.session_file(name);
        let text = read(&path)?.unwrap_or_default();
        let (session, _) =
            Session::read(&text).map_err(|why: SessionError| broken(&path, &chain(&why)))?;
        let premise = session.premise.ok_or_else(|| broken(&path, &PremiseError::Empty))?;
        self.write(name, &premise, &session.agents, &session.log)
    }

    /// The premise comes last: a folder without one is no storm yet, so one that was not finished is made anew.
    fn write(
        &self,
        name: &Name,
        premise: &Premise,
        agents: &[Agent],
        log: &Log,
    ) -> Result<(), ShelfError> {
        let folder = self.folder.join(name.as_str());
        for agent in agents {
            let path = agent_path(&folder.join(AGENTS), &agent.name);
            file::write(&path, agent.file.write().as_bytes())?;
        }
        file::write(&folder.join(format!("{name}{LOG}")), log.write().as_bytes())?;
        file::write(&folder.join(format!("{name}{PREMISE}")), premise.write().as_bytes())?;
        Ok(())
    }
}

/// The time of the machine, in UTC.
pub fn now() -> Stamp {
    Stamp::from(SystemTime::now())
}

/// The id of the storm in a folder: its name, or else that of the only premise there.
fn id_in(folder: &Path) -> Option<String> {
    let own = folder.file_name()?.to_str()?;
    if folder.join(format!("{own}{PREMISE}")).is_file() {
        return Some(own.to_owned());
    }
    let all = entries(folder).ok()?;
    let names = all.iter().filter_map(|path| path.file_name()?.to_str()?.strip_suffix(PREMISE));
    let ids: Vec<&str> = names.filter(|id| Name::new(id).is_ok()).collect();
    if let [id] = ids[..] { Some(id.to_owned()) } else { None }
}

/// An error with its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests;
