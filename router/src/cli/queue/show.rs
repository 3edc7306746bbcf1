//! `queue show`: everything that is known of one id.

use broker::redis::look::{Entry, Found, Letter, Look, State, Target};
use protocol::{Millis, Object, json as bounded};
use secrets::Secrets;
use serde_json::{Value, json};

use super::said::Said;
use super::words::{UNKNOWN, indented, left, one_line, size, span, span_or_unknown, times};
use super::{QueueError, dead, list, unknown};

/// How much is shown of what is no command, in characters.
const SHOWN: usize = 2_000;

pub(super) async fn say(
    look: &Look,
    target: &Target,
    secrets: &Secrets,
) -> Result<Said, QueueError> {
    let found = look.find(target).await?;
    if found.is_nothing() {
        return Err(unknown(look, target));
    }
    // Before they are written as text: there a secret may be spelled with escapes.
    let found = redacted(found, secrets);
    Ok(Said::new(words(target, &found, look.now()), document(target, &found, look.now())))
}

/// The same without secrets.
fn redacted(mut found: Found, secrets: &Secrets) -> Found {
    for entry in &mut found.entries {
        entry.command = entry.command.take().map(|command| secrets.redact_object(command));
    }
    if let Some(State::Done { reply, .. }) = &mut found.state {
        *reply = secrets.redact_object(std::mem::take(reply));
    }
    for letter in &mut found.letters {
        letter.dead.raw = match command_in(letter) {
            Some(command) => Value::Object(secrets.redact_object(command)).to_string(),
            None => secrets.redact(&letter.dead.raw).chars().take(SHOWN).collect(),
        };
    }
    found
}

fn command_in(letter: &Letter) -> Option<Object> {
    bounded::parse_object(letter.dead.raw.as_bytes()).ok()
}

fn document(target: &Target, found: &Found, now: Millis) -> Value {
    let entries = |runs: bool| -> Vec<Value> {
        let those = found.entries.iter().filter(|entry| entry.router.is_some() == runs);
        those.map(|entry| with(json!(entry), "command", json!(entry.command))).collect()
    };
    let letters = found.letters.iter().map(|letter| {
        let raw = command_in(letter).map_or_else(|| json!(letter.dead.raw), Value::Object);
        with(dead::document(letter, now), "command", raw)
    });
    let (state, reply, kept_ms) = match &found.state {
        None => (Value::Null, Value::Null, Value::Null),
        Some(State::Done { reply, kept_ms }) => (json!("done"), json!(reply), json!(kept_ms)),
        Some(State::Running { .. }) => (json!("running"), Value::Null, Value::Null),
        Some(State::Again) => (json!("again"), Value::Null, Value::Null),
        Some(State::Cancelled) => (json!("cancelled"), Value::Null, Value::Null),
    };
    json!({
        "id": target.to_string(),
        "state": state,
        "waiting": entries(false),
        "running": entries(true),
        "reply": reply,
        "reply_kept_ms": kept_ms,
        "reply_waits": found.reply_waits,
        "dead_letters": letters.collect::<Vec<_>>(),
    })
}

fn with(mut document: Value, name: &str, value: Value) -> Value {
    document[name] = value;
    document
}

fn words(target: &Target, found: &Found, now: Millis) -> String {
    let mut text = format!("{target}\n");
    for entry in &found.entries {
        text.push_str(&entry_words(entry));
    }
    match &found.state {
        Some(State::Done { reply, kept_ms }) => {
            text.push_str(&format!(
                "\n  done; the reply is remembered for {} more\n{}",
                span(*kept_ms),
                indented(reply)
            ));
        }
        Some(State::Cancelled) if found.entries.is_empty() => {
            text.push_str("\n  taken back; should it come, it is answered `cancelled`\n");
        }
        _ => {}
    }
    if found.reply_waits {
        text.push_str("\n  a reply to it waits to be fetched\n");
    }
    found.letters.iter().for_each(|letter| text.push_str(&letter_words(letter, now)));
    text
}

fn entry_words(entry: &Entry) -> String {
    let known = |text: &Option<String>| one_line(text.as_deref().unwrap_or(UNKNOWN));
    let place = match &entry.router {
        Some(router) => format!("in the hands of the router {router}"),
        None => format!("waits in the lane {}", list::place(entry)),
    };
    let mut text = format!(
        "\n  {} {place}\n  begun {}, age {}, {}, session {}, {}\n",
        known(&entry.action),
        times(entry.attempts),
        span_or_unknown(entry.age_ms),
        deadline(entry.left_ms),
        known(&entry.session),
        size(entry.bytes),
    );
    if entry.router.is_some() && entry.cancelled {
        text.push_str("  cancelled: it is being stopped\n");
    }
    text + &entry.command.as_ref().map(indented).unwrap_or_default()
}

fn deadline(left_ms: Option<i64>) -> String {
    match left_ms {
        None => "no deadline".to_owned(),
        Some(0..) => format!("deadline in {}", left(left_ms)),
        Some(_) => format!("deadline {}", left(left_ms)),
    }
}

fn letter_words(letter: &Letter, now: Millis) -> String {
    let dead = &letter.dead;
    let age = span(u64::try_from(now.since(dead.at).as_millis()).unwrap_or(u64::MAX));
    let may = if letter.may_have_run() { "; it may have been executed" } else { "" };
    let text = format!(
        "\n  dead letter {}: {}, {age} ago, begun {}{may}\n  {}\n",
        letter.name.as_str(),
        dead::reason(dead.reason),
        times(dead.attempts),
        one_line(&dead.message),
    );
    let raw = match command_in(letter) {
        Some(command) => indented(&command),
        None => format!("    no command: {}\n", one_line(&dead.raw)),
    };
    text + &raw
}
