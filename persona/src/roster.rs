//! All personas of a workspace, as their files have them now.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::Persona;

/// The name under which SOUL.md with the configured model is chosen again.
pub(super) const DEFAULT: &str = "default";

/// The largest file that is read, in bytes.
const LIMIT: u64 = 64 * 1024;

/// A file that is no persona.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name of the file.
    pub file: String,
    /// What is wrong with it.
    pub why: String,
}

/// The personas, sorted by name, and the files that are left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Roster {
    /// The personas.
    pub personas: Vec<Arc<Persona>>,
    /// The files that are left out; the others count.
    pub faults: Vec<Fault>,
}

impl Roster {
    /// The persona called `name`; letter case does not count.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Persona>> {
        let name = name.trim().to_lowercase();
        self.personas.iter().find(|persona| persona.name.to_lowercase() == name)
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.personas.iter().map(|persona| persona.name.as_str())
    }

    /// Reads the files of these paths, in the order of their names.
    fn read(paths: impl Iterator<Item = PathBuf>) -> Self {
        let mut roster = Self::default();
        for path in paths {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match persona(&path).and_then(|persona| roster.vacant(persona)) {
                Ok(persona) => roster.personas.push(Arc::new(persona)),
                Err(why) => roster.faults.push(Fault { file, why }),
            }
        }
        roster
    }

    fn vacant(&self, persona: Persona) -> Result<Persona, String> {
        match self.find(&persona.name) {
            Some(other) => Err(format!("{}.md has the same name, and counts", other.name)),
            None => Ok(persona),
        }
    }
}

fn persona(path: &Path) -> Result<Persona, String> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if name.trim() != name || name.chars().any(|c| c.is_control() || c == '[' || c == ']') {
        return Err("its name has spaces at an end, or brackets or control characters".to_owned());
    }
    if name.eq_ignore_ascii_case(DEFAULT) {
        return Err("default is the name of SOUL.md with the configured model".to_owned());
    }
    let bytes = home::file::read(path, LIMIT).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes.unwrap_or_default());
    let text = text.map_err(|_| "it is no text in UTF-8".to_owned())?;
    Persona::read(&name, &text).map_err(|error| error.to_string())
}

/// The folder with the personas' files. It is read again when something in it has changed.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    read: Mutex<(Marks, Arc<Roster>)>,
}

/// What shows that a file has changed: its length and the time of its last change.
type Marks = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

impl Folder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, read: Mutex::default() }
    }

    /// The personas as they are now.
    pub(super) fn roster(&self) -> Arc<Roster> {
        let marks = self.marks().unwrap_or_else(|error| {
            tracing::warn!(%error, "{} can't be listed", self.path.display());
            Marks::new()
        });
        // Poisoned, what was read is still whole.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != marks {
            *read = (marks.clone(), Arc::new(Roster::read(marks.into_keys())));
        }
        Arc::clone(&read.1)
    }

    fn marks(&self) -> io::Result<Marks> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Marks::new()),
            Err(error) => return Err(error),
        };
        let mut marks = Marks::new();
        for entry in entries {
            let path = entry?.path();
            let is_markdown = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
            if let Some(found) =
                fs::metadata(&path).ok().filter(|found| is_markdown && found.is_file())
            {
                marks.insert(path, (found.len(), found.modified().ok()));
            }
        }
        Ok(marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "<aistorm type=\"ollama\" model=\"m\" />\nYou help.";

    #[test]
    fn what_is_no_persona_is_left_out_and_the_others_count() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let personas = Folder::new(folder.path().to_owned());
        assert_eq!(*personas.roster(), Roster::default());
        for (name, text) in [
            ("Coder.md", FILE),
            ("coder.md", FILE),
            ("poet.md", "You are a poet."),
            ("default.md", FILE),
            ("[x].md", FILE),
            ("notes.txt", FILE),
        ] {
            write(name, text);
        }
        let roster = personas.roster();
        assert_eq!(roster.names().collect::<Vec<_>>(), ["Coder"]);
        let faults: Vec<&str> = roster.faults.iter().map(|fault| fault.file.as_str()).collect();
        assert_eq!(faults, ["[x].md", "coder.md", "default.md", "poet.md"]);
        assert!(Arc::ptr_eq(&roster, &personas.roster()), "read once");
        write("poet.md", FILE);
        assert_eq!(personas.roster().find("POET").unwrap().soul, "You help.");
        fs::remove_file(folder.path().join("Coder.md")).unwrap();
        assert_eq!(personas.roster().names().collect::<Vec<_>>(), ["coder", "poet"]);
    }
}
