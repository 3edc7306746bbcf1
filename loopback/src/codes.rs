//! Codes that sign their bearer in: each for ten minutes, and once. A code is checked by its signature, so that whoever has the
//! key can make one, and whoever checks it need not know of it before it is used.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use protocol::Millis;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// How long a code is good.
const LASTS: Duration = Duration::from_secs(600);

/// The parts of a code, in bytes: when it ends (milliseconds since 1970, big end first), a random number, and the signature.
const END: usize = 8;
const NUMBER: usize = 16;
const SIGNATURE: usize = 32;

/// Makes codes, and knows them again.
#[derive(Clone)]
pub struct Codes {
    key: [u8; 32],
}

/// A code that is good, if nobody has used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    /// What tells it from every other.
    pub number: String,
    /// When it ends.
    pub until: Millis,
}

/// Why a code does not sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeError {
    /// Nobody has made it.
    Unknown,
    /// It has ended.
    Expired,
    /// It was used.
    Used,
}

impl Codes {
    /// Signs with `secret`. `purpose` keeps any other use of the secret from making a code.
    #[must_use]
    pub fn new(purpose: &str, secret: &[u8]) -> Self {
        let key = Sha256::new().chain_update(purpose.as_bytes()).chain_update(secret);
        Self { key: key.finalize().into() }
    }

    /// A new code, good for ten minutes from `now` on: letters, digits, `-` and `_`.
    #[must_use]
    pub fn make(&self, now: Millis) -> String {
        let until = now.after(LASTS);
        let mut bytes = [until.0.to_be_bytes().as_slice(), Uuid::new_v4().as_bytes()].concat();
        let signature = self.mac(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&signature);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a code at `now`.
    ///
    /// # Errors
    /// [`CodeError`], but never [`CodeError::Used`]: that is known by whoever keeps what was used.
    pub fn read(&self, code: &str, now: Millis) -> Result<Sign, CodeError> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(code).map_err(|_| CodeError::Unknown)?;
        if bytes.len() != END + NUMBER + SIGNATURE {
            return Err(CodeError::Unknown);
        }
        let (signed, signature) = bytes.split_at(END + NUMBER);
        self.mac(signed).verify_slice(signature).map_err(|_| CodeError::Unknown)?;
        let (end, number) = signed.split_at(END);
        let until = Millis(u64::from_be_bytes(end.try_into().map_err(|_| CodeError::Unknown)?));
        // Ahead of the longest, the clock was set back since it was made.
        if until <= now || until > now.after(LASTS) {
            return Err(CodeError::Expired);
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

/// A token that whoever has `secret` can make for `name`, and nobody else: 64 hexadecimal digits. It lasts as long as the secret.
#[must_use]
pub fn derived_token(purpose: &str, secret: &[u8], name: &str) -> String {
    let signature = Codes::new(purpose, secret).mac(name.as_bytes()).finalize().into_bytes();
    signature.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl std::fmt::Debug for Codes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Codes").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_800_000_000_000);

    fn codes(secret: &str) -> Codes {
        Codes::new("test", secret.as_bytes())
    }

    #[test]
    fn a_code_is_good_for_ten_minutes_whoever_has_made_it_with_the_key() {
        let (one, other) = (codes("0123456789abcdef"), codes("0123456789abcdef"));
        let code = one.make(NOW);
        let read = |at: u64| other.read(&code, Millis(at)).map(|sign| sign.until);
        assert_eq!(read(NOW.0), Ok(NOW.after(LASTS)));
        assert!(read(NOW.0 + 599_999).is_ok());
        assert_eq!(read(NOW.0 + 600_000), Err(CodeError::Expired));
        assert_eq!(read(NOW.0 - 3_600_000), Err(CodeError::Expired), "the clock went back an hour");
    }

    #[test]
    fn nobody_else_makes_a_code_and_no_byte_of_one_can_be_changed() {
        let mine = codes("0123456789abcdef");
        let code = mine.make(NOW);
        assert_eq!(codes("0123456789abcdeX").read(&code, NOW), Err(CodeError::Unknown));
        let elsewhere = Codes::new("another", b"0123456789abcdef");
        assert_eq!(elsewhere.read(&code, NOW), Err(CodeError::Unknown));
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(&code).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let changed = BASE64_URL_SAFE_NO_PAD.encode(changed);
            assert_eq!(mine.read(&changed, NOW), Err(CodeError::Unknown), "{at}");
        }
        for wrong in ["", "x", &code[1..], &format!("{code}A"), "\u{e9}"] {
            assert_eq!(mine.read(wrong, NOW), Err(CodeError::Unknown), "{wrong}");
        }
    }

    #[test]
    fn no_two_codes_are_the_same() {
        assert_ne!(codes("x").make(NOW), codes("x").make(NOW));
    }
}
