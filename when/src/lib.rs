//! When something is to be done, as people say it: a span, a local date and time, or a cron pattern, in the owner's time zone.

// The crate and its main file are about the same thing.
#![allow(clippy::module_inception)]

mod ago;
mod quiet;
mod since;
mod when;
mod zone;

pub use ago::{about, ago};
pub use quiet::QuietHours;
pub use since::{Since, SinceError};
pub use when::{Pattern, When, WhenError};
pub use zone::{Zone, millis};
