//! `queue dead`: the dead letters.

use broker::redis::look::{Letter, Look};
use protocol::{Code, Millis};
use serde_json::{Value, json};

use super::QueueError;
use super::said::Said;
use super::words::{Side, Table, UNKNOWN, span};

pub(super) async fn say(
    look: &Look,
    limit: usize,
    reason: Option<Code>,
) -> Result<Said, QueueError> {
    let (letters, total) = look.letters(limit, reason).await?;
    let now = look.now();
    let documents: Vec<Value> = letters.iter().map(|letter| document(letter, now)).collect();
    let document = json!({ "dead_letters": documents, "total": total });
    Ok(Said::new(words(&letters, total, now), document))
}

/// A letter without the command.
pub(super) fn document(letter: &Letter, now: Millis) -> Value {
    let dead = &letter.dead;
    json!({
        "name": letter.name,
        "id": dead.message_id,
        "action": dead.action,
        "reason": dead.reason,
        "message": dead.message,
        "at": dead.at,
        "age_ms": now.0.saturating_sub(dead.at.0),
        "attempts": dead.attempts,
        "may_have_run": letter.may_have_run(),
        "router": dead.router,
    })
}

/// A reason as it stands on the wire.
pub(super) fn reason(code: Code) -> String {
    json!(code).as_str().unwrap_or_default().to_owned()
}

fn words(letters: &[Letter], total: u64, now: Millis) -> String {
    if letters.is_empty() {
        return match total {
            0 => "there are no dead letters\n".to_owned(),
            _ => format!("none of the {total} dead letters has this reason\n"),
        };
    }
    let mut table = Table::new(&[
        ("ID", Side::Left),
        ("ACTION", Side::Left),
        ("REASON", Side::Left),
        ("BEGUN", Side::Right),
        ("AGE", Side::Left),
        ("WHY", Side::Left),
    ]);
    for letter in letters {
        let dead = &letter.dead;
        let id = dead.message_id.clone().unwrap_or_else(|| letter.name.as_str().to_owned());
        let action = dead.action.clone().unwrap_or_else(|| UNKNOWN.to_owned());
        let age = span(now.0.saturating_sub(dead.at.0));
        let attempts = dead.attempts.to_string();
        table.row([id, action, reason(dead.reason), attempts, age, dead.message.clone()]);
    }
    let mut text = table.lines();
    if total > letters.len() as u64 {
        text.push_str(&format!("\n{} of {total} are shown\n", letters.len()));
    }
    text
}
