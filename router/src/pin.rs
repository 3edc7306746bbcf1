//! The owner's PIN: what it guards, which chats have entered it, and how often it was typed wrong.
//!
//! Its digest stands in router/pin.json, which the agent has no way to read. What was tried stands in the store, so that it counts
//! over restarts and for all routers together. All of it belongs to one digest: a new PIN begins afresh.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use protocol::{ActionName, Code, Command, Millis, Pin, Principal, Stopped};
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use shared::{self, PINS, Store, StoreFault};

/// What it guards, whatever the policy adds.
pub(crate) const GUARDED: [&str; 10] = [
    "EXEC",
    "READ_FILE",
    "GREP_FILES",
    "FIND_FILES",
    "SEND_FILE",
    "INDEX_DOC",
    "PUBLISH_DOC",
    "FORGET_DOC",
    "WORKBENCH",
    "_MODE",
];

/// How long a chat that has entered it need not enter it again.
const LASTS: Duration = Duration::from_secs(24 * 3_600);

/// How often it may be typed wrong in a row, and how long nothing is taken then.
const TRIES: u32 = 3;
const LOCKED: Duration = Duration::from_secs(3_600);

/// What a digest costs: 32 MiB and three passes (above OWASP's least for Argon2id).
const MEMORY_KIB: u32 = 32 * 1024;
const PASSES: u32 = 3;

/// Under which key of the table the tries stand. Chats stand under a digest of their principal.
const TRIED: &str = "tried";

/// The largest router/pin.json, in bytes.
const LIMIT: u64 = 4 * 1024;

/// The PIN of a home, with what all of its routers know of it.
#[derive(Debug)]
pub(crate) struct PinLock {
    path: PathBuf,
    store: Arc<dyn Store>,
}

/// Why a PIN can't be asked for, set or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PinError {
    #[error(transparent)]
    File(#[from] home::FileError),
    #[error("what is known of the PIN can't be used: {0}")]
    Store(#[from] StoreFault),
    #[error(
        "{} holds no digest of a PIN: `{}` sets it anew, `{}` takes it away", .0.display(),
        home::router_command("pin set"), home::router_command("pin remove")
    )]
    Broken(PathBuf),
    #[error("no digest can be made of the PIN: {0}")]
    Digest(String),
}

/// What became of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tried {
    /// It is the one; [`PinLock::keep`] has it count for its chat.
    Right(RightPin),
    /// It is not.
    Wrong {
        /// How many more may be wrong before it locks.
        left: u32,
    },
    /// Nothing is taken before then.
    Locked {
        /// When that ends.
        until: Millis,
        /// Whether this try has locked it.
        is_new: bool,
    },
}

/// That the PIN was typed, and which one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RightPin {
    of: String,
}

/// router/pin.json.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    argon2id: String,
}

/// How often it was typed wrong.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Tries {
    of: String,
    wrong: u32,
    until: Option<Millis>,
}

/// A chat that has entered it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Said {
    of: String,
    by: Principal,
    until: Millis,
}

impl PinLock {
    /// That of the home whose router folder is `router`.
    pub(crate) fn new(router: &Path, store: Arc<dyn Store>) -> Self {
        Self { path: file_in(router), store }
    }

    /// Whether `command` has to wait until its chat has entered the PIN.
    ///
    /// # Errors
    /// What to answer instead while nothing is taken, or what is known can't be read: then it is not run.
    pub(crate) async fn is_wanted(&self, command: &Command, now: Millis) -> Result<bool, Stopped> {
        let Some(digest) = self.digest().map_err(|error| unread(&error))? else { return Ok(false) };
        let (of, envelope) = (mark(&digest), &command.envelope);
        let owners = envelope.session.as_ref().is_some_and(protocol::SessionKey::is_owner);
        if let Some(principal) = envelope.principal.as_ref().filter(|_| owners) {
            let said = self.store.read(PINS, &key(principal)).await;
            let said = said.and_then(|seen| {
                shared::read_seen::<Said>((PINS, &key(principal)), seen.as_deref())
            });
            let said = said.map_err(|fault| unread(&fault.into()))?;
            if said.is_some_and(|said| said.of == of && said.by == *principal && said.until > now) {
                return Ok(false);
            }
        }
        match self.locked(now).await.map_err(|error| unread(&error))? {
            Some(until) => Err(locked(until, now)),
            None => Ok(true),
        }
    }

    /// Checks what was typed, and counts it. It counts as wrong before it is looked at: whoever ends the router in
    /// between has had that try, and of many tries at once no more than three are looked at.
    ///
    /// # Errors
    /// [`PinError`]; then it was not looked at.
    pub(crate) async fn check(&self, pin: Pin, now: Millis) -> Result<Tried, PinError> {
        let digest = self.digest()?.ok_or_else(|| PinError::Broken(self.path.clone()))?;
        let of = mark(&digest);
        let counted = shared::update(&*self.store, PINS, TRIED, |there: Option<Tries>| {
            let tries = there.filter(|tries| tries.of == of).unwrap_or_default();
            match tries.until {
                Some(until) if until > now => (Some(tries), Err(until)),
                over => {
                    let wrong = if over.is_some() { 1 } else { tries.wrong + 1 };
                    let until = (wrong >= TRIES).then(|| now.after(LOCKED));
                    (Some(Tries { of: of.clone(), wrong, until }), Ok((wrong, until)))
                }
            }
        });
        let (wrong, until) = match counted.await? {
            Ok(counted) => counted,
            Err(until) => return Ok(Tried::Locked { until, is_new: false }),
        };
        let checked = tokio::task::spawn_blocking(move || is_it(pin, &digest));
        if checked.await.map_err(|error| PinError::Digest(error.to_string()))? {
            self.store.remove(PINS, TRIED).await?;
            return Ok(Tried::Right(RightPin { of }));
        }
        Ok(match until {
            Some(until) => Tried::Locked { until, is_new: true },
            None => Tried::Wrong { left: TRIES - wrong },
        })
    }

    /// Has the chat of `by`, which has just entered the right one, go on without it for a day.
    ///
    /// # Errors
    /// [`PinError`].
    pub(crate) async fn keep(
        &self,
        right: RightPin,
        by: &Principal,
        now: Millis,
    ) -> Result<(), PinError> {
        let said = Said { of: right.of, by: by.clone(), until: now.after(LASTS) };
        let there = |_: Option<Said>| (Some(said.clone()), ());
        Ok(shared::update(&*self.store, PINS, &key(by), there).await?)
    }

    /// Until when nothing is taken, if that is so.
    ///
    /// # Errors
    /// [`PinError`].
    pub(crate) async fn locked(&self, now: Millis) -> Result<Option<Millis>, PinError> {
        let Some(digest) = self.digest()? else { return Ok(None) };
        let seen = self.store.read(PINS, TRIED).await?;
        let tries = shared::read_seen::<Tries>((PINS, TRIED), seen.as_deref())?;
        let tries = tries.filter(|tries| tries.of == mark(&digest));
        Ok(tries.and_then(|tries| tries.until).filter(|until| *until > now))
    }

    /// Forgets how often it was typed wrong; `false` when it never was.
    ///
    /// # Errors
    /// [`PinError`].
    pub(crate) async fn unlock(&self) -> Result<bool, PinError> {
        Ok(self.store.remove(PINS, TRIED).await?)
    }

    /// Whether one is set.
    ///
    /// # Errors
    /// [`PinError`] when router/pin.json can't be used.
    pub(crate) fn is_set(&self) -> Result<bool, PinError> {
        Ok(self.digest()?.is_some())
    }

    fn digest(&self) -> Result<Option<String>, PinError> {
        digest_in(&self.path)
    }
}

/// Whether one is set in the home whose router folder is `router`.
///
/// # Errors
/// [`PinError`] when router/pin.json can't be used.
pub(crate) fn is_set(router: &Path) -> Result<bool, PinError> {
    Ok(digest_in(&file_in(router))?.is_some())
}

fn file_in(router: &Path) -> PathBuf {
    router.join("pin.json")
}

/// The digest of the PIN in the file at `path`.
fn digest_in(path: &Path) -> Result<Option<String>, PinError> {
    let Some(bytes) = home::file::read(path, LIMIT)? else { return Ok(None) };
    let broken = || PinError::Broken(path.to_path_buf());
    let kept: Kept = serde_json::from_slice(&bytes).map_err(|_| broken())?;
    PasswordHash::new(&kept.argon2id).map_err(|_| broken())?;
    Ok(Some(kept.argon2id))
}

/// Has `pin` count from now on, in the home whose router folder is `router`.
///
/// # Errors
/// [`PinError`].
pub(crate) fn set(router: &Path, pin: Pin) -> Result<(), PinError> {
    let failed = |error: &dyn std::fmt::Display| PinError::Digest(error.to_string());
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).map_err(|error| failed(&error))?;
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let argon2id = argon.hash_password(pin.digits()).map_err(|error| failed(&error))?.to_string();
    let kept = serde_json::to_vec_pretty(&Kept { argon2id }).map_err(|error| failed(&error))?;
    Ok(home::file::write(&file_in(router), &kept)?)
}

/// Takes it away; `false` when there is none.
///
/// # Errors
/// [`PinError`].
pub(crate) fn remove(router: &Path) -> Result<bool, PinError> {
    let path = file_in(router);
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(home::FileError::new("remove", &path, error).into()),
    }
}

/// Whether `action` is behind the PIN, where the policy adds `more`.
pub(crate) fn guards(action: &ActionName, more: &[ActionName]) -> bool {
    GUARDED.contains(&action.as_str()) || more.contains(action)
}

/// What is answered while nothing is taken.
pub(crate) fn locked(until: Millis, now: Millis) -> Stopped {
    let minutes = until.since(now).as_secs().div_ceil(60);
    let unlock = home::router_command("pin unlock");
    let why = format!(
        "the PIN was typed wrong too often and is locked for {minutes} more minutes; `{unlock}` where the router runs unlocks it"
    );
    Stopped::new(Code::Budget, why)
}

/// What is answered where it can't be known whether a chat has entered the PIN.
pub(crate) fn unread(error: &PinError) -> Stopped {
    Stopped::new(Code::Internal, format!("{error}; so nothing was run"))
}

fn is_it(pin: Pin, digest: &str) -> bool {
    let Ok(digest) = PasswordHash::new(digest) else { return false };
    Argon2::default().verify_password(pin.digits(), &digest).is_ok()
}

/// What tells one digest from another without being it.
fn mark(digest: &str) -> String {
    Digest::of(digest.as_bytes()).to_string()
}

fn key(principal: &Principal) -> String {
    Digest::of(principal.as_str().as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::Folder;

    const NOW: Millis = Millis(1_800_000_000_000);

    /// A router's folder with the PIN 493817, and a lock that knows nothing yet.
    fn locked_with(folder: &Path) -> PinLock {
        set(folder, typed("493817")).unwrap();
        lock(folder)
    }

    /// What a router that is started now knows.
    fn lock(folder: &Path) -> PinLock {
        PinLock::new(folder, Arc::new(Folder::at(folder.join("state"))))
    }

    fn typed(pin: &str) -> Pin {
        Pin::typed(pin).unwrap()
    }

    fn owner(channel: &str) -> Principal {
        Principal::new(format!("{channel}:owner")).unwrap()
    }

    /// What `/exec` asks of a router in a chat of the owner's.
    fn command(channel: &str, session: &str) -> Command {
        let command = serde_json::json!({
            "action": "EXEC", "message_id": "m", "params": {}, "session": session, "principal": owner(channel),
        });
        Command::from_bytes(command.to_string().as_bytes()).unwrap()
    }

    async fn tried(lock: &PinLock, pin: &str, now: Millis) -> Tried {
        let tried = lock.check(typed(pin), now).await.unwrap();
        if let Tried::Right(right) = &tried {
            lock.keep(right.clone(), &owner("console"), now).await.unwrap();
        }
        tried
    }

    fn is_right(tried: &Tried) -> bool {
        matches!(tried, Tried::Right(_))
    }

    #[tokio::test]
    async fn a_chat_enters_it_once_a_day_and_no_other_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let lock = locked_with(folder.path());
        let is_wanted =
            async |channel, session, now| lock.is_wanted(&command(channel, session), now).await;
        assert!(is_wanted("console", "owner", NOW).await.unwrap());
        assert!(is_right(&lock.check(typed("493817"), NOW).await.unwrap()));
        assert!(is_wanted("console", "owner", NOW).await.unwrap(), "it is not kept yet");
        assert!(is_right(&tried(&lock, "493817", NOW).await));
        assert!(!is_wanted("console", "owner", NOW).await.unwrap());
        assert!(is_wanted("telegram", "owner", NOW).await.unwrap(), "another chat");
        assert!(is_wanted("console", "telegram-7", NOW).await.unwrap(), "not the owner's session");
        assert!(
            !is_wanted("console", "owner", NOW.after(LASTS - Duration::from_secs(1)))
                .await
                .unwrap()
        );
        assert!(is_wanted("console", "owner", NOW.after(LASTS)).await.unwrap(), "a day is over");
        set(folder.path(), typed("493817")).unwrap();
        assert!(is_wanted("console", "owner", NOW).await.unwrap(), "it was set anew");
        assert!(remove(folder.path()).unwrap() && !remove(folder.path()).unwrap());
        assert!(!is_wanted("console", "owner", NOW).await.unwrap(), "there is none");
    }

    #[tokio::test]
    async fn three_wrong_ones_in_a_row_lock_it_for_an_hour_and_for_every_router() {
        let folder = tempfile::tempdir().unwrap();
        let first = locked_with(folder.path());
        assert_eq!(tried(&first, "000000", NOW).await, Tried::Wrong { left: 2 });
        assert_eq!(tried(&first, "4938", NOW).await, Tried::Wrong { left: 1 });
        assert!(is_right(&tried(&first, "493817", NOW).await), "and it begins afresh");
        for left in [2, 1] {
            assert_eq!(tried(&first, "000000", NOW).await, Tried::Wrong { left });
        }
        let until = NOW.after(LOCKED);
        let next = lock(folder.path());
        assert_eq!(tried(&next, "000000", NOW).await, Tried::Locked { until, is_new: true });
        assert_eq!(tried(&next, "493817", NOW).await, Tried::Locked { until, is_new: false });
        let other = command("telegram", "owner");
        let refused = next.is_wanted(&other, NOW).await.unwrap_err();
        assert!(refused.message.contains("locked for 60 more minutes"), "{}", refused.message);
        assert!(
            !next.is_wanted(&command("console", "owner"), NOW).await.unwrap(),
            "it has entered it"
        );
        assert_eq!(tried(&next, "000000", until).await, Tried::Wrong { left: 2 }, "an hour later");
        assert!(next.unlock().await.unwrap() && !next.unlock().await.unwrap());
        assert!(is_right(&tried(&next, "493817", until).await));
    }

    #[tokio::test]
    async fn of_many_tries_at_once_three_are_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let lock = locked_with(folder.path());
        let wrong = |pin| tried(&lock, pin, NOW);
        let (a, b, c, d, e) = tokio::join!(
            wrong("000001"),
            wrong("000002"),
            wrong("000003"),
            wrong("000004"),
            wrong("000005")
        );
        let tries = [a, b, c, d, e];
        let is_unseen = |tried: &&Tried| matches!(tried, Tried::Locked { is_new: false, .. });
        assert_eq!(tries.iter().filter(is_unseen).count(), 2, "{tries:?}");
    }

    #[tokio::test]
    async fn what_can_not_be_read_counts_as_a_pin_that_nobody_has_entered() {
        let folder = tempfile::tempdir().unwrap();
        let lock = locked_with(folder.path());
        let path = file_in(folder.path());
        for broken in ["", "{}", r#"{"argon2id": "493817"}"#, r#"{"argon2id": "$argon2id$"}"#] {
            std::fs::write(&path, broken).unwrap();
            let refused = lock.is_wanted(&command("console", "owner"), NOW).await.unwrap_err();
            assert!(refused.message.contains("holds no digest of a PIN"), "{}", refused.message);
            assert!(is_set(folder.path()).is_err(), "{broken}");
        }
    }

    #[test]
    fn it_guards_what_reaches_the_machine_and_what_the_policy_adds() {
        let name = |name| ActionName::new(name).unwrap();
        let more = [name("CREATE_POST")];
        for guarded in ["EXEC", "INDEX_DOC", "FORGET_DOC", "WORKBENCH", "_MODE", "CREATE_POST"] {
            assert!(guards(&name(guarded), &more), "{guarded}");
        }
        assert!(!guards(&name("WEATHER"), &more) && !guards(&name("CREATE_POST"), &[]));
    }
}
