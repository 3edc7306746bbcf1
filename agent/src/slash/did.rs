//! `/did`: tells what was done in this session by the router's own book. Nothing of it is the model's word.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Millis;
use serde_json::Value;

use super::perform::{At, Perform, Read};
use crate::session::Caller;
use answer::sanitize::one_line;
use when::ago;

/// How much of an act's parameters is shown, in characters.
const PARAMS: usize = 160;

#[derive(Debug)]
struct Did;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Did))
}

#[async_trait]
impl Perform for Did {
    async fn perform(&self, at: At<'_>) {
        match at.mind.actions.owner.acts(&Caller::of(at.session)).await {
            Ok(acts) if acts.is_empty() => at.text("Nothing was done here yet."),
            Ok(acts) => at.text(acts.iter().map(act).collect::<Vec<_>>().join("\n")),
            Err(stopped) => at.notice(stopped.message),
        }
    }
}

fn act(act: &Value) -> String {
    let text = |key: &str| act.get(key).and_then(Value::as_str).unwrap_or_default();
    let at = Millis(act.get("at").and_then(Value::as_u64).unwrap_or_default());
    let when = ago(Millis::of_this_machine().since(at));
    let params = act.get("params").map(Value::to_string).unwrap_or_default();
    let params: String = one_line(&params).chars().take(PARAMS).collect();
    let line = format!("{when}: {} {} {params}", text("action"), text("status"));
    match text("message") {
        "" => line.trim_end().to_owned(),
        why => format!("{} ({})", line.trim_end(), one_line(why)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_act_is_one_line() {
        let done = json!({
            "at": 1, "action": "CREATE_POST", "status": "denied", "params": {"text": "a\u{1b}b"},
            "message": "a person said no",
        });
        let told = act(&done);
        let end = "CREATE_POST denied {\"text\":\"a\\u001bb\"} (a person said no)";
        assert!(told.ends_with(end), "{told}");
    }
}
