//! Links that sign their bearer in: each for ten minutes, and once. A link is checked by its signature, so that whoever has the
//! token of `.env` can make one, and the agent need not know of it before it is used.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use protocol::Millis;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::config::{Settings, Site};

/// Where links lead to on the page.
pub const PATH: &str = "/sign-in";

/// How long a link is good.
const LASTS: Duration = Duration::from_secs(600);

/// What the key is made of besides the token, so that no other use of the token makes a link.
const USE: &[u8] = b"SafeClaw sign-in 1";

/// The parts of a code, in bytes: when it ends (milliseconds since 1970, big end first), a random number, and the signature.
const END: usize = 8;
const NUMBER: usize = 16;
const SIGNATURE: usize = 32;

/// Makes links, and knows them again.
#[derive(Clone)]
pub struct Links {
    key: [u8; 32],
    sites: Vec<Site>,
}

/// A link that is good, if nobody has used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    /// What tells it from every other.
    pub number: String,
    /// When it ends.
    pub until: Millis,
}

/// Why a link does not sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkError {
    /// Nobody has made it.
    Unknown,
    /// It has ended.
    Expired,
    /// It was used.
    Used,
}

impl Links {
    /// Links to the page that these settings turn on, if they do.
    #[must_use]
    pub fn of(settings: &Settings) -> Option<Self> {
        let token = settings.http_token.as_ref()?;
        let sites = settings.config.http.all_sites();
        settings.config.http.listen.map(|_| Self::new(token, sites))
    }

    /// Links to `sites`, signed with the token that programs show.
    #[must_use]
    pub fn new(token: &SecretString, sites: Vec<Site>) -> Self {
        let key = Sha256::new().chain_update(USE).chain_update(token.expose_secret().as_bytes());
        Self { key: key.finalize().into(), sites }
    }

    /// A new link for each site. They share a code, so that one of them can be used.
    #[must_use]
    pub fn make(&self, now: Millis) -> Vec<String> {
        let code = self.code(now.after(LASTS), Uuid::new_v4());
        let link = |site: &Site| format!("{}{}?code={code}", site.as_str(), PATH);
        self.sites.iter().map(link).collect()
    }

    fn code(&self, until: Millis, number: Uuid) -> String {
        let mut bytes = [until.0.to_be_bytes().as_slice(), number.as_bytes()].concat();
        let signature = self.mac(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&signature);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a code at `now`.
    ///
    /// # Errors
    /// [`LinkError`].
    pub fn read(&self, code: &str, now: Millis) -> Result<Sign, LinkError> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(code).map_err(|_| LinkError::Unknown)?;
        if bytes.len() != END + NUMBER + SIGNATURE {
            return Err(LinkError::Unknown);
        }
        let (signed, signature) = bytes.split_at(END + NUMBER);
        self.mac(signed).verify_slice(signature).map_err(|_| LinkError::Unknown)?;
        let (end, number) = signed.split_at(END);
        let until = Millis(u64::from_be_bytes(end.try_into().map_err(|_| LinkError::Unknown)?));
        // Ahead of the longest, the clock was set back since it was made.
        if until <= now || until > now.after(LASTS) {
            return Err(LinkError::Expired);
        }
        Ok(Sign { number: BASE64_URL_SAFE_NO_PAD.encode(number), until })
    }

    fn mac(&self, signed: &[u8]) -> Hmac<Sha256> {
        // RFC 2104: a key that is shorter than a block of the hash is filled up with zeros.
        let mut block = [0; 64];
        block[..self.key.len()].copy_from_slice(&self.key);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        mac.update(signed);
        mac
    }
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Links").field("sites", &self.sites).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_800_000_000_000);

    fn links(token: &str) -> Links {
        let site = Site::try_from("http://127.0.0.1:8787".to_owned()).unwrap();
        Links::new(&token.into(), vec![site])
    }

    fn code(links: &Links) -> String {
        let made = links.make(NOW).remove(0);
        made.strip_prefix("http://127.0.0.1:8787/sign-in?code=").unwrap().to_owned()
    }

    #[test]
    fn a_link_is_good_for_ten_minutes_whoever_has_made_it_with_the_token() {
        let (one, other) = (links("0123456789abcdef"), links("0123456789abcdef"));
        let code = code(&one);
        let read = |at: u64| other.read(&code, Millis(at)).map(|sign| sign.until);
        assert_eq!(read(NOW.0), Ok(NOW.after(LASTS)));
        assert!(read(NOW.0 + 599_999).is_ok());
        assert_eq!(read(NOW.0 + 600_000), Err(LinkError::Expired));
        assert_eq!(read(NOW.0 - 3_600_000), Err(LinkError::Expired), "the clock went back an hour");
    }

    #[test]
    fn nobody_else_makes_a_link_and_no_byte_of_one_can_be_changed() {
        let mine = links("0123456789abcdef");
        let code = code(&mine);
        assert_eq!(links("0123456789abcdeX").read(&code, NOW), Err(LinkError::Unknown));
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(&code).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let changed = BASE64_URL_SAFE_NO_PAD.encode(changed);
            assert_eq!(mine.read(&changed, NOW), Err(LinkError::Unknown), "{at}");
        }
        for wrong in ["", "x", &code[1..], &format!("{code}A"), "\u{e9}"] {
            assert_eq!(mine.read(wrong, NOW), Err(LinkError::Unknown), "{wrong}");
        }
    }

    #[test]
    fn no_two_links_are_the_same() {
        let links = links("0123456789abcdef");
        assert_ne!(code(&links), code(&links));
    }
}
