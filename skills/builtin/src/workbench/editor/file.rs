//! A text file of the project.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// The largest file that is shown, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// A file as it was read.
pub(super) struct File {
    /// Its path below the project.
    pub(super) path: String,
    text: String,
    /// What changes with its text.
    pub(super) digest: u64,
}

impl File {
    /// Reads the file at `path` below `project`.
    ///
    /// # Errors
    /// Why it can't be shown, for the model.
    pub(super) fn read(project: &Path, path: &str) -> Result<Self, String> {
        let place = place(project, path)?;
        let facts = fs::metadata(&place).map_err(|_| format!("{path}: there is no such file."))?;
        if !facts.is_file() {
            return Err(format!("{path} is no file."));
        }
        if facts.len() > LARGEST {
            return Err(format!("{path} is larger than 16 MB; look at it with bash."));
        }
        let bytes = fs::read(&place).map_err(|error| format!("{path} can't be read: {error}"))?;
        if bytes.contains(&0) {
            return Err(format!("{path} is binary."));
        }
        let text = String::from_utf8(bytes).map_err(|_| format!("{path} is no text in UTF-8."))?;
        Ok(Self { path: path.to_owned(), digest: digest(&text), text })
    }

    /// The lines from `first` to `last`, which count from 1.
    pub(super) fn lines(&self, first: usize, last: usize) -> impl Iterator<Item = &str> {
        self.all().skip(first - 1).take(last + 1 - first)
    }

    /// All lines.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.text.lines()
    }

    /// Puts `text` in the place of the lines from `first` to `last`, unless the file has changed since it was read. The digest
    /// of what stands there then.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn replace(
        &self,
        project: &Path,
        (first, last): (usize, usize),
        text: &str,
    ) -> Result<u64, String> {
        let mut new = String::with_capacity(self.text.len() + text.len());
        if self.text.is_empty() {
            // A view shows one line, which is none.
            new.push_str(text);
        }
        for (number, line) in (1..).zip(self.text.split_inclusive('\n')) {
            if number == first {
                new.push_str(text);
                if !text.is_empty() && !text.ends_with('\n') && line.ends_with('\n') {
                    new.push('\n');
                }
            }
            if !(first..=last).contains(&number) {
                new.push_str(line);
            }
        }
        if Self::read(project, &self.path)?.digest != self.digest {
            return Err(format!("{} has changed meanwhile; look again.", self.path));
        }
        let place = place(project, &self.path)?;
        write(&place, &new).map_err(|error| format!("{} can't be written: {error}", self.path))?;
        Ok(digest(&new))
    }
}

/// What changes with `text`.
fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Exchanges the text of a file as a whole: when the disk is full, or this is cut off, the old text is still there.
fn write(place: &Path, text: &str) -> io::Result<()> {
    // A link stays one.
    let place = place.canonicalize()?;
    let folder = place.parent().unwrap_or(Path::new("/"));
    let mode = place.metadata()?.permissions();
    let mut new = tempfile::Builder::new().permissions(mode.clone()).tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    match new.as_file().set_permissions(mode) {
        // Without namespaces no mode is changed; the file was made with its own, less what is masked out.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        set => set?,
    }
    new.persist(&place)?;
    Ok(())
}

/// Makes the file at `path` below `project`, with the folders above it.
///
/// # Errors
/// Why not; a file that is there already stays as it is.
pub(super) fn create(project: &Path, path: &str, text: &str) -> Result<(), String> {
    let place = place(project, path)?;
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            format!("{path} exists already: view it and edit it.")
        }
        _ => format!("{path} can't be made: {error}"),
    };
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    let mut made = fs::File::create_new(&place).map_err(cannot)?;
    made.write_all(text.as_bytes()).map_err(cannot)
}

/// Where `path` is: below the project, also after every link.
fn place(project: &Path, path: &str) -> Result<PathBuf, String> {
    let outside = || format!("{path} is outside the project.");
    let inner = Path::new(path);
    let inner = inner.strip_prefix(project).unwrap_or(inner);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !inner.components().all(is_plain) || inner.as_os_str().is_empty() {
        return Err(outside());
    }
    let place = project.join(inner);
    let there = place.ancestors().find_map(|above| above.canonicalize().ok());
    let project = project.canonicalize().map_err(|_| "The project folder is gone.".to_owned())?;
    match there {
        Some(there) if there.starts_with(project) => Ok(place),
        _ => Err(outside()),
    }
}
