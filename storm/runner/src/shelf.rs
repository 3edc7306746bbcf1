//! The storms of a folder: a folder for each, with its agents, its premise and its log.
//!
//! `AIStormSessions/<Name>/Agents/*.md`, `<id>.ini.md` and `<id>.log.md`. A `<id>.session.md` of AIStorm's later layout
//! is taken over into a folder of its own when it is opened for the first time, and stays where it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use home::{FileError, file, nearest};
use storm::{
    Agent, AgentFile, AgentFileError, Cast, CastError, Log, Name, NameError, Premise, PremiseError,
    Session, SessionError, Stamp,
};

use super::log_file::{LogFile, LogFileError};
use super::stored::Stored;

/// How long the file of an agent, a premise or a whole session may be, in bytes.
const LIMIT: u64 = 16 * 1024 * 1024;

pub(crate) const AGENTS: &str = "Agents";
pub(crate) const LOG: &str = ".log.md";
pub(crate) const PREMISE: &str = ".ini.md";
const SESSION: &str = ".session.md";

/// Which storm is meant where none is named.
const CHOSEN: &str = ".chosen";

/// Files that should be agents', by their names without the ending, and what each of them is.
pub type AgentFiles = Vec<(String, Result<Agent, ShelfError>)>;

/// A folder of storms.
#[derive(Debug, Clone)]
pub struct Shelf {
    folder: PathBuf,
}

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
        let folder = self.folder_of(name);
        if folder.exists() || self.session_file(name).exists() {
            return Err(ShelfError::Taken(name.clone()));
        }
        self.write(name, premise, cast.agents(), &Log::new(now, name.as_str()))?;
        Ok(folder)
    }

    /// Opens the storm of this name; `text` may end as the names of its files do.
    pub fn open(&self, text: &str) -> Result<Stored, ShelfError> {
        let endings = [LOG, PREMISE, SESSION, ".md"];
        let bare = endings.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
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
        let cast = Cast::new(agents(&folder.join(AGENTS))?);
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

/// The time of the machine, in UTC.
pub fn now() -> Stamp {
    Stamp::from(SystemTime::now())
}

/// The agents of a folder, by the names of their files.
///
/// # Errors
/// [`ShelfError`] of the first file that is no agent's.
pub fn agents(folder: &Path) -> Result<Vec<Agent>, ShelfError> {
    let files = agent_files(folder)?;
    files.into_iter().map(|(_, agent)| agent).collect()
}

/// The files of a folder that should be agents', by their names without the ending, and what each of them is.
///
/// # Errors
/// [`FileError`] when the folder can't be listed.
pub fn agent_files(folder: &Path) -> Result<AgentFiles, FileError> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(name) = file.strip_suffix(".md").filter(|name| !name.starts_with('.')) {
            files.push((name.to_owned(), agent(name, &path)));
        }
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(files)
}

fn agent(name: &str, path: &Path) -> Result<Agent, ShelfError> {
    let name = Name::new(name).map_err(|why| broken(path, &why))?;
    let text = read(path)?.ok_or_else(|| broken(path, &"it is gone"))?;
    let file = AgentFile::read(&text).map_err(|why: AgentFileError| broken(path, &why))?;
    Ok(Agent { name, file })
}

/// The file of an agent in a folder of agents.
#[must_use]
pub fn agent_path(folder: &Path, name: &Name) -> PathBuf {
    folder.join(format!("{name}.md"))
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

/// What stands in a folder; nothing if it is not there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let read = match fs::read_dir(folder) {
        Ok(read) => read,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FileError::new("read", folder, error)),
    };
    let paths = read.map(|entry| entry.map(|entry| entry.path()));
    paths.collect::<io::Result<_>>().map_err(|error| FileError::new("read", folder, error))
}

pub(super) fn read(path: &Path) -> Result<Option<String>, ShelfError> {
    let Some(bytes) = file::read(path, LIMIT)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| broken(path, &"it is not UTF-8"))
}

fn broken(path: &Path, why: &dyn std::fmt::Display) -> ShelfError {
    ShelfError::Broken { path: path.to_owned(), why: why.to_string() }
}

/// An error with its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests;
