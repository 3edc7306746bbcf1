//! router/policy.toml, and router/governance.json beside it, as they are at the moment.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::Policy;
use super::fault::PolicyError;
use super::governed;
use super::read::{Checked, read};
use super::rules::DEFAULT;

/// The largest policy file, in bytes.
const LIMIT: u64 = 256 * 1024;

/// How often the file is looked at, at most; and how long nobody may have written to it before it counts. Half a
/// policy can be a looser one: the rule that refuses may stand in the half that is still to come.
const QUIET: Duration = Duration::from_millis(250);

/// The policy file, and what governs this machine beside it. What the owner changes there counts without a restart; what can't be read does not, and then the
/// policy before stays in force.
#[derive(Debug)]
pub struct PolicyFile {
    path: PathBuf,
    seen: Mutex<Seen>,
}

/// What is known of the file.
#[derive(Debug)]
struct Seen {
    /// What was read last and holds.
    policy: Policy,
    file: Known,
    governance: Known,
    looked: Instant,
}

/// What is known of the states of one file.
#[derive(Debug)]
struct Known {
    /// The one that was dealt with last, good or bad.
    dealt_with: Option<Stamp>,
    /// One that is not dealt with yet, and since when it is known.
    fresh: Option<(Option<Stamp>, Instant)>,
}

/// What changes when the file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl PolicyFile {
    /// The folder that it stands in: router/.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Reads the policy in `path`; a file that is missing means [`DEFAULT`].
    ///
    /// # Errors
    /// [`PolicyError`] with everything that is wrong. Nothing may run then.
    pub fn open(path: &Path) -> Result<Self, PolicyError> {
        let (file, governance) = (Known::of(path), Known::of(&beside(path)));
        let Checked { rules, warnings } = load(path)?;
        for warning in &warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        let governed = governed::governance(&beside(path)).unwrap_or_else(|error| {
            tracing::warn!("{error}; until it is mended nothing of this machine is read or run");
            governance::Governance::closed()
        });
        let policy = Policy::new(rules).governed_by(governed);
        let seen = Seen { policy, file, governance, looked: Instant::now() };
        Ok(Self { path: path.to_owned(), seen: Mutex::new(seen) })
    }

    /// The policy in force. It looks at the file at most four times a second.
    #[must_use]
    pub fn current(&self) -> Policy {
        // Poisoned, it is still whole: it is changed in single steps.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.looked.elapsed() >= QUIET {
            seen.looked = Instant::now();
            seen.look(&self.path);
        }
        seen.policy.clone()
    }
}

/// router/governance.json, for the policy in `path`.
fn beside(path: &Path) -> PathBuf {
    path.with_file_name("governance.json")
}

impl Known {
    fn of(path: &Path) -> Self {
        Self { dealt_with: stamp(path), fresh: None }
    }

    /// What `read` brings, if the file at `path` has changed and nobody writes to it any more.
    fn changed<T>(&mut self, path: &Path, read: impl FnOnce() -> T) -> Option<T> {
        let now = stamp(path);
        if now == self.dealt_with {
            self.fresh = None;
            return None;
        }
        let since = match self.fresh {
            Some((known, since)) if known == now => since,
            _ => Instant::now(),
        };
        self.fresh = Some((now, since));
        if since.elapsed() < QUIET && !now.is_some_and(Stamp::is_quiet) {
            return None;
        }
        let read = read();
        // What was read may be newer than the look before it.
        if stamp(path) != now {
            return None;
        }
        (self.dealt_with, self.fresh) = (now, None);
        Some(read)
    }
}

impl Seen {
    fn look(&mut self, path: &Path) {
        let read = || contents(path)?.map(|text| parse(path, &text)).transpose();
        if let Some(read) = self.file.changed(path, read) {
            self.take(read, path);
        }
        let beside = beside(path);
        match self.governance.changed(&beside, || governed::governance(&beside)) {
            None => {}
            Some(Ok(governance)) => {
                tracing::info!("{} has changed and is in force", beside.display());
                self.policy = self.policy.clone().governed_by(governance);
            }
            Some(Err(error)) => {
                tracing::warn!("{error}; what was read before stays in force");
            }
        }
    }

    fn take(&mut self, read: Result<Option<Checked>, PolicyError>, path: &Path) {
        const KEPT: &str = "the policy that was read before stays in force";
        match read {
            Ok(Some(Checked { rules, .. })) if rules.version == self.policy.rules.version => {
                tracing::info!("{} is again as it was read before", path.display());
            }
            Ok(Some(Checked { rules, warnings })) => {
                tracing::info!("{} has changed and is in force", path.display());
                for warning in &warnings {
                    tracing::warn!("{}: {warning}", path.display());
                }
                let governance = self.policy.governance.clone();
                self.policy = Policy::new(rules).governed_by(governance);
            }
            Ok(None) => tracing::warn!("{} is gone; {KEPT}", path.display()),
            Err(error) => tracing::warn!("{:#}; {KEPT}", anyhow::Error::new(error)),
        }
    }
}

impl Stamp {
    fn of(facts: &Metadata) -> Self {
        Self {
            file: (facts.dev(), facts.ino()),
            size: facts.size(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        }
    }

    /// Whether the last write to it is long ago, as far as this machine's clock can tell.
    fn is_quiet(self) -> bool {
        let (Ok(seconds), Ok(nanos)) =
            (u64::try_from(self.modified.0), u32::try_from(self.modified.1))
        else {
            return false;
        };
        let written = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos));
        let age = written.and_then(|written| SystemTime::now().duration_since(written).ok());
        age.is_some_and(|age| age >= QUIET)
    }
}

/// The policy in `path`; a file that is missing means [`DEFAULT`].
pub(crate) fn load(path: &Path) -> Result<Checked, PolicyError> {
    match contents(path)? {
        Some(text) => parse(path, &text),
        None => parse(path, DEFAULT),
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    fs::metadata(path).ok().as_ref().map(Stamp::of)
}

fn contents(path: &Path) -> Result<Option<String>, PolicyError> {
    let bytes = home::file::read(path, LIMIT)?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| PolicyError::NotText(path.to_owned()))
}

fn parse(path: &Path, text: &str) -> Result<Checked, PolicyError> {
    read(text).map_err(|faults| PolicyError::Broken { path: path.to_owned(), faults })
}

#[cfg(test)]
mod tests {
    use testkit::{TempHome, wait_until};

    use super::*;
    use crate::policy::Limits;

    const FILE: &str = "router/policy.toml";

    fn with(per_minute: u32) -> String {
        format!("[effects]\nnone = 'allow'\n[limits]\nper_minute = {per_minute}\n")
    }

    fn opened() -> (TempHome, PolicyFile) {
        let home = TempHome::new();
        home.put(FILE, with(1));
        let file = PolicyFile::open(&home.root().join(FILE)).unwrap();
        (home, file)
    }

    fn per_minute(file: &PolicyFile) -> u32 {
        file.current().limits().per_minute
    }

    /// Looks until it has dealt with the file as it is.
    fn dealt_with(file: &PolicyFile) {
        wait_until("the file is dealt with", || {
            let _ = file.current();
            file.seen.lock().unwrap().file.dealt_with == stamp(&file.path)
        });
    }

    #[test]
    fn a_change_counts_without_a_restart_and_what_is_broken_does_not() {
        let (home, file) = opened();
        let version = file.current().version().to_owned();
        home.put(FILE, with(2));
        wait_until("the new limit counts", || per_minute(&file) == 2);
        assert_ne!(file.current().version(), version);
        for broken in [&b"[effects]\nnone = 'alow'\n"[..], b"[effects", b"\xff", b""] {
            home.put(FILE, broken);
            dealt_with(&file);
            assert_eq!(per_minute(&file), 2);
        }
        fs::remove_file(home.root().join(FILE)).unwrap();
        dealt_with(&file);
        assert_eq!(per_minute(&file), 2);
        home.put(FILE, with(3));
        wait_until("what was mended counts", || per_minute(&file) == 3);
    }

    #[test]
    fn lists_of_commands_count_without_a_restart_and_broken_ones_do_not() {
        let (home, file) = opened();
        let lists = "router/governance.json";
        let rules = |line: &str| file.current().governance.judge(line).ruling();
        assert_eq!(rules("ls"), governance::Ruling::Allow);
        let version = file.current().version().to_owned();
        home.put(lists, r#"{"commands": {"allow": ["pwd"]}}"#);
        wait_until("the new list counts", || rules("ls") == governance::Ruling::Deny);
        assert_ne!(file.current().version(), version);
        home.put(lists, r#"{"commands": {"allowed": ["ls"]}}"#);
        wait_until("the file is dealt with", || {
            let _ = file.current();
            file.seen.lock().unwrap().governance.dealt_with == stamp(&beside(&file.path))
        });
        assert_eq!(rules("pwd"), governance::Ruling::Allow);
        assert_eq!(rules("ls"), governance::Ruling::Deny);
        // Broken at the start, nothing runs.
        let file = PolicyFile::open(&home.root().join(FILE)).unwrap();
        let ruling = |line: &str| file.current().governance.judge(line).ruling();
        assert_eq!(ruling("pwd"), governance::Ruling::Deny);
    }

    #[test]
    fn what_may_still_be_written_to_does_not_count_yet() {
        let (home, file) = opened();
        let mut seen = file.seen.lock().unwrap();
        home.put(FILE, "[effects]\nexternal = 'allow'\n");
        // Its clock stands in the future, so that only a second look can tell that it is whole.
        let written = fs::File::options().append(true).open(&file.path).unwrap();
        written.set_modified(SystemTime::now() + Duration::from_secs(3_600)).unwrap();
        seen.look(&file.path);
        assert_eq!(seen.policy.limits().per_minute, 1);
        home.put(FILE, "[effects]\nexternal = 'allow'\n[[rules]]\naction = 'A'\nthen = 'refuse'\n");
        drop(seen);
        dealt_with(&file);
        assert_eq!(file.current().limits(), Limits::default());
    }

    #[test]
    fn one_that_is_missing_at_the_start_is_that_of_a_fresh_install_and_a_broken_one_is_none() {
        let home = TempHome::new();
        let path = home.root().join(FILE);
        let fresh = PolicyFile::open(&path).unwrap();
        assert_eq!(fresh.current().rules.version, read(DEFAULT).unwrap().rules.version);
        home.put(FILE, "[effects]\nnone = 'alow'\nlocal = 'ak'\n");
        let error = PolicyFile::open(&path).unwrap_err().to_string();
        assert!(error.contains("\n  line 2 (none = 'alow'): "), "{error}");
        assert!(error.contains("\n  line 3 (local = 'ak'): "), "{error}");
    }
}
