//! The files of pages: how they are served, and those that the pages of both processes share. They have no build step and load
//! nothing else.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A file of a page. It is part of the program, and nothing in it is the owner's.
#[derive(Debug, Clone, Copy)]
pub struct PageFile {
    /// Where it is served. Its ending says what it is; a path without one is a document.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl PageFile {
    /// A file with this text at `path`.
    #[must_use]
    pub const fn new(path: &'static str, text: &'static str) -> Self {
        Self { path, text }
    }

    /// The one of `files` that stands at `path`.
    #[must_use]
    pub fn find(files: &[Self], path: &str) -> Option<Self> {
        files.iter().find(|file| file.path == path).copied()
    }

    fn kind(self) -> &'static str {
        match self.path.rsplit_once('.').map(|(_, ending)| ending) {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("json") => "application/json",
            Some("svg") => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        }
    }
}

impl IntoResponse for PageFile {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, self.kind())], self.text).into_response()
    }
}

/// Makes elements of text, so that nothing reads HTML.
pub const DOM_JS: &str = include_str!("../web/dom.js");

/// The words of a page, in the browser's language.
pub const WORDS_JS: &str = include_str!("../web/words.js");

/// The icon.
pub const ICON_SVG: &str = include_str!("../web/icon.svg");
