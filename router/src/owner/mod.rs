//! What the owner decides from the router's own side: questions, grants, the PIN and the kill switch, in every place where routers of this
//! home keep what they share. The command line and the window both stand on it.

mod error;
mod places;

mod grants;
mod pin;
mod questions;
mod switch;

mod letters;

pub(crate) use error::OwnerError;
pub(crate) use grants::{held, revoke};
pub(crate) use letters::{Again, may_be_done_twice, send_again};
pub use pin::{PinFault, PinWish};
pub(crate) use pin::{pin_status, remove_pin, set_pin, unlock_pin};
pub(crate) use places::{StorePlace, deeds, now, places};
pub(crate) use questions::{Asking, answer, find, waiting};
pub(crate) use switch::{is_thrown, put_back, throw};
