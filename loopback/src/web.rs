//! The files that the pages of both processes share. They have no build step and load nothing else.

/// Makes elements of text, so that nothing reads HTML.
pub const DOM_JS: &str = include_str!("../web/dom.js");

/// The words of a page, in the browser's language.
pub const WORDS_JS: &str = include_str!("../web/words.js");

/// The icon.
pub const ICON_SVG: &str = include_str!("../web/icon.svg");
