//! A row in words: time, log and counter, session, action, what became of it.

use jiff::Timestamp;
use serde_json::Value;

use super::escape::visible;
use super::read::Entry;

/// The row on one line, with its end; what deceives in it is escaped.
#[must_use]
pub fn words(entry: &Entry) -> String {
    let at = i64::try_from(entry.at()).ok().and_then(|at| Timestamp::from_millisecond(at).ok());
    let at = at.map(|at| at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()).unwrap_or_default();
    let n = entry.fields.get("n").map(Value::to_string).unwrap_or_default();
    let place = format!("{}:{n}", entry.log);
    let session = or_dash(text(entry, "session"));
    let action = or_dash(text(entry, "action"));
    let line = format!("{at}  {place:<12}  {session:<16}  {action:<20}  {}", what(entry));
    format!("{}\n", visible(line.trim_end()))
}

/// The verdict before, or the outcome after.
fn what(entry: &Entry) -> String {
    match text(entry, "row") {
        "intent" => {
            let dry = entry.fields.get("dry_run") == Some(&Value::Bool(true));
            format!("{} ({})", if dry { "dry run" } else { "runs" }, text(entry, "rule"))
        }
        "answer" => match text(entry, "by") {
            "" => "nobody answered".to_owned(),
            by => format!("{by} said {}", text(entry, "answer")),
        },
        "deed" => {
            let deed = text(entry, "deed").replace('_', " ");
            let more = ["answer", "scope", "target", "digest"].map(|key| text(entry, key));
            let more = more.into_iter().find(|more| !more.is_empty()).unwrap_or_default();
            let (by, way) = (or_dash(text(entry, "by")), text(entry, "way"));
            let done = format!("{by} ({way}): {deed} {more}");
            match text(entry, "failed") {
                "" => done,
                why => format!("{} came to nothing: {why}", done.trim_end()),
            }
        }
        "outcome" => match (text(entry, "code"), text(entry, "message")) {
            ("", _) => text(entry, "status").to_owned(),
            (code, message) => format!("{} ({code}): {message}", text(entry, "status")),
        },
        "continues" => format!("goes on after {}", text(entry, "file")),
        "closed" => {
            "half a row stands in front of this one: the router was stopped in mid-row".to_owned()
        }
        other => other.to_owned(),
    }
}

fn text<'a>(entry: &'a Entry, key: &str) -> &'a str {
    entry.fields.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(fields: Value) -> String {
        let fields = fields.as_object().unwrap().clone();
        words(&Entry { log: "router-1".to_owned(), fields })
    }

    #[test]
    fn what_a_person_did_in_words() {
        let row = json!({"n": 1, "row": "deed", "at": 1_000, "by": "router:owner", "way": "cli",
            "deed": "resume_session", "session": "owner"});
        assert!(said(row).ends_with("  router:owner (cli): resume session\n"));
        let row = json!({"n": 2, "row": "deed", "at": 1_000, "by": null, "way": "channel",
            "deed": "answer", "answer": "yes", "failed": "code: no"});
        assert!(said(row).ends_with("  - (channel): answer yes came to nothing: code: no\n"));
    }

    #[test]
    fn rows_in_words() {
        let row = json!({"n": 7, "row": "intent", "at": 1_000, "session": "owner", "action": "LOOK",
            "dry_run": false, "rule": "effects.none"});
        assert_eq!(
            said(row),
            "1970-01-01 00:00:01Z  router-1:7    owner             LOOK                  runs (effects.none)\n"
        );
        let row = json!({"n": 8, "row": "outcome", "at": 1_000, "session": null, "action": "LOOK",
            "status": "denied", "code": "policy", "message": "no\u{1b}[2J\nno"});
        let said = said(row);
        assert!(said.ends_with("denied (policy): no\\u{1b}[2J\\u{a}no\n"), "{said}");
    }
}
