//! Those whom the owner allows: who they are, and who joins with a code.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use protocol::{Millis, SessionKey};

use super::invitation::{CodeTry, Invitation};

/// The chats of those whom the owner allows.
#[derive(Debug, Default)]
pub struct Guests {
    allowed: RwLock<BTreeSet<String>>,
    /// The code that lets somebody in, with the end of its life.
    open: Mutex<Option<(Invitation, Millis)>>,
    /// Those who have joined and were not welcomed yet.
    new: Mutex<BTreeSet<String>>,
    /// The name of the bot through which people join, once it is known.
    bot: RwLock<Option<String>>,
}

/// What became of somebody who may want to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    /// They are allowed from now on.
    Yes,
    /// The code was wrong, and they have so many tries left.
    Wrong(usize),
    /// The code was the right one, and its time is over.
    Late,
    /// It was no try: no code is open, or it was none, or they have no try left.
    No,
}

impl Guests {
    /// Those whose chats these are.
    pub(super) fn of(allowed: BTreeSet<String>) -> Self {
        Self { allowed: RwLock::new(allowed), ..Self::default() }
    }

    /// Whether the owner allows whoever writes in this chat.
    #[must_use]
    pub fn is_allowed(&self, key: &SessionKey) -> bool {
        self.allowed.read().unwrap_or_else(PoisonError::into_inner).contains(key.as_str())
    }

    /// The chats of all of them.
    #[must_use]
    pub fn all(&self) -> BTreeSet<String> {
        self.allowed.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// People join through the bot of this name.
    pub fn join_through(&self, bot: &str) {
        *self.bot.write().unwrap_or_else(PoisonError::into_inner) = Some(bot.to_owned());
    }

    /// The name of the bot through which people join; `None` where there is none.
    #[must_use]
    pub fn bot(&self) -> Option<String> {
        self.bot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A new code for one person. The one before counts no more.
    #[must_use]
    pub fn invite(&self, now: Millis) -> String {
        let invitation = Invitation::begin();
        let code = invitation.code().to_owned();
        *locked(&self.open) = Some((invitation, now.after(Invitation::LIVES)));
        code
    }

    /// Takes what `user` says in the chat `key`: the open code lets one person in.
    pub(super) fn hear(&self, key: &SessionKey, user: u64, text: &str, now: Millis) -> Joined {
        let mut open = locked(&self.open);
        let Some((invitation, until)) = open.as_mut() else { return Joined::No };
        let is_over = now > *until;
        match invitation.hear(user, text) {
            CodeTry::Right if is_over => Joined::Late,
            CodeTry::Right => {
                *open = None;
                self.add(key);
                locked(&self.new).insert(key.as_str().to_owned());
                Joined::Yes
            }
            CodeTry::Wrong(_) if is_over => Joined::No,
            CodeTry::Wrong(left) => {
                if invitation.is_guessed() {
                    *open = None;
                }
                Joined::Wrong(left)
            }
            CodeTry::Other => Joined::No,
        }
    }

    /// Whether whoever writes in this chat has just joined and was not welcomed yet.
    #[must_use]
    pub fn is_new(&self, key: &SessionKey) -> bool {
        locked(&self.new).contains(key.as_str())
    }

    /// The same, and they are welcomed now.
    pub fn welcome(&self, key: &SessionKey) -> bool {
        locked(&self.new).remove(key.as_str())
    }

    /// The owner allows this chat.
    pub(super) fn add(&self, key: &SessionKey) {
        let mut allowed = self.allowed.write().unwrap_or_else(PoisonError::into_inner);
        allowed.insert(key.as_str().to_owned());
    }

    /// The owner does not allow this chat any more; `false` if it was not allowed.
    pub(super) fn remove(&self, key: &SessionKey) -> bool {
        locked(&self.new).remove(key.as_str());
        self.allowed.write().unwrap_or_else(PoisonError::into_inner).remove(key.as_str())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000);

    fn key(key: &str) -> SessionKey {
        SessionKey::new(key).unwrap()
    }

    #[test]
    fn a_code_lets_one_person_in_within_ten_minutes() {
        let (guests, ann, bob) = (Guests::default(), key("telegram-7"), key("telegram-8"));
        assert_eq!(guests.hear(&ann, 7, "/start ABCD2345", NOW), Joined::No, "none is open");
        let first = guests.invite(NOW);
        let code = guests.invite(NOW);
        assert_eq!(guests.hear(&ann, 7, &first, NOW), Joined::Wrong(4), "the one before");
        assert_eq!(guests.hear(&ann, 7, &code, NOW), Joined::Yes);
        assert!(guests.is_allowed(&ann) && guests.is_new(&ann));
        assert!(guests.welcome(&ann) && !guests.welcome(&ann));
        assert_eq!(guests.hear(&bob, 8, &code, NOW), Joined::No, "it was used");
        let code = guests.invite(NOW);
        let late = NOW.after(Invitation::LIVES).after(std::time::Duration::from_millis(1));
        assert_eq!(guests.hear(&bob, 8, &code, late), Joined::Late);
        assert_eq!(guests.hear(&bob, 8, "ABCD2345", late), Joined::No);
        assert!(!guests.is_allowed(&bob));
        assert!(guests.remove(&ann) && !guests.remove(&ann) && !guests.is_allowed(&ann));
    }

    #[test]
    fn fifty_wrong_codes_end_it() {
        let guests = Guests::default();
        let code = guests.invite(NOW);
        for user in 0..10 {
            let who = key(&format!("telegram-{user}"));
            for _ in 0..5 {
                assert!(matches!(guests.hear(&who, user, "mustache", NOW), Joined::Wrong(_)));
            }
        }
        assert_eq!(guests.hear(&key("telegram-99"), 99, &code, NOW), Joined::No);
    }
}
