//! A PIN: 4 to 6 digits, kept as an argon2id hash, right for 24 hours, and locked for an hour after three wrong tries. No I/O; the
//! time is given.

mod kept;
mod number;

pub use kept::{Kept, LASTS, LOCKED, Locked, TRIES};
pub use number::{HashFault, Hashed, Pin, PinError};
