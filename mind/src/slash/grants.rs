//! `/grants` and `/grants revoke ID`: what the router allows for a while, and how a person takes it back.

use std::sync::Arc;

use answer::sanitize::one_line;
use async_trait::async_trait;
use protocol::Millis;
use serde_json::Value;
use session::Caller;

use super::perform::{At, Perform, Read};

/// How many characters of an id stand for it where people read and type it.
const SHORT: usize = 8;

#[derive(Debug)]
struct Grants {
    revoke: Option<String>,
}

pub(super) fn read(rest: &str) -> Read {
    let revoke = match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [] => None,
        ["revoke", id] => Some(id.to_owned()),
        _ => return Err("it is /grants, or /grants revoke ID to take one back".to_owned()),
    };
    Ok(Arc::new(Grants { revoke }))
}

#[async_trait]
impl Perform for Grants {
    async fn perform(&self, at: At<'_>) {
        let caller = Caller::of(at.session);
        match at.mind.actions.owner.grants(&caller, self.revoke.as_deref()).await {
            Ok(grants) if grants.is_empty() => at.text("Nothing is allowed for a while."),
            Ok(grants) => at.text(grants.iter().map(grant).collect::<Vec<_>>().join("\n")),
            Err(stopped) => at.notice(stopped.message),
        }
    }
}

fn grant(grant: &Value) -> String {
    let text = |key: &str| grant.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str| grant.get(key).and_then(Value::as_u64);
    let id: String = text("id").chars().take(SHORT).collect();
    let until = Millis(number("until").unwrap_or_default());
    let minutes = until.since(Millis::of_this_machine()).as_secs().div_ceil(60);
    let used = number("used").unwrap_or_default();
    let of = number("times").map_or_else(String::new, |times| format!(" of {times}"));
    format!("{id}: {}, for {minutes} minutes more, used {used}{of} times", one_line(text("what")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_grant_is_one_line_and_only_one_is_taken_back_at_once() {
        let held =
            json!({"id": "0123456789", "what": "CREATE_POST with any text", "until": 1, "used": 2});
        let told = "01234567: CREATE_POST with any text, for 0 minutes more, used 2 times";
        assert_eq!(grant(&held), told);
        let held = json!({"id": "0", "what": "POST", "until": 1, "used": 2, "times": 5});
        assert_eq!(grant(&held), "0: POST, for 0 minutes more, used 2 of 5 times");
        assert!(read("").is_ok() && read("revoke 0123").is_ok());
        assert!(read("revoke").is_err() && read("revoke a b").is_err());
    }
}
