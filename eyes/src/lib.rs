//! Looks at web pages in a real browser, over WebDriver.
//!
//! ```text
//!   Look ──► browser (its process, its network, its session) ──► page (settle, banner, picture, text) ──► Seen
//! ```
//!
//! A page is hostile until the opposite is shown, and that is never shown here: its text is data, its scripts
//! run in the browser alone, and every address that it wants goes through a proxy that knows the rules.

mod asked;
mod browser;
mod capabilities;
pub mod launch;
mod look;
mod network;
mod page;

pub use browser::{Eyes, Place};
pub use look::{Look, LookError, Seen};
pub use network::{Network, NetworkError};
