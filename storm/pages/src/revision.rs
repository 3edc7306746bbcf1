//! Which state of a text a page has shown.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What tells one text of a file from another.
pub(crate) fn revision(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
