//! The files of the page. They are part of the program, and nothing in them is the owner's.

use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use loopback::PageFile;

use super::super::refusal::Refusal;
use super::words::{ENGLISH, GERMAN};

/// All of them.
static FILES: &[PageFile] = &[
    PageFile::new("/", include_str!("../../../web/index.html")),
    PageFile::new("/web/style.css", include_str!("../../../web/style.css")),
    PageFile::new("/web/icon.svg", loopback::ICON_SVG),
    PageFile::new("/web/app.js", include_str!("../../../web/app.js")),
    PageFile::new("/web/card.js", include_str!("../../../web/card.js")),
    PageFile::new("/web/chats.js", include_str!("../../../web/chats.js")),
    PageFile::new("/web/composer.js", include_str!("../../../web/composer.js")),
    PageFile::new("/web/dom.js", loopback::DOM_JS),
    PageFile::new("/web/dropped.js", include_str!("../../../web/dropped.js")),
    PageFile::new("/web/log.js", include_str!("../../../web/log.js")),
    PageFile::new("/web/markdown.js", include_str!("../../../web/markdown.js")),
    PageFile::new("/web/model.js", include_str!("../../../web/model.js")),
    PageFile::new("/web/server.js", include_str!("../../../web/server.js")),
    PageFile::new("/web/stream.js", loopback::STREAM_JS),
    PageFile::new("/web/words.js", loopback::WORDS_JS),
    PageFile::new("/web/strings/en.json", ENGLISH),
    PageFile::new("/web/strings/de.json", GERMAN),
];

/// The file at `path`.
pub(super) fn find(path: &str) -> Option<PageFile> {
    PageFile::find(FILES, path)
}

/// Serves the file that was asked for.
pub(super) async fn serve(uri: Uri) -> Response {
    match find(uri.path()) {
        Some(file) => file.naming(&home::agent_command_by_name("web")),
        None => Refusal::Unknown.into_response(),
    }
}
