//! The files of the page. They are part of the program, and nothing in them is the owner's.

use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};

use super::super::refusal::Refusal;
use super::words::{ENGLISH, GERMAN};

/// One file.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageFile {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";
const PICTURE: &str = "image/svg+xml";

macro_rules! file {
    ($path:literal, $kind:ident, $name:literal) => {
        PageFile { path: $path, kind: $kind, text: include_str!(concat!("../../../web/", $name)) }
    };
}

/// All of them.
static FILES: &[PageFile] = &[
    file!("/", HTML, "index.html"),
    file!("/web/style.css", STYLE, "style.css"),
    PageFile { path: "/web/icon.svg", kind: PICTURE, text: loopback::ICON_SVG },
    file!("/web/app.js", SCRIPT, "app.js"),
    file!("/web/card.js", SCRIPT, "card.js"),
    file!("/web/chats.js", SCRIPT, "chats.js"),
    file!("/web/composer.js", SCRIPT, "composer.js"),
    PageFile { path: "/web/dom.js", kind: SCRIPT, text: loopback::DOM_JS },
    file!("/web/dropped.js", SCRIPT, "dropped.js"),
    file!("/web/log.js", SCRIPT, "log.js"),
    file!("/web/markdown.js", SCRIPT, "markdown.js"),
    file!("/web/server.js", SCRIPT, "server.js"),
    PageFile { path: "/web/words.js", kind: SCRIPT, text: loopback::WORDS_JS },
    PageFile { path: "/web/strings/en.json", kind: JSON, text: ENGLISH },
    PageFile { path: "/web/strings/de.json", kind: JSON, text: GERMAN },
];

/// The file at `path`.
pub(super) fn find(path: &str) -> Option<PageFile> {
    FILES.iter().find(|file| file.path == path).copied()
}

/// Serves the file that was asked for.
pub(super) async fn serve(uri: Uri) -> Response {
    match find(uri.path()) {
        Some(file) => ([(header::CONTENT_TYPE, file.kind)], file.text).into_response(),
        None => Refusal::Unknown.into_response(),
    }
}
