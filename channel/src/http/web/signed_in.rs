//! Who is signed in on the page: `workspace/web.json`. The agent and its command line both write it, each under a lock.

use std::fs::File as Opened;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use conversation::workspace::Workspace;
use document::{File, Json, Notices, SaveError};
use mind::links::{CodeError, Sign};
use protocol::Millis;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// How long a sign-in lasts that nobody uses.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How many may be signed in. The next one takes the place of the one that was used least lately.
const MOST: usize = 32;

/// How much of what a browser calls itself is kept, in characters.
const BROWSER: usize = 120;

/// A use is written down again after this.
const USED_AGAIN: Duration = Duration::from_secs(10 * 60);

/// A browser that is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    /// What people call it by.
    pub id: String,
    /// The SHA-256 of what it shows, in hexadecimal digits.
    hash: String,
    /// Since when.
    pub since: Millis,
    /// When it was used last, up to ten minutes.
    pub used: Millis,
    /// What the browser calls itself.
    pub browser: String,
}

/// A link that was used and has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Used {
    number: String,
    until: Millis,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Book {
    sessions: Vec<SignedIn>,
    used: Vec<Used>,
}

impl Json for Book {
    const LIMIT: u64 = 1024 * 1024;
}

/// All who are signed in.
#[derive(Debug)]
pub struct SignIns {
    book: File<Book>,
    lock: PathBuf,
}

impl SignIns {
    /// Those of this workspace.
    #[must_use]
    pub fn of(workspace: &Workspace) -> Self {
        Self::at(workspace.folder(), workspace.notices())
    }

    /// The same, where nobody hears what is wrong with the file but whoever changes it.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self::at(folder, &Notices::default())
    }

    fn at(folder: &Path, notices: &Notices) -> Self {
        Self { book: File::new(folder.join("web.json"), notices), lock: folder.join("web.lock") }
    }

    /// Uses a link up, and gives what the browser shows from now on.
    ///
    /// # Errors
    /// [`CodeError::Used`].
    pub(super) fn begin(
        &self,
        sign: &Sign,
        browser: &str,
        now: Millis,
    ) -> Result<String, CodeError> {
        let secret =
            [Uuid::new_v4(), Uuid::new_v4()].map(|half| half.simple().to_string()).concat();
        let entry = SignedIn {
            id: Uuid::new_v4().simple().to_string()[..8].to_owned(),
            hash: hash(&secret),
            since: now,
            used: now,
            browser: browser.chars().filter(|c| !c.is_control()).take(BROWSER).collect(),
        };
        self.change(|book| {
            book.forget(now);
            if book.used.iter().any(|used| used.number == sign.number) {
                return Err(CodeError::Used);
            }
            book.used.push(Used { number: sign.number.clone(), until: sign.until });
            book.sessions.push(entry);
            if book.sessions.len() > MOST {
                book.sessions.sort_by_key(|session| session.used);
                book.sessions.remove(0);
            }
            Ok(secret)
        })
        .map(|(secret, _)| secret)
    }

    /// Whoever shows `secret`.
    pub(super) fn who(&self, secret: &str, now: Millis) -> Option<SignedIn> {
        let hash = hash(secret);
        let book = self.book.read();
        let mut all = book.sessions.iter().filter(|session| session.is_good(now));
        // A hash of 244 random bits: by how long the comparison takes nobody learns anything of use.
        all.find(|session| session.hash == hash).cloned()
    }

    /// Whether `id` is still signed in.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        let now = Millis::of_this_machine();
        self.book.read().sessions.iter().any(|session| session.id == id && session.is_good(now))
    }

    /// Writes down that `who` is here, if that was not done lately.
    pub(super) fn is_here(&self, who: &SignedIn, now: Millis) {
        if now.since(who.used) < USED_AGAIN {
            return;
        }
        let seen = |book: &mut Book| {
            let mut all = book.sessions.iter_mut();
            if let Some(session) = all.find(|session| session.id == who.id) {
                session.used = now;
            }
            Ok::<_, CodeError>(())
        };
        // What is not written down is seen again at the next use.
        let _ = self.change(seen);
    }

    /// All, the first one first.
    #[must_use]
    pub fn all(&self) -> Vec<SignedIn> {
        let now = Millis::of_this_machine();
        let mut all = self.book.read().sessions.clone();
        all.retain(|session| session.is_good(now));
        all.sort_by_key(|session| session.since);
        all
    }

    /// Signs out whoever `is_meant`, and gives their ids.
    ///
    /// # Errors
    /// [`SaveError`]: a process that holds the file in memory does not learn of it.
    pub fn sign_out(&self, is_meant: impl Fn(&SignedIn) -> bool) -> Result<Vec<String>, SaveError> {
        let out = |book: &mut Book| {
            let gone = book.sessions.iter().filter(|session| is_meant(session));
            let gone = gone.map(|session| session.id.clone()).collect();
            book.sessions.retain(|session| !is_meant(session));
            Ok::<_, CodeError>(gone)
        };
        let (gone, saved) = self.change(out).unwrap_or_else(|_| (Vec::new(), Ok(())));
        saved.map(|()| gone)
    }

    /// Changes the book while no other process does. On a disk that takes nothing it holds in memory.
    fn change<R>(
        &self,
        change: impl FnOnce(&mut Book) -> Result<R, CodeError>,
    ) -> Result<(R, Result<(), SaveError>), CodeError> {
        let held = self.hold().inspect_err(|error| tracing::warn!(%error, "web.lock is not held"));
        let (given, saved) = self.book.change(change)?;
        drop(held);
        if let Err(error) = &saved {
            tracing::warn!("who is signed in is kept in memory only: {error}");
        }
        Ok((given, saved))
    }

    /// Waits for the lock; whoever holds it does so for one change.
    fn hold(&self) -> io::Result<Opened> {
        let mut options = Opened::options();
        let file = options.create(true).write(true).truncate(false).open(&self.lock)?;
        file.lock()?;
        Ok(file)
    }
}

impl Book {
    fn forget(&mut self, now: Millis) {
        self.used.retain(|used| used.until > now);
        self.sessions.retain(|session| session.is_good(now));
    }
}

impl SignedIn {
    fn is_good(&self, now: Millis) -> bool {
        now.since(self.used) < UNUSED
    }
}

fn hash(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_800_000_000_000);

    fn sign(number: &str) -> Sign {
        Sign { number: number.to_owned(), until: NOW.after(Duration::from_secs(600)) }
    }

    #[test]
    fn a_link_signs_in_once_also_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let open = || SignIns::of(&Workspace::open(folder.path()));
        let secret = open().begin(&sign("a"), "Firefox\n", NOW).unwrap();
        assert_eq!(open().begin(&sign("a"), "Firefox", NOW), Err(CodeError::Used));
        let who = open().who(&secret, NOW).unwrap();
        assert_eq!(who.browser, "Firefox");
        assert_eq!(open().who("", NOW), None);
        assert_eq!(open().who(&hash(&secret), NOW), None);
        let stands = std::fs::read_to_string(folder.path().join("web.json")).unwrap();
        assert!(!stands.contains(&secret), "{stands}");
    }

    #[test]
    fn who_is_signed_out_elsewhere_is_out_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (agent, line) = (
            SignIns::of(&Workspace::open(folder.path())),
            SignIns::of(&Workspace::open(folder.path())),
        );
        let now = Millis::of_this_machine();
        let [one, other] = ["a", "b"].map(|number| agent.begin(&sign(number), "x", now).unwrap());
        let who = agent.who(&one, now).unwrap();
        assert_eq!(
            line.sign_out(|session| session.id == who.id).unwrap(),
            std::slice::from_ref(&who.id)
        );
        assert!(agent.who(&one, now).is_none() && !agent.has(&who.id));
        assert!(agent.who(&other, now).is_some());
        // What the other one writes is not lost.
        agent.begin(&sign("c"), "x", now).unwrap();
        assert_eq!(line.all().len(), 2);
    }

    #[test]
    fn a_sign_in_that_nobody_uses_ends() {
        let folder = tempfile::tempdir().unwrap();
        let signs = SignIns::of(&Workspace::open(folder.path()));
        let secret = signs.begin(&sign("a"), "x", NOW).unwrap();
        let later = NOW.after(UNUSED - Duration::from_secs(1));
        let who = signs.who(&secret, later).unwrap();
        signs.is_here(&who, later);
        assert!(signs.who(&secret, NOW.after(UNUSED)).is_some());
        assert!(signs.who(&secret, later.after(UNUSED)).is_none());
    }
}
