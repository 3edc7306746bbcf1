//! Which files may be read and written: compared by component, after `.` and `..` are gone.

use std::path::{Component, Path, PathBuf};

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Read,
    /// Read or written.
    Write,
}

/// The folders of router/governance.json.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// What may be read.
    pub allowed: Vec<PathBuf>,
    /// What may be written to, too.
    pub writable: Vec<PathBuf>,
    /// What is not there, wherever it lies.
    pub denied: Vec<PathBuf>,
    /// What `~` stands for.
    pub(crate) home: PathBuf,
}

impl Paths {
    /// Where a path begins that has no beginning: the first folder that is open, or else the scratch directory.
    #[must_use]
    pub fn here(&self) -> &Path {
        self.allowed.first().map_or(Path::new("/work"), PathBuf::as_path)
    }

    /// What `~` stands for.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The whole path that `asked` means, without `.` and `..`.
    #[must_use]
    pub fn whole(&self, asked: &str) -> PathBuf {
        let path = match asked.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => self.home.join(rest.trim_start_matches('/')),
            _ => self.here().join(asked),
        };
        normal(&path)
    }

    /// Judges `path`, a whole one.
    ///
    /// # Errors
    /// Why it may not be used, and what to do.
    pub fn judge(&self, path: &Path, access: Access) -> Result<(), String> {
        let path = normal(path);
        let shown = path.display();
        let holds = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        if let Some(denied) = self.denied.iter().find(|denied| path.starts_with(denied)) {
            return Err(format!("paths.denied holds {}", denied.display()));
        }
        if holds(&self.writable) || (access == Access::Read && holds(&self.allowed)) {
            return Ok(());
        }
        let open: Vec<_> = self.allowed.iter().map(|folder| folder.display().to_string()).collect();
        Err(match (access, holds(&self.allowed)) {
            (Access::Write, true) => {
                format!("{shown} may be read alone: paths.writable opens a folder for writing")
            }
            _ if open.is_empty() => "no folder is open: paths.allowed opens one".to_owned(),
            _ => format!("{shown} lies in no folder that is open: {}", open.join(", ")),
        })
    }

    /// Judges the file of a redirection: the scratch directory and the sinks are there for every line.
    pub(crate) fn judge_file(&self, asked: &str, access: Access) -> Result<(), String> {
        let path = self.whole(asked);
        let is_scratch = ["/work", "/tmp"].iter().any(|scratch| path.starts_with(scratch));
        let opened = || self.allowed.iter().any(|folder| path.starts_with(folder));
        let is_sink = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]
            .map(Path::new)
            .contains(&path.as_path());
        if is_sink || (is_scratch && !opened()) {
            return self.denied_one(&path).map_or(Ok(()), Err);
        }
        self.judge(&path, access)
    }

    /// Why a word of a command is refused that names a path: what is denied is not there, whoever asks for it.
    pub(crate) fn denied_in(&self, word: &str) -> Option<String> {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        [word, value].iter().find_map(|text| self.denied_one(&self.whole(text)))
    }

    fn denied_one(&self, path: &Path) -> Option<String> {
        let denied = self.denied.iter().find(|denied| path.starts_with(denied))?;
        Some(format!("paths.denied holds {}", denied.display()))
    }
}

/// `path` without `.` and `..`; above the root there is nothing.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut whole = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => {
                whole.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    whole
}
