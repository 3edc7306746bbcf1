//! The files of the page. They are part of the program, and nothing in them is the owner's.

use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// One file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowFile {
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
        WindowFile { path: $path, kind: $kind, text: include_str!(concat!("../web/", $name)) }
    };
}

/// All of them.
static FILES: &[WindowFile] = &[
    file!("/", HTML, "index.html"),
    file!("/web/style.css", STYLE, "style.css"),
    WindowFile { path: "/web/icon.svg", kind: PICTURE, text: loopback::ICON_SVG },
    file!("/web/app.js", SCRIPT, "app.js"),
    file!("/web/chart.js", SCRIPT, "chart.js"),
    WindowFile { path: "/web/dom.js", kind: SCRIPT, text: loopback::DOM_JS },
    file!("/web/panels.js", SCRIPT, "panels.js"),
    file!("/web/questions.js", SCRIPT, "questions.js"),
    file!("/web/server.js", SCRIPT, "server.js"),
    WindowFile { path: "/web/words.js", kind: SCRIPT, text: loopback::WORDS_JS },
    file!("/web/strings/en.json", JSON, "strings/en.json"),
    file!("/web/strings/de.json", JSON, "strings/de.json"),
];

/// The file at `path`.
pub(crate) fn find(path: &str) -> Option<WindowFile> {
    FILES.iter().find(|file| file.path == path).copied()
}

/// Serves the file that was asked for.
pub(crate) async fn serve(uri: Uri) -> Response {
    match find(uri.path()) {
        Some(file) => ([(header::CONTENT_TYPE, file.kind)], file.text).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn each_language_has_all_words_with_the_same_gaps_to_fill() {
        let read = |path| -> BTreeMap<String, String> {
            serde_json::from_str(find(path).unwrap().text).unwrap()
        };
        let (english, german) = (read("/web/strings/en.json"), read("/web/strings/de.json"));
        assert!(english.len() > 20 && english.keys().eq(german.keys()));
        let gaps = |text: &str| -> BTreeSet<String> {
            text.split('{').skip(1).map(|rest| rest.split('}').next().unwrap().to_owned()).collect()
        };
        for (key, text) in &english {
            assert_eq!(gaps(text), gaps(&german[key]), "{key}");
        }
    }

    #[test]
    fn the_page_loads_nothing_from_elsewhere_and_makes_no_html_of_text() {
        for file in FILES {
            let text = file.text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://"), "{}", file.path);
            for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
            {
                assert!(!text.contains(sink), "{}: {sink}", file.path);
            }
        }
    }
}
