//! Looks at pages that are served here, with the real browser.

mod banners;
mod hostile;
mod kit;
mod opens;
mod pictures;
mod reads;
