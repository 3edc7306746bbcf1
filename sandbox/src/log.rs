//! A skill's log: what it writes on stderr, kept in a file that cannot grow without bound.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrets::Secrets;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::NotStarted;

/// The size at which a log is set aside as `<name>.1`, in the place of the one before.
pub const ROTATE_BYTES: u64 = 1024 * 1024;

/// How much is searched and written at once, at most: many short lines, or a piece of one that is longer.
const BLOCK: usize = 16 * 1024;

/// How long nothing is read after each block that is thrown away: a skill that has used up its budget waits for that, and not
/// the calls of others.
const PAUSE: Duration = Duration::from_millis(1);

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
    /// What may be the beginning of a secret whose rest is yet to come.
    held: Vec<u8>,
}

/// What of one call may still be kept, and what stands in front of it. Whoever holds a clone can let the next call of a
/// warm skill begin.
#[derive(Debug, Clone)]
pub(super) struct Budget(Arc<Left>);

#[derive(Debug, Default)]
struct Left {
    /// How many bytes may still be kept.
    bytes: AtomicUsize,
    /// The line that says whose words follow, until it is written.
    mark: Mutex<String>,
}

impl Budget {
    /// A budget of `bytes` for a call with this `mark`.
    pub(super) fn new(bytes: usize, mark: &str) -> Self {
        let left = Self(Arc::default());
        left.renew(bytes, mark);
        left
    }

    /// Lets the next call begin.
    pub(super) fn renew(&self, bytes: usize, mark: &str) {
        self.spend_all_but(bytes);
        mark.clone_into(&mut self.0.mark.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn spend_all_but(&self, bytes: usize) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
    }

    /// The mark, once.
    fn take_mark(&self) -> String {
        std::mem::take(&mut self.0.mark.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether nothing is left of it.
    fn is_spent(&self) -> bool {
        self.0.bytes.load(Ordering::Relaxed) == 0
    }

    /// Takes up to `wanted` bytes: how many there were, and whether that was the last of them.
    fn take(&self, wanted: usize) -> (usize, bool) {
        let had = self.0.bytes.load(Ordering::Relaxed);
        let taken = wanted.min(had);
        self.0.bytes.store(had - taken, Ordering::Relaxed);
        (taken, taken > 0 && taken == had)
    }
}

impl SkillLog {
    /// A log at `path` that keeps what `budget` allows, and takes lines that begin with `token` as the
    /// launcher's.
    pub(super) fn new(path: &Path, token: &str, budget: Budget) -> Self {
        let secrets = Secrets::default();
        Self { path: path.to_owned(), token: token.to_owned(), budget, secrets, held: Vec::new() }
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
    pub(super) async fn follow(mut self, mut stderr: impl AsyncRead + Unpin) -> Heard {
        let mut heard = Heard::default();
        let mut last = Vec::new();
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            let room = (BLOCK - block.len()) as u64;
            let is_over = !matches!((&mut stderr).take(room).read_buf(&mut block).await, Ok(1..));
            let whole = match block.iter().rposition(|byte| *byte == b'\n') {
                Some(end) => end + 1,
                // A line that goes on is waited for, as long as there is room.
                None if is_over || block.len() == BLOCK => block.len(),
                None => continue,
            };
            let was_kept = self.take(&block[..whole], &mut heard, &mut last);
            block.drain(..whole);
            if is_over {
                self.take(&block, &mut heard, &mut last);
                let held = std::mem::take(&mut self.held);
                self.write(&held);
                break;
            }
            if !was_kept {
                tokio::time::sleep(PAUSE).await;
            }
        }
        heard.last_line = readable(&self.secrets.redact(&String::from_utf8_lossy(&last)));
        heard
    }

    /// Takes whole lines in; `false` when nothing of a log is kept any more.
    fn take(&mut self, lines: &[u8], heard: &mut Heard, last: &mut Vec<u8>) -> bool {
        let mut others = Vec::with_capacity(lines.len());
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            match self.report(line) {
                Some(not_started) => heard.not_started = Some(not_started),
                None => others.extend_from_slice(line),
            }
        }
        let says = |line: &&[u8]| !readable(&String::from_utf8_lossy(line)).is_empty();
        if let Some(line) = others.split(|byte| *byte == b'\n').rev().find(says) {
            line.clone_into(last);
        }
        self.keep(&others)
    }

    fn report(&self, line: &[u8]) -> Option<NotStarted> {
        serde_json::from_slice(line.strip_prefix(self.token.as_bytes())?).ok()
    }

    /// Writes lines down, but for an end that may be the beginning of a secret.
    fn keep(&mut self, lines: &[u8]) -> bool {
        if lines.is_empty() || self.budget.is_spent() {
            return lines.is_empty();
        }
        self.held.extend_from_slice(lines);
        let all = text(&self.held);
        let end = self.secrets.open_end(&all).unwrap_or(all.len());
        let rest = bytes(&all[end..]);
        self.write(&all.as_bytes()[..end]);
        self.held = rest;
        true
    }

    fn write(&self, lines: &[u8]) -> bool {
        if lines.is_empty() {
            return true;
        }
        let lines = bytes(&self.secrets.redact(&text(lines)));
        let (kept, last) = self.budget.take(lines.len());
        let rest: &[u8] = if last { b"\n(the rest of this call's log was cut)\n" } else { b"" };
        // A short write into the page cache, which is cheaper than handing it to another thread.
        let mark = if kept > 0 { self.budget.take_mark() } else { String::new() };
        if let Err(error) = self.append(&[mark.as_bytes(), &lines[..kept], rest].concat()) {
            tracing::warn!(%error, "cannot write the log {}", self.path.display());
            self.budget.spend_all_but(0);
        }
        true
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

/// Where bytes that are no UTF-8 stand while a text is searched: 256 characters of Unicode's private use area.
const NO_TEXT: u32 = 0xF700;

/// All of `lines` as a text.
fn text(lines: &[u8]) -> String {
    let mut text = String::with_capacity(lines.len());
    for chunk in lines.utf8_chunks() {
        text.push_str(chunk.valid());
        let stand_ins = chunk.invalid().iter();
        text.extend(stand_ins.filter_map(|&byte| char::from_u32(NO_TEXT + u32::from(byte))));
    }
    text
}

/// The bytes that [`text`] was made of.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(u32::from(c).wrapping_sub(NO_TEXT)) {
            Ok(byte) => bytes.push(byte),
            Err(_) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// What a person may read of a line.
fn readable(line: &str) -> String {
    line.trim().chars().filter(|c| !c.is_control()).take(LAST_LINE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    async fn follow(text: &[u8], budget: usize) -> (Heard, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skill.log");
        let heard = SkillLog::new(&path, "TOKEN", Budget::new(budget, "")).follow(text).await;
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
        let log = SkillLog::new(&path, "TOKEN", Budget::new(100, ""));
        let log = log.without(Secrets::new([("X_TOKEN", "hunter2!")]));
        let heard = log.follow(&b"\xff plain\nit is hunter2! there\n"[..]).await;
        assert_eq!(heard.last_line, "it is [secret] there");
        assert_eq!(fs::read(path).unwrap(), b"\xff plain\nit is [secret] there\n");
    }

    #[tokio::test]
    async fn whose_words_they_are_stands_once_in_front_and_nowhere_if_there_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skill.log");
        for (words, mark) in [("a\nb\n", "── one\n"), ("", "── two\n"), ("c\n", "── three\n")]
        {
            let log = SkillLog::new(&path, "TOKEN", Budget::new(100, mark));
            log.follow(words.as_bytes()).await;
        }
        assert_eq!(fs::read_to_string(path).unwrap(), "── one\na\nb\n── three\nc\n");
    }

    #[tokio::test]
    async fn a_log_is_cut_at_its_budget() {
        let (heard, log) = follow(&b"0123456789\n".repeat(10_000), 25).await;
        assert_eq!(heard.last_line, "0123456789");
        assert_eq!(log, "0123456789\n0123456789\n012\n(the rest of this call's log was cut)\n");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_waits_once_it_has_used_up_its_budget() {
        let began = tokio::time::Instant::now();
        let flood = b"y\n".repeat(2_000_000);
        let (heard, log) = follow(&flood, 100_000).await;
        assert_eq!(heard.last_line, "y");
        assert!(log.len() < 100_100);
        // By the clock that goes on when nothing else can be done: others' calls can.
        let blocks = u32::try_from((flood.len() - 100_000) / BLOCK).unwrap();
        assert!(began.elapsed() >= PAUSE * blocks, "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn a_secret_over_two_lines_does_not_stay_in_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skill.log");
        let log = SkillLog::new(&path, "TOKEN", Budget::new(1000, ""));
        let log = log.without(Secrets::new([("X_TOKEN", "hunter2!hunter3!")]));
        log.follow(&b"it is hunter2!\nhunter3! there\n"[..]).await;
        let log = fs::read_to_string(path).unwrap();
        assert!(!log.contains("hunter"), "{log}");
    }

    #[tokio::test]
    async fn a_secret_over_two_lines_that_come_one_after_the_other_does_not_stay_either() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skill.log");
        let log = SkillLog::new(&path, "TOKEN", Budget::new(1000, ""));
        let log = log.without(Secrets::new([("X_TOKEN", "hunter2!hunter3!")]));
        let (mut skill, stderr) = tokio::io::duplex(1000);
        let following = tokio::spawn(log.follow(stderr));
        for (line, sure) in
            [("up\n", "up\n"), ("it is hunter2!\n", "it is "), ("hunter3! there\n", "")]
        {
            skill.write_all(line.as_bytes()).await.unwrap();
            while !fs::read_to_string(&path).unwrap_or_default().contains(sure) {
                tokio::time::sleep(PAUSE).await;
            }
        }
        drop(skill);
        following.await.unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "up\nit is [secret] there\n");
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
        SkillLog::new(&path, "T", Budget::new(100, "")).follow(&b"new\n"[..]).await;
        assert_eq!(fs::read(&path).unwrap(), b"new\n");
        assert_eq!(fs::metadata(folder.path().join("skill.log.1")).unwrap().len(), ROTATE_BYTES);
    }
}
