//! What the router says of a call, in words.

use protocol::{Code, Done, Effect, Object, Outcome, Stopped};
use secrets::Secrets;
use serde_json::Value;

use crate::call::{Call, interrupted};
use crate::panels;
use shared::StoreFault;

/// How a call ended whose skill gave `ran`: with its text for people, and no secret anywhere.
pub(crate) fn finish(
    call: &Call,
    ran: Result<Object, Stopped>,
    secrets: &Secrets,
) -> Result<Done, Stopped> {
    match ran {
        Ok(mut result) => {
            let brings = panels::brings(call, &mut result);
            let screen = secrets.redact_object(panels::screen(call, &mut result));
            let result = secrets.redact_object(result);
            let text = match &call.dry_run {
                Some(why) => Some(dry_run_text(why, &result)),
                None => call.skill.summary.as_ref().map(|summary| fill(summary, &result, call)),
            };
            // The parameters in it have not been looked at.
            let text = text.map(|text| shortened(secrets.redact(&text)));
            Ok(Done { result, text, dry_run: call.dry_run.is_some(), screen, brings })
        }
        Err(stopped) => Err(clean(stopped, secrets)),
    }
}

/// `outcome` with no secret in it, however it came about.
pub(crate) fn without_secrets(outcome: Outcome, secrets: &Secrets) -> Outcome {
    match outcome {
        Outcome::Stopped(stopped) => Outcome::Stopped(clean(stopped, secrets)),
        done => done,
    }
}

fn clean(mut stopped: Stopped, secrets: &Secrets) -> Stopped {
    stopped.message = secrets.redact(&stopped.message);
    stopped.details = secrets.redact_object(stopped.details);
    stopped
}

/// A conversation's process lives in one router, and another one may get its next command.
pub(crate) fn not_alone(call: &Call) -> Stopped {
    let why = format!(
        "{} keeps its state in one router, and several serve this queue: the next command could meet another one; run a single router for it",
        call.skill.name()
    );
    Stopped::new(Code::Disabled, why)
}

/// The agent took it back while it ran.
pub(crate) fn cancelled(call: &Call) -> Stopped {
    let stopped = Stopped::new(Code::Cancelled, "it was stopped because nobody waits for it");
    if call.effect() >= Effect::External { stopped.maybe_executed() } else { stopped }
}

/// The agent took it back before it was begun in this attempt.
pub(crate) fn taken_back(attempt: u32) -> Stopped {
    let stopped = Stopped::new(Code::Cancelled, "it was taken back before it was begun");
    if attempt > 1 { stopped.maybe_executed() } else { stopped }
}

/// Another router has it in its hands, and will answer.
pub(crate) fn anothers() -> Stopped {
    Stopped::new(Code::Cancelled, "another router has taken it over; it was not begun here")
}

/// The router ends before the call does. What may run again goes back to the queue.
pub(crate) fn shut_down(call: &Call) -> Stopped {
    if call.may_run_again() {
        Stopped::new(Code::Draining, "the router was shut down while it ran; ask again")
    } else {
        interrupted()
    }
}

/// The kill switch was thrown while it ran.
pub(crate) fn switched_off(call: &Call, stopped: Stopped) -> Stopped {
    if call.effect() >= Effect::External { stopped.maybe_executed() } else { stopped }
}

/// It ran, but its result can't be shown.
pub(crate) fn not_shown(call: &Call, fault: &StoreFault) -> Stopped {
    let why = format!("it ran, but what it brought can't be noted ({fault}), so it is not shown");
    let stopped = Stopped::new(Code::Internal, why);
    if call.effect() >= Effect::External { stopped.maybe_executed() } else { stopped }
}

/// A person said no.
pub(crate) fn refused() -> Stopped {
    Stopped::new(Code::Owner, "a person said no")
}

/// A person said yes, but nobody took it up.
pub(crate) fn too_late() -> Stopped {
    let why = "a person said yes, but no router was there in time; it was not run";
    Stopped::new(Code::Deadline, why)
}

/// No person said anything.
pub(crate) fn unanswered() -> Stopped {
    Stopped::new(Code::Owner, "nobody answered in time, which counts as no")
}

/// The longest text for people, in characters. The whole result stands in the reply beside it.
const TEXT: usize = 8_000;

fn shortened(text: String) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What a dry run would have sent, as the request that it is.
fn dry_run_text(why: &str, result: &Object) -> String {
    let mut text = format!("nothing was sent: {why}.");
    let Some(Value::Object(request)) = result.get("would_send") else { return text };
    let part = |key: &str| request.get(key).map(plain).unwrap_or_default();
    let mut lines = vec![format!("{} {}", part("method"), part("url"))];
    if let Some(Value::Object(headers)) = request.get("headers") {
        lines.extend(headers.iter().map(|(name, value)| format!("{name}: {}", plain(value))));
    }
    lines.push(part("body"));
    text.push_str("\nIt would send:");
    // Indented, so that nothing in a request looks like a line of the router's own.
    for line in lines.iter().flat_map(|line| line.split(['\n', '\r'])) {
        text.push_str("\n  ");
        text.push_str(line);
    }
    text
}

/// A text without its quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `summary` with each `{name}` replaced by the result's field of that name, or else the parameter's. A
/// name that is neither stays as it stands, for the skill's author to see.
fn fill(summary: &str, result: &Object, call: &Call) -> String {
    let mut text = String::with_capacity(summary.len());
    let mut rest = summary;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            rest = &rest[before.len()..];
            break;
        };
        match result.get(name).or_else(|| call.command.params.get(name)) {
            Some(value) => text.push_str(&plain(value)),
            None => text.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}
