//! A PIN with its tries and with who has proven it.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol::{Millis, Principal};
use serde::{Deserialize, Serialize};

use crate::number::Hashed;

/// How long a right PIN counts, for who has typed it.
pub const LASTS: Duration = Duration::from_secs(24 * 60 * 60);

/// How long it is locked.
pub const LOCKED: Duration = Duration::from_secs(60 * 60);

/// How many wrong tries lock it, whoever of the owner's identities makes them.
pub const TRIES: u32 = 3;

/// What is kept of the PIN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Its hash.
    pub hash: Hashed,
    /// How many tries were begun since the last right one.
    #[serde(default)]
    pub tries: u32,
    /// Until when it is locked.
    #[serde(default)]
    pub locked: Option<Millis>,
    /// Who has typed it, and when.
    #[serde(default)]
    pub proven: BTreeMap<Principal, Millis>,
}

/// It is locked until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locked(pub Millis);

impl Kept {
    /// One that nobody has typed.
    #[must_use]
    pub fn new(hash: Hashed) -> Self {
        Self { hash, tries: 0, locked: None, proven: BTreeMap::new() }
    }

    /// Begins a try. It counts as wrong until it has [succeeded](Self::succeed), so that many at once are not each the first,
    /// and one that a crash cuts short counts, too.
    ///
    /// # Errors
    /// [`Locked`]; then nothing is compared.
    pub fn begin(&mut self, now: Millis) -> Result<(), Locked> {
        match self.locked {
            Some(until) if now < until => return Err(Locked(until)),
            Some(_) => (self.tries, self.locked) = (0, None),
            None => {}
        }
        self.tries += 1;
        if self.tries >= TRIES {
            self.locked = Some(now.after(LOCKED));
        }
        Ok(())
    }

    /// The try was right: `by` has proven it.
    pub fn succeed(&mut self, by: &Principal, now: Millis) {
        self.unlock();
        self.proven.retain(|_, at| counts(*at, now));
        self.proven.insert(by.clone(), now);
    }

    /// Forgets the tries.
    pub fn unlock(&mut self) {
        (self.tries, self.locked) = (0, None);
    }

    /// Whether `by` has proven it within the last day.
    #[must_use]
    pub fn is_proven(&self, by: &Principal, now: Millis) -> bool {
        self.proven.get(by).is_some_and(|at| counts(*at, now))
    }

    /// Until when it is locked, if it is.
    #[must_use]
    pub fn locked_until(&self, now: Millis) -> Option<Millis> {
        self.locked.filter(|until| now < *until)
    }

    /// How many wrong tries are left.
    #[must_use]
    pub fn left(&self) -> u32 {
        TRIES.saturating_sub(self.tries)
    }
}

/// A clock that was set back proves nothing.
fn counts(at: Millis, now: Millis) -> bool {
    at <= now && now < at.after(LASTS)
}
