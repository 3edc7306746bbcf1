//! Changes of a storm in which nothing was said yet, and its end. Once something was said, a page changes nothing of it any more;
//! its files are still anybody's to edit.

use std::fs;

use home::{FileError, file};
use storm::{AgentFile, Name, Premise};

use crate::error::ShelfError;
use crate::folder::agent_path;
use crate::shelf::Shelf;
use crate::stored::Stored;

impl Stored {
    /// Exchanges what it is about.
    ///
    /// # Errors
    /// [`ShelfError`] when something was said, it goes on somewhere, or the file can't be written.
    pub fn set_premise(&self, premise: &Premise) -> Result<(), ShelfError> {
        let _still = self.untouched()?;
        Ok(file::write(&self.premise_file(), premise.write().as_bytes())?)
    }

    /// Writes the file of one of its agents, a new one or one that is there.
    ///
    /// # Errors
    /// As for [`Stored::set_premise`].
    pub fn put_agent(&self, name: &Name, agent: &AgentFile) -> Result<(), ShelfError> {
        let _still = self.untouched()?;
        Ok(file::write(&agent_path(&self.agents_folder(), name), agent.write().as_bytes())?)
    }

    /// Removes one of its agents; nothing happens if it is not there.
    ///
    /// # Errors
    /// As for [`Stored::set_premise`].
    pub fn drop_agent(&self, name: &Name) -> Result<(), ShelfError> {
        let _still = self.untouched()?;
        remove(&agent_path(&self.agents_folder(), name))
    }

    /// It, held still while nothing was said in it.
    fn untouched(&self) -> Result<crate::stored::Running, ShelfError> {
        let held = self.run()?;
        match self.log.log().messages().next() {
            None => Ok(held),
            Some(_) => Err(ShelfError::Begun(self.name.clone())),
        }
    }
}

impl Shelf {
    /// Removes a storm with all that was said in it, also one whose files can't be read.
    ///
    /// # Errors
    /// [`ShelfError`] when there is none, it goes on somewhere, or the system refuses.
    pub fn remove(&self, name: &Name) -> Result<(), ShelfError> {
        let (folder, session) = (self.folder_of(name), self.session_file(name));
        if !folder.is_dir() && !session.is_file() {
            return Err(self.missing(name.clone()));
        }
        if folder.is_dir() {
            let _still = crate::stored::hold(name, &folder)?;
            // The earlier layout would be made anew of the later one.
            remove(&session)?;
            return fs::remove_dir_all(&folder)
                .map_err(|error| FileError::new("remove", &folder, error).into());
        }
        remove(&session)
    }
}

fn remove(path: &std::path::Path) -> Result<(), ShelfError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(FileError::new("remove", path, error).into()),
    }
}

#[cfg(test)]
mod tests {
    use storm::{Agent, Cast};

    use super::*;
    use crate::shelf::now;

    fn begun() -> (tempfile::TempDir, Shelf, Name) {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::at(folder.path().to_owned());
        let (name, file) = (Name::new("weekend").unwrap(), AgentFile::new("OpenAI", "m", "x"));
        let cast = Cast::new(vec![Agent { name: Name::new("A").unwrap(), file }]).unwrap();
        shelf.create(&name, &Premise::new("Ideas?").unwrap(), &cast, now()).unwrap();
        (folder, shelf, name)
    }

    #[test]
    fn a_storm_changes_until_something_was_said() {
        let (_folder, shelf, name) = begun();
        let stored = shelf.open("weekend").unwrap();
        let (b, file) = (Name::new("B").unwrap(), AgentFile::new("Ollama", "m", "y"));
        stored.put_agent(&b, &file).unwrap();
        stored.drop_agent(&Name::new("A").unwrap()).unwrap();
        stored.set_premise(&Premise::new("Other ideas?").unwrap()).unwrap();
        let mut stored = shelf.open("weekend").unwrap();
        assert_eq!(stored.premise.as_str(), "Other ideas?");
        assert_eq!(stored.next().unwrap().name, b);
        stored.say("Well.", &mut |_| {}).unwrap();
        let premise = Premise::new("Late ideas?").unwrap();
        let refused =
            [stored.set_premise(&premise), stored.put_agent(&b, &file), stored.drop_agent(&b)];
        for refused in refused {
            assert!(matches!(refused, Err(ShelfError::Begun(ref of)) if *of == name));
        }
        assert_eq!(shelf.open("weekend").unwrap().premise.as_str(), "Other ideas?");
    }

    #[test]
    fn a_storm_that_is_removed_does_not_come_back() {
        let (folder, shelf, name) = begun();
        let session = folder.path().join("weekend.session.md");
        fs::write(&session, "<aistorm type=\"session\" />\n").unwrap();
        {
            let stored = shelf.open("weekend").unwrap();
            let _running = stored.run().unwrap();
            assert!(matches!(shelf.remove(&name), Err(ShelfError::Running(_))));
        }
        shelf.remove(&name).unwrap();
        assert_eq!(shelf.names().unwrap(), []);
        assert!(matches!(shelf.remove(&name), Err(ShelfError::Missing { .. })));
    }
}
