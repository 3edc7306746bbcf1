//! A skill's log: what it writes on stderr, kept in a file that cannot grow without bound.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

use super::NotStarted;
use crate::secrets::Secrets;

/// The size at which a log is set aside as `<name>.1`, in the place of the one before.
pub const ROTATE_BYTES: u64 = 1024 * 1024;

/// How much of a line is read at once; a longer one is taken in pieces.
const PIECE: u64 = 8 * 1024;

/// How much of the last line an error repeats.
const LAST_LINE_CHARS: usize = 500;

/// What was on stderr, beyond what went into the file.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The last line that is not empty, without control characters.
    pub(super) last_line: String,
    /// The launcher's own report that nothing was started.
    pub(super) not_started: Option<NotStarted>,
}

/// Follows one process's stderr.
#[derive(Debug)]
pub(super) struct SkillLog {
    path: PathBuf,
    token: String,
    budget: Budget,
    secrets: Secrets,
}

/// How many bytes may still be kept. Whoever holds a clone can grant more, as for each call of a warm skill.
#[derive(Debug, Clone)]
pub(super) struct Budget(Arc<AtomicUsize>);

impl Budget {
    /// A budget of `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(bytes)))
    }

    /// Sets it to `bytes` again.
    pub(super) fn renew(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Takes up to `wanted` bytes: how many there were, and whether that was the last of them.
    fn take(&self, wanted: usize) -> (usize, bool) {
        let had = self.0.load(Ordering::Relaxed);
        let taken = wanted.min(had);
        self.0.store(had - taken, Ordering::Relaxed);
        (taken, taken > 0 && taken == had)
    }
}

impl SkillLog {
    /// A log at `path` that keeps what `budget` allows, and takes lines that begin with `token` as the
    /// launcher's.
    pub(super) fn new(path: &Path, token: &str, budget: Budget) -> Self {
        let secrets = Secrets::default();
        Self { path: path.to_owned(), token: token.to_owned(), budget, secrets }
    }

    /// The same without these secrets.
    pub(super) fn without(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    /// What it may still keep.
    pub(super) fn budget(&self) -> Budget {
        self.budget.clone()
    }

    /// Reads to the end. A file that can't be written costs the log and not the call.
    pub(super) async fn follow(self, stderr: impl AsyncRead + Unpin) -> Heard {
        let mut stderr = BufReader::new(stderr);
        let mut heard = Heard::default();
        let mut line = Vec::new();
        while matches!((&mut stderr).take(PIECE).read_until(b'\n', &mut line).await, Ok(1..)) {
            match self.report(&line) {
                Some(not_started) => heard.not_started = Some(not_started),
                None => self.keep(&line, &mut heard),
            }
            line.clear();
        }
        heard
    }

    fn report(&self, line: &[u8]) -> Option<NotStarted> {
        serde_json::from_slice(line.strip_prefix(self.token.as_bytes())?).ok()
    }

    fn keep(&self, line: &[u8], heard: &mut Heard) {
        let text = String::from_utf8_lossy(line);
        let clean = self.secrets.redact(&text);
        let line = if clean == text { line } else { clean.as_bytes() };
        let text: String = clean.trim().chars().filter(|c| !c.is_control()).collect();
        if !text.is_empty() {
            heard.last_line = text.chars().take(LAST_LINE_CHARS).collect();
        }
        let (kept, last) = self.budget.take(line.len());
        if kept == 0 {
            return;
        }
        let rest: &[u8] = if last { b"\n(the rest of this call's log was cut)\n" } else { b"" };
        // A short write into the page cache, which is cheaper than handing it to another thread.
        if let Err(error) = self.append(&[&line[..kept], rest].concat()) {
            tracing::warn!(log = %self.path.display(), %error, "cannot write a skill's log");
            self.budget.renew(0);
        }
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        if fs::metadata(&self.path).is_ok_and(|file| file.len() >= ROTATE_BYTES) {
            let mut aside = self.path.clone().into_os_string();
            aside.push(".1");
            fs::rename(&self.path, aside)?;
        }
        File::options().append(true).create(true).open(&self.path)?.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn follow(text: &[u8], budget: usize) -> (Heard, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skill.log");
        let heard = SkillLog::new(&path, "TOKEN", Budget::new(budget)).follow(text).await;
        (heard, fs::read_to_string(path).unwrap_or_default())
    }

    #[tokio::test]
    async fn the_last_line_that_says_something_is_remembered() {
        let (heard, log) = follow(b"one\n\x1b[31mtwo\n \n\n", 100).await;
        assert_eq!(heard.last_line, "[31mtwo");
        assert_eq!(log, "one\n\x1b[31mtwo\n \n\n");
    }

    #[tokio::test]
    async fn no_secret_stays_in_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skill.log");
        let log = SkillLog::new(&path, "TOKEN", Budget::new(100));
        let log = log.without(Secrets::new([("X_TOKEN", "hunter2!")]));
        let heard = log.follow(&b"\xff plain\nit is hunter2! there\n"[..]).await;
        assert_eq!(heard.last_line, "it is [secret] there");
        assert_eq!(fs::read(path).unwrap(), b"\xff plain\nit is [secret] there\n");
    }

    #[tokio::test]
    async fn a_log_is_cut_at_its_budget() {
        let (heard, log) = follow(&b"0123456789\n".repeat(10_000), 25).await;
        assert_eq!(heard.last_line, "0123456789");
        assert_eq!(log, "0123456789\n0123456789\n012\n(the rest of this call's log was cut)\n");
    }

    #[tokio::test]
    async fn a_line_without_an_end_takes_no_memory() {
        let (heard, log) = follow(&vec![b'x'; 1_000_000], 20_000).await;
        assert_eq!(heard.last_line.len(), LAST_LINE_CHARS);
        assert!(log.len() < 20_100);
    }

    #[tokio::test]
    async fn a_report_with_the_token_is_the_launchers() {
        let (heard, log) =
            follow(b"TOKEN {\"why\":\"w\",\"fix\":\"f\"}\nTOKE {\"why\":\"x\"}\n", 100).await;
        assert_eq!(heard.not_started, Some(NotStarted::new("w", "f")));
        assert_eq!(log, "TOKE {\"why\":\"x\"}\n");
    }

    #[tokio::test]
    async fn a_full_log_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skill.log");
        fs::write(&path, vec![b'o'; 1024 * 1024]).unwrap();
        SkillLog::new(&path, "T", Budget::new(100)).follow(&b"new\n"[..]).await;
        assert_eq!(fs::read(&path).unwrap(), b"new\n");
        assert_eq!(fs::metadata(folder.path().join("skill.log.1")).unwrap().len(), ROTATE_BYTES);
    }
}
