//! Sets one variable in a `.env` file.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{EnvError, EnvFile, LIMIT, parse};
use crate::{FileError, file};

impl EnvFile {
    /// Sets `name` to `value` in the file at `path`, which from then on its owner alone can read, because of what
    /// stands in it. Every other line stays as it is.
    ///
    /// # Errors
    /// [`EnvError`], with the file as it was, also when no line can say this value.
    pub fn set(path: &Path, name: &str, value: &str) -> Result<(), EnvError> {
        // What can't be read is mended by a person before anything is added.
        Self::read(path)?;
        let bytes = file::read(path, LIMIT)?.unwrap_or_default();
        let text = with_line(&String::from_utf8_lossy(&bytes), name, &format!("{name}={value}"));
        let said = parse(&text).and_then(|values| values.get(name).cloned());
        if said.as_deref() != Some(value) {
            let why =
                io::Error::new(io::ErrorKind::InvalidInput, format!("{name} can't be set so"));
            return Err(FileError::new("write", path, why).into());
        }
        Ok(Self::write(path, text.as_bytes())?)
    }

    /// Writes the file at `path`, which from then on its owner alone can read.
    ///
    /// # Errors
    /// [`FileError`], with the file as it was.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        // Before a secret is in it.
        match fs::set_permissions(path, Permissions::from_mode(0o600)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FileError::new("change the mode of", path, error))
            }
            _ => file::write(path, bytes),
        }
    }

    /// Removes every line that sets `name`. Where there is no file, there is none afterwards.
    ///
    /// # Errors
    /// [`EnvError`], with the file as it was.
    pub fn remove(path: &Path, name: &str) -> Result<(), EnvError> {
        Self::read(path)?;
        let Some(bytes) = file::read(path, LIMIT)? else { return Ok(()) };
        let text = String::from_utf8_lossy(&bytes);
        let kept: String = text.split_inclusive('\n').filter(|line| !sets(line, name)).collect();
        if kept == text {
            return Ok(());
        }
        Ok(file::write(path, kept.as_bytes())?)
    }
}

/// Whether `line` sets `name`.
fn sets(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").map_or(line, str::trim_start);
    line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// `text` with `line` in the place of those that set `name`, or at its end.
fn with_line(text: &str, name: &str, line: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut is_set = false;
    for other in text.lines() {
        if !sets(other, name) {
            lines.push(other);
        } else if !std::mem::replace(&mut is_set, true) {
            lines.push(line);
        }
    }
    if !is_set {
        lines.push(line);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_set_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        EnvFile::set(&path, "TOKEN", "1:a").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "TOKEN=1:a\n");
        fs::write(&path, "# TOKEN=old\nexport TOKEN = 'x'\nA=$1\nTOKEN=y\nTOKENS=z").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        EnvFile::set(&path, "TOKEN", "2:b").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "# TOKEN=old\nTOKEN=2:b\nA=$1\nTOKENS=z\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn another_value_may_hold_a_dollar_in_quotes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        fs::write(&path, "A=\"pa$word\"\n").unwrap();
        EnvFile::set(&path, "TOKEN", "1:a").unwrap();
        assert_eq!(EnvFile::read(&path).unwrap().get("A"), Some("pa$word"));
    }

    #[test]
    fn what_no_line_can_say_and_a_broken_file_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        fs::write(&path, "A=1\n").unwrap();
        for value in ["two words", "a\nB=2", "", "'"] {
            EnvFile::set(&path, "TOKEN", value).unwrap_err();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "A=1\n");
        fs::write(&path, "broken\n").unwrap();
        EnvFile::set(&path, "TOKEN", "1:a").unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "broken\n");
    }
}
