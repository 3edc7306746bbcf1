//! The files of pages: how they are served, and those that the pages of both processes share. They have no build step and load
//! nothing else.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::{HeaderName, header};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response};

/// How often a silent stream of events says that it is there.
const ALIVE: Duration = Duration::from_secs(15);

/// Has a silent stream of events for programs say that it is there, in a comment.
pub fn alive() -> KeepAlive {
    KeepAlive::new().interval(ALIVE)
}

/// Has a silent stream of events for a page say that it is there, in an event: a browser tells no page of comments.
pub fn alive_for_pages() -> KeepAlive {
    alive().event(Event::default().event("alive").data("{}"))
}

/// Has a proxy in front of a stream of events pass each on as it comes (nginx, ngx_http_proxy_module).
pub const UNBUFFERED: [(HeaderName, &str); 1] =
    [(HeaderName::from_static("x-accel-buffering"), "no")];

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

    /// Serves it with the gap `{command}` of its words filled, if it is a file of words.
    #[must_use]
    pub fn naming(self, command: &str) -> Response {
        ([(header::CONTENT_TYPE, self.kind())], self.text_naming(command)).into_response()
    }

    fn text_naming(self, command: &str) -> Cow<'static, str> {
        if !self.path.ends_with(".json") {
            return self.text.into();
        }
        let quoted = serde_json::Value::from(command).to_string();
        self.text.replace("{command}", &quoted[1..quoted.len() - 1]).into()
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

/// Hears a stream of events, and learns when its connection is dead.
pub const STREAM_JS: &str = include_str!("../web/stream.js");

/// The words of a page, in the browser's language.
pub const WORDS_JS: &str = include_str!("../web/words.js");

/// The icon.
pub const ICON_SVG: &str = include_str!("../web/icon.svg");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_fills_the_gap_of_words_as_json_has_it() {
        let text =
            |path, text| PageFile::new(path, text).text_naming(r#"'/a "b"/safeclaw' router"#);
        let words = text("/en.json", r#"{"a": "run {command}"}"#);
        let words: serde_json::Value = serde_json::from_str(&words).unwrap();
        assert_eq!(words["a"], r#"run '/a "b"/safeclaw' router"#);
        assert_eq!(text("/a.js", "{command}"), "{command}");
    }
}
