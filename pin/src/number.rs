//! The number itself, and its hash.

use std::fmt;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use serde::{Deserialize, Serialize};

/// Memory in KiB and passes: 32 MiB and 4 take about a tenth of a second, which a person does not mind.
const COST: (u32, u32) = (32 * 1024, 4);

/// What a person types.
#[derive(Clone, PartialEq, Eq)]
pub struct Pin(String);

/// Nobody reads it in a log.
impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pin(...)")
    }
}

/// What is no PIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a PIN has 4 to 6 digits and nothing else")]
pub struct PinError;

impl Pin {
    /// Reads what was typed; blanks around it do not count.
    ///
    /// # Errors
    /// [`PinError`].
    pub fn read(typed: &str) -> Result<Self, PinError> {
        let typed = typed.trim();
        let is_right = (4..=6).contains(&typed.len()) && typed.bytes().all(|b| b.is_ascii_digit());
        is_right.then(|| Self(typed.to_owned())).ok_or(PinError)
    }
}

/// A PIN as it is kept: a text of the form `$argon2id$...`, with a salt of its own.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hashed(String);

impl fmt::Debug for Hashed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hashed(...)")
    }
}

/// It can't be hashed, for want of memory or of random numbers.
#[derive(Debug, thiserror::Error)]
#[error("the PIN can't be hashed: {0}")]
pub struct HashFault(String);

impl Hashed {
    /// The hash of `pin`. It takes about a tenth of a second.
    ///
    /// # Errors
    /// [`HashFault`].
    pub fn of(pin: &Pin) -> Result<Self, HashFault> {
        let hashed = Params::new(COST.0, COST.1, 1, None)
            .map_err(|error| HashFault(error.to_string()))
            .map(|params| Argon2::new(Algorithm::Argon2id, Version::V0x13, params))?
            .hash_password(pin.0.as_bytes())
            .map_err(|error| HashFault(error.to_string()))?;
        Ok(Self(hashed.to_string()))
    }

    /// Whether `pin` is the one. What is no hash matches nothing.
    #[must_use]
    pub fn matches(&self, pin: &Pin) -> bool {
        let Ok(hash) = PasswordHash::new(&self.0) else { return false };
        Argon2::default().verify_password(pin.0.as_bytes(), &hash).is_ok()
    }
}
