//! The files of the pages. They are part of the program, and nothing in them is the owner's.

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use loopback::PageFile;

/// The one document, which shows the page that its address names.
const PAGE: &str = include_str!("../web/index.html");

/// Where everything of the pages is.
const BELOW: &str = "/storm/";

/// AIStorm's paths, which lead to the same below [`BELOW`].
const SEEDS: [&str; 4] = ["/sessions", "/agent-editor", "/session-editor", "/conversation"];

/// All other files.
static FILES: &[PageFile] = &[
    PageFile::new("/storm/web/storm.css", include_str!("../web/storm.css")),
    PageFile::new("/storm/web/app.js", include_str!("../web/app.js")),
    PageFile::new("/storm/web/agent.js", include_str!("../web/agent.js")),
    PageFile::new("/storm/web/conversation.js", include_str!("../web/conversation.js")),
    PageFile::new("/storm/web/form.js", include_str!("../web/form.js")),
    PageFile::new("/storm/web/session.js", include_str!("../web/session.js")),
    PageFile::new("/storm/web/sessions.js", include_str!("../web/sessions.js")),
    PageFile::new("/storm/web/words.js", include_str!("../web/words.js")),
    PageFile::new("/storm/web/strings/en.json", include_str!("../web/strings/en.json")),
    PageFile::new("/storm/web/strings/de.json", include_str!("../web/strings/de.json")),
];

/// Whether everybody may see what stands at `path`: there is nothing of the owner's in it.
#[must_use]
pub fn is_open(path: &str) -> bool {
    path.starts_with(BELOW) || path == "/storm" || leads_there(path)
}

fn leads_there(path: &str) -> bool {
    let behind = |seed: &&str| path.strip_prefix(*seed);
    SEEDS.iter().filter_map(behind).any(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The paths of the pages and of their files.
pub(crate) fn routes() -> Router {
    let mut router = Router::new()
        .route("/storm", get(async || Redirect::to("/storm/sessions")))
        .route("/storm/", get(async || Redirect::to("/storm/sessions")))
        .route("/storm/{*path}", get(serve));
    for seed in SEEDS {
        router = router.route(seed, get(lead)).route(&format!("{seed}/{{name}}"), get(lead));
    }
    router
}

/// To the same below `/storm/`. The address is kept as it was written, so that a name stays one part of it.
async fn lead(uri: Uri) -> Redirect {
    Redirect::to(&format!("/storm{}", uri.path()))
}

async fn serve(uri: Uri) -> Response {
    if let Some(file) = PageFile::find(FILES, uri.path()) {
        return file.into_response();
    }
    let path = uri.path().strip_prefix(BELOW).unwrap_or_default();
    let status =
        if leads_there(&format!("/{path}")) { StatusCode::OK } else { StatusCode::NOT_FOUND };
    (status, PageFile::new(BELOW, PAGE)).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use super::*;

    fn file(name: &str) -> &'static str {
        PageFile::find(FILES, &format!("/storm/web/{name}")).unwrap().text
    }

    #[test]
    fn nothing_but_the_pages_is_everybodys() {
        for path in ["/storm/", "/storm/web/app.js", "/sessions", "/conversation/a%20b"] {
            assert!(is_open(path), "{path}");
        }
        for path in ["/v1/storms", "/v1/agents/x", "/sessionsx", "/stormy", "/", "/v1/storm/"] {
            assert!(!is_open(path), "{path}");
        }
    }

    #[test]
    fn each_language_has_all_words_with_the_same_gaps_to_fill() {
        let words = |name: &str| -> serde_json::Map<String, serde_json::Value> {
            serde_json::from_str(file(name)).unwrap()
        };
        let (english, german) = (words("strings/en.json"), words("strings/de.json"));
        let keys = |words: &serde_json::Map<String, serde_json::Value>| {
            words.keys().cloned().collect::<BTreeSet<_>>()
        };
        assert!(english.len() > 20);
        // What is refused is told in English by the agent itself.
        let of_pages = |key: &String| !key.starts_with("error.");
        assert_eq!(keys(&english), keys(&german).into_iter().filter(of_pages).collect());
        let gaps = |text: &serde_json::Value| gaps(text.as_str().unwrap());
        for (key, text) in &english {
            assert_eq!(gaps(text), gaps(&german[key]), "{key}");
        }
    }

    fn gaps(text: &str) -> BTreeSet<String> {
        let pieces = text.split('{').skip(1);
        pieces.map(|rest| rest.split('}').next().unwrap().to_owned()).collect()
    }

    /// The keys between quotes in the Rust files of a folder, each with the gaps that are filled behind it.
    fn told_in(folder: &Path, told: &mut BTreeSet<(String, BTreeSet<String>)>) {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for path in paths.filter(|path| !path.ends_with("tests.rs")) {
            let text = std::fs::read_to_string(&path).unwrap();
            for (key, rest) in
                text.split("\"error.").skip(1).filter_map(|rest| rest.split_once('"'))
            {
                if !key.is_empty() && key.chars().all(char::is_alphabetic) {
                    let filled =
                        rest.split("::new(").next().unwrap().replace(".with_typed(", ".with(");
                    let filled = filled.split(".with(\"").skip(1);
                    let filled = filled.map(|rest| rest.split('"').next().unwrap().to_owned());
                    told.insert((format!("error.{key}"), filled.collect()));
                }
            }
        }
    }

    #[test]
    fn all_that_is_refused_has_german_words_with_its_gaps_and_none_of_them_is_there_for_nothing() {
        let german: BTreeMap<String, String> =
            serde_json::from_str(file("strings/de.json")).unwrap();
        let german = german.into_iter().filter(|(key, _)| key.starts_with("error."));
        let there = german.map(|(key, text)| (key, gaps(&text))).collect();
        let mut told = BTreeSet::new();
        for folder in ["src", "../../mind/src/storm"] {
            told_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut told);
        }
        assert_eq!(told, there);
    }

    #[test]
    fn every_word_that_a_page_uses_is_there() {
        let english: serde_json::Value = serde_json::from_str(file("strings/en.json")).unwrap();
        for PageFile { path, text } in FILES.iter().filter(|file| file.path.ends_with(".js")) {
            for rest in text.split("word(\"").skip(1) {
                let key = rest.split('"').next().unwrap();
                assert!(english.get(key).is_some(), "{path}: {key}");
            }
        }
    }
}
