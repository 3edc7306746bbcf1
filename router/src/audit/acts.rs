//! What a session has done, and what a grant would have allowed, from the rows of all logs.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use home::FileError;
use protocol::{ActionName, Millis, Object, Principal, SessionKey};
use serde_json::{Value, json};

use super::PERMITS;
use crate::audit_log::{Entries, Files, json as escaped};
use crate::config::words;
use crate::policy::Scope;

/// How many rows of each log are looked through for what a session has done lately.
const ROWS: usize = 5_000;

/// What an outcome says of something that the agent does itself.
const BY_THE_AGENT: &str = "the agent does this itself, and has told what came of it";

/// What an outcome says of a dry run.
const IN_VAIN: &str = "nothing was sent";

/// How far a preview looks back.
const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Whose acts are told.
#[derive(Debug)]
pub(crate) struct Whose {
    /// The session's key.
    pub(crate) session: String,
    /// Only what was done since its person's latest fresh beginning, which is this one (`None` inside: there was none yet).
    pub(crate) begun: Option<Option<Millis>>,
}

impl Whose {
    fn is(&self, row: &Object) -> bool {
        let begun = || row.get("begun").and_then(Value::as_u64).map(Millis);
        row.get("session").and_then(Value::as_str) == Some(&self.session)
            && self.begun.is_none_or(|its| begun() == its)
    }
}

/// The last `count` things that were asked for, the newest last: when, what, and how it ended. Secrets were taken
/// out before they were written.
pub(crate) fn acts(folder: &Path, whose: &Whose, count: usize) -> Result<Vec<Object>, FileError> {
    let text = |row: &Object, key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut begun: BTreeMap<String, Object> = BTreeMap::new();
    let mut done = Vec::new();
    let its = escaped(json!(whose.session).to_string());
    for entry in Entries::last(&Files::all(folder)?, ROWS)?.holding(&its) {
        let row = entry?.fields;
        // An answer is told with what was asked.
        if !whose.is(&row) || text(&row, "action").as_deref() == Some("APPROVE") {
            continue;
        }
        let id = text(&row, "message_id").unwrap_or_default();
        match text(&row, "row").as_deref() {
            Some("intent" | "answer") => drop(begun.insert(id, row)),
            Some("outcome") => {
                let keys = ["at", "action", "status", "code", "message"];
                let value = |key: &str| row.get(key).filter(|value| !value.is_null()).cloned();
                let told = keys.iter().filter_map(|key| Some(((*key).to_owned(), value(key)?)));
                let mut told = Object::from_iter(told);
                if let Some(meant) = row.get(PERMITS) {
                    told.insert("action".to_owned(), meant.clone());
                    if !told.contains_key("message") {
                        told.insert("message".to_owned(), json!(BY_THE_AGENT));
                        told.insert("status".to_owned(), json!("permitted"));
                    }
                }
                let mut intent = begun.remove(&id).unwrap_or_default();
                if intent.get("dry_run") == Some(&json!(true))
                    && told.get("status") == Some(&json!("ok"))
                {
                    told.insert("status".to_owned(), json!("dry run"));
                    told.insert("message".to_owned(), json!(IN_VAIN));
                }
                told.extend(intent.remove("params").map(|params| ("params".to_owned(), params)));
                done.push(told);
                done.drain(..done.len().saturating_sub(count));
            }
            _ => {}
        }
    }
    Ok(done)
}

/// What a grant allows in words, and what it would have allowed lately.
pub(crate) fn previewed(shown: &str, [all, refused]: [usize; 2]) -> String {
    let gaps: [(&str, &dyn Display); 3] = [("grant", &shown), ("all", &all), ("refused", &refused)];
    words().fill(if refused == 0 { "grant.preview" } else { "grant.previewRefused" }, &gaps)
}

/// How often a grant for `scope` would have answered its session and person in the last 30 days before `now`, and how often a
/// person has said no to what it would have allowed.
pub(crate) fn preview(folder: &Path, scope: &Scope, now: Millis) -> Result<[usize; 2], FileError> {
    let since = now.0.saturating_sub(u64::try_from(MONTH.as_millis()).unwrap_or(u64::MAX));
    let (mut ran, mut refused) = (0, 0);
    let word = format!("\"{}\"", scope.action);
    for entry in Entries::since(&Files::all(folder)?, since)?.holding(&word) {
        let row = entry?.fields;
        let action =
            row.get("action").and_then(Value::as_str).and_then(|name| ActionName::new(name).ok());
        let params = row.get("params").and_then(Value::as_object);
        let is_its =
            action.zip(params).is_some_and(|(action, params)| scope.takes_call(&action, params))
                && names(&row, "session", scope.session.as_ref().map(SessionKey::as_str))
                && names(&row, "principal", scope.principal.as_ref().map(Principal::as_str));
        match row.get("row").and_then(Value::as_str) {
            Some("intent") if is_its => ran += 1,
            Some("answer") if is_its && row.get("answer") == Some(&json!("no")) => refused += 1,
            _ => {}
        }
    }
    Ok([ran + refused, refused])
}

/// Whether `row` names `wanted`, where one is wanted and the row names anybody.
fn names(row: &Object, key: &str, wanted: Option<&str>) -> bool {
    let named = row.get(key).and_then(Value::as_str);
    wanted.is_none() || named.is_none() || named == wanted
}
