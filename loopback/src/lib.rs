//! HTTP for this machine alone, as the agent's channel and the router's window serve it: how many may connect, codes that sign
//! their bearer in once, and what keeps the other pages of a browser out.

mod browser;
mod codes;
mod connections;
mod tries;
mod web;

pub use browser::{guarded_headers, header_text, is_of_the_page, may_open};
pub use codes::{CodeError, Codes, Sign, derived_token};
pub use connections::{Caller, serve};
pub use tries::Tries;
pub use web::{
    DOM_JS, ICON_SVG, PageFile, STREAM_JS, UNBUFFERED, WORDS_JS, alive, alive_for_pages,
};
