//! An API's own words, found in the body of its error answer.

use hyper::StatusCode;
use serde_json::Value;

/// The words are for a person: no longer than this many characters.
const MAX_CHARS: usize = 500;

/// Where APIs put the words, the most telling place first: `detail` and `title` (RFC 9457, X), `message`
/// (LinkedIn), `error_description` (RFC 6749), `error` (Mastodon).
const PLACES: [&str; 5] = ["detail", "message", "error_description", "error", "title"];

/// The words of an error answer; the status's own name when the body holds none.
pub(super) fn words(status: StatusCode, is_text: bool, body: &[u8]) -> String {
    let found = match serde_json::from_slice(body) {
        Ok(value) => of_json(&value),
        Err(_) if is_text => Some(String::from_utf8_lossy(body).into_owned()),
        Err(_) => None,
    };
    let found = found.map(|words| readable(&words)).filter(|words| !words.is_empty());
    found.unwrap_or_else(|| status.canonical_reason().unwrap_or("no reason given").to_owned())
}

fn of_json(value: &Value) -> Option<String> {
    let main = PLACES.iter().find_map(|place| match value.get(place)? {
        Value::String(words) => Some(words.clone()),
        inner @ Value::Object(_) => of_json(inner),
        _ => None,
    });
    let listed: Vec<&str> = match value.get("errors") {
        Some(Value::Array(errors)) => errors.iter().filter_map(|e| e["message"].as_str()).collect(),
        _ => Vec::new(),
    };
    match (main, listed.is_empty()) {
        (main, true) => main,
        (None, false) => Some(listed.join("; ")),
        (Some(main), false) => Some(format!("{main} ({})", listed.join("; "))),
    }
}

/// One line without control characters, of bounded length.
fn readable(words: &str) -> String {
    let one_line: String =
        words.chars().take(MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    one_line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> String {
        words(StatusCode::FORBIDDEN, false, body.as_bytes())
    }

    #[test]
    fn the_words_are_found_where_apis_put_them() {
        for (body, expected) in [
            (r#"{"title":"Forbidden","detail":"Duplicate content."}"#, "Duplicate content."),
            (r#"{"message":"Expired","status":401}"#, "Expired"),
            (r#"{"error":"Validation failed"}"#, "Validation failed"),
            (r#"{"error":"invalid_grant","error_description":"It expired."}"#, "It expired."),
            (r#"{"error":{"message":"Bad key","code":7}}"#, "Bad key"),
            (r#"{"errors":[{"message":"a"},{"message":"b"}]}"#, "a; b"),
            (
                r#"{"detail":"Invalid.","errors":[{"message":"text: empty"}]}"#,
                "Invalid. (text: empty)",
            ),
        ] {
            assert_eq!(of(body), expected);
        }
    }

    #[test]
    fn without_words_it_is_the_name_of_the_status() {
        for body in ["", "{}", "[]", "<html><body>Denied</body></html>", r#"{"error":""}"#] {
            assert_eq!(of(body), "Forbidden");
        }
        assert_eq!(words(StatusCode::FORBIDDEN, true, b"go away\r\n"), "go away");
    }

    #[test]
    fn the_words_are_one_line_of_bounded_length() {
        assert_eq!(of(r#"{"error":"a\n\u001b[31mb"}"#), "a  [31mb");
        assert_eq!(
            of(&format!(r#"{{"error":"{}"}}"#, "ä".repeat(9_000))).chars().count(),
            MAX_CHARS
        );
    }
}
