//! A log that can't grow without bound.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The size at which the log is set aside, in the place of the one before, in bytes.
const ROTATE_BYTES: u64 = 1024 * 1024;

/// The file that is written to, and how large it is by now.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: File,
    size: u64,
}

/// Where the log at `path` goes when it is full.
fn set_aside(path: &Path) -> PathBuf {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".1");
    aside.into()
}

impl LogFile {
    /// Opens the log at `path` to write on at its end; it is made for its owner alone. A link is not followed: an agent can
    /// make one in its workspace, and is not confined yet when its next start opens the log.
    ///
    /// # Errors
    /// When it can't be opened, also because it is a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.create(true).append(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
        let file = options.open(path)?;
        let size = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, size })
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.size >= ROTATE_BYTES {
            fs::rename(&self.path, set_aside(&self.path))?;
            *self = Self::open(&self.path)?;
        }
        let written = self.file.write(bytes)?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_full_log_is_set_aside_and_there_are_never_more_than_two() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        fs::write(&path, "from before\n").unwrap();
        let mut log = LogFile::open(&path).unwrap();
        let line = format!("{}\n", "x".repeat(999));
        for _ in 0..5_000 {
            log.write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        for path in [&path, &set_aside(&path)] {
            let text = fs::read_to_string(path).unwrap();
            assert!(text.len() as u64 <= ROTATE_BYTES + 1_000 && text.ends_with(&line));
            assert!(!text.contains("from before"));
        }
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("agent.log"), folder.path().join(".bashrc"));
        symlink(&elsewhere, &path).unwrap();
        assert!(LogFile::open(&path).is_err());
        assert!(!elsewhere.exists());
    }
}
