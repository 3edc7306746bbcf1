//! The door to the page: who is signed in, and who signs in with a link.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use document::SaveError;
use loopback::Tries;
use mind::links::{CodeError, Links};
use protocol::Millis;

use super::cookies::Cookie;
use super::signed_in::{SignIns, SignedIn};

/// How often an open stream looks whether its reader is still signed in.
const LOOKS: Duration = Duration::from_secs(1);

/// Lets in who is signed in.
#[derive(Debug)]
pub struct Door {
    links: Links,
    signed_in: SignIns,
    port: u16,
    tries: Tries,
}

/// Why somebody is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closed {
    /// The link is not good.
    Link(CodeError),
    /// The link is unknown, and too many such were tried of late.
    TooMany,
}

impl Door {
    /// The door of the page at `port`.
    #[must_use]
    pub fn new(links: Links, signed_in: SignIns, port: u16) -> Self {
        Self { links, signed_in, port, tries: Tries::default() }
    }

    /// The port of the page.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Who has sent a request with these headers, if it is somebody who is signed in.
    pub(in crate::http) fn who(self: &Arc<Self>, headers: &HeaderMap) -> Option<SignedIn> {
        let now = Millis::of_this_machine();
        let mut shown = Cookie::SignedIn.values(self.port, headers);
        let who = shown.find_map(|secret| self.signed_in.who(secret, now))?;
        let (door, here) = (Arc::clone(self), who.clone());
        // It may write, which takes its time.
        tokio::task::spawn_blocking(move || door.signed_in.is_here(&here, now));
        Some(who)
    }

    /// Signs a browser in with a link's code, which is used up then, and gives what the browser shows from now on.
    pub(super) fn sign_in(&self, code: &str, browser: &str) -> Result<String, Closed> {
        let now = Millis::of_this_machine();
        let begun =
            self.links.read(code, now).and_then(|sign| self.signed_in.begin(&sign, browser, now));
        begun.map_err(|error| match error {
            // A code that was made here is never counted: whoever guesses must not keep its bearer out.
            CodeError::Unknown if !self.tries.may_fail() => Closed::TooMany,
            _ => Closed::Link(error),
        })
    }

    /// Signs `who` out.
    ///
    /// # Errors
    /// [`SaveError`]: it holds until the agent ends.
    pub(super) fn sign_out(&self, who: &SignedIn) -> Result<(), SaveError> {
        self.signed_in.sign_out(|session| session.id == who.id).map(drop)
    }

    /// Returns once `id` is not signed in any more.
    pub(in crate::http) async fn is_out(self: Arc<Self>, id: String) {
        let mut looks = tokio::time::interval(LOOKS);
        while self.signed_in.has(&id) {
            looks.tick().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use conversation::workspace::Workspace;
    use settings::Site;

    use super::*;

    #[test]
    fn after_five_unknown_links_another_is_too_many_and_a_good_one_still_signs_in() {
        let folder = tempfile::tempdir().unwrap();
        let links = Links::new(&"a token".into(), vec![Site::at("127.0.0.1:1").unwrap()]);
        let link = links.make(Millis::of_this_machine()).remove(0);
        let code = link.split_once("code=").unwrap().1;
        let door = Door::new(links, SignIns::of(&Workspace::open(folder.path())), 1);
        for _ in 0..5 {
            assert_eq!(door.sign_in("AAAA", "x"), Err(Closed::Link(CodeError::Unknown)));
        }
        assert_eq!(door.sign_in("AAAA", "x"), Err(Closed::TooMany));
        assert!(door.sign_in(code, "x").is_ok());
        assert_eq!(door.sign_in(code, "x"), Err(Closed::Link(CodeError::Used)));
    }
}
