//! All personas of a workspace, as their files have them now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use home::nearest;
use storm::AgentFile;

use super::Persona;
use super::file::PROPERTIES;
use super::folder::{Fault, OfFiles, name_of, text_of};

/// The name under which SOUL.md with the configured model is chosen again.
pub(super) const DEFAULT: &str = "default";

/// The personas, sorted by name, and the files that are left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Roster {
    /// The personas.
    pub personas: Vec<Arc<Persona>>,
    /// The files that are left out; the others count.
    pub faults: Vec<Fault>,
    /// The files that count, and hold what was probably meant to be something else.
    pub doubts: Vec<Fault>,
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

    fn vacant(&self, persona: Persona) -> Result<Persona, String> {
        match self.find(&persona.name) {
            Some(other) => Err(format!("{}.md has the same name, and counts", other.name)),
            None => Ok(persona),
        }
    }
}

impl OfFiles for Roster {
    fn of_files(paths: impl Iterator<Item = PathBuf>) -> Self {
        let mut roster = Self::default();
        for path in paths {
            match persona(&path).and_then(|(persona, doubt)| Ok((roster.vacant(persona)?, doubt))) {
                Ok((persona, doubt)) => {
                    let doubt = doubt.map(|why| Fault { file: name_of(&path), why });
                    roster.doubts.extend(doubt);
                    roster.personas.push(Arc::new(persona));
                }
                Err(why) => roster.faults.push(Fault { file: name_of(&path), why }),
            }
        }
        roster
    }

    fn of_fault(fault: Fault) -> Self {
        Self { faults: vec![fault], ..Self::default() }
    }
}

/// The persona in a file, and what is doubtful about it.
fn persona(path: &Path) -> Result<(Persona, Option<String>), String> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if name.trim() != name || name.chars().any(|c| c.is_control() || c == '[' || c == ']') {
        return Err("its name has spaces at an end, or brackets or control characters".to_owned());
    }
    if name.eq_ignore_ascii_case(DEFAULT) {
        return Err("default is the name of SOUL.md with the configured model".to_owned());
    }
    let file = AgentFile::read(&text_of(path)?).map_err(|error| error.to_string())?;
    let persona = Persona::of(&name, &file).map_err(|error| error.to_string())?;
    Ok((persona, doubt(&file)))
}

/// A property that is like one that means something. AIStorm's own files may have others.
fn doubt(file: &AgentFile) -> Option<String> {
    let others = file
        .properties
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !PROPERTIES.iter().any(|known| known.eq_ignore_ascii_case(name)));
    others.into_iter().find_map(|name| {
        let meant = nearest(name, PROPERTIES)?;
        Some(format!("{name} means nothing here; did you mean {meant}?"))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::folder::Folder;

    const FILE: &str = "<aistorm type=\"ollama\" model=\"m\" />\nYou help.";

    #[test]
    fn what_is_no_persona_is_left_out_and_the_others_count() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let personas = Folder::<Roster>::new(folder.path().to_owned());
        assert_eq!(*personas.now(), Roster::default());
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
        let roster = personas.now();
        assert_eq!(roster.names().collect::<Vec<_>>(), ["Coder"]);
        let faults: Vec<&str> = roster.faults.iter().map(|fault| fault.file.as_str()).collect();
        assert_eq!(faults, ["[x].md", "coder.md", "default.md", "poet.md"]);
        assert!(Arc::ptr_eq(&roster, &personas.now()), "read once");
        assert_eq!(roster.doubts, []);
        write("poet.md", &FILE.replace("model=", "temprature=\"1\" from=\"x\" model="));
        let doubts = &personas.now().doubts;
        assert_eq!(doubts[0].why, "temprature means nothing here; did you mean temperature?");
        assert_eq!(personas.now().find("POET").unwrap().soul, "You help.");
        fs::remove_file(folder.path().join("Coder.md")).unwrap();
        assert_eq!(personas.now().names().collect::<Vec<_>>(), ["coder", "poet"]);
    }
}
