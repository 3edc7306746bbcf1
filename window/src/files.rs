//! The files of the page. They are part of the program, and nothing in them is the owner's.

use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use loopback::PageFile;

/// All of them.
static FILES: &[PageFile] = &[
    PageFile::new("/", include_str!("../web/index.html")),
    PageFile::new("/web/style.css", include_str!("../web/style.css")),
    PageFile::new("/web/icon.svg", loopback::ICON_SVG),
    PageFile::new("/web/app.js", include_str!("../web/app.js")),
    PageFile::new("/web/chart.js", include_str!("../web/chart.js")),
    PageFile::new("/web/dom.js", loopback::DOM_JS),
    PageFile::new("/web/panels.js", include_str!("../web/panels.js")),
    PageFile::new("/web/questions.js", include_str!("../web/questions.js")),
    PageFile::new("/web/server.js", include_str!("../web/server.js")),
    PageFile::new("/web/words.js", loopback::WORDS_JS),
    PageFile::new("/web/strings/en.json", include_str!("../web/strings/en.json")),
    PageFile::new("/web/strings/de.json", include_str!("../web/strings/de.json")),
];

/// The file at `path`.
pub(crate) fn find(path: &str) -> Option<PageFile> {
    PageFile::find(FILES, path)
}

/// Serves the file that was asked for.
pub(crate) async fn serve(uri: Uri) -> Response {
    match find(uri.path()) {
        Some(file) => file.naming(&home::router_command("window")),
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
