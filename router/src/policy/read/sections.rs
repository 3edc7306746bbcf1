//! Reads `[effects]`, `[approval]`, `[limits]`, `[pin]` and `[hosts]`.

use std::time::Duration;

use protocol::{ActionName, Effect, Principal};

use super::reading::{Reading, Section};
use crate::catalog::span;
use crate::policy::glob::Glob;
use crate::policy::rules::{ApprovalTerms, Effects, Limits, Via};
use crate::policy::then::Then;

/// The effects, as they are written.
const EFFECTS: [(&str, Effect); 4] = [
    ("none", Effect::None),
    ("local", Effect::Local),
    ("external", Effect::External),
    ("irreversible", Effect::Irreversible),
];

/// How long a question may wait: long enough to be read, and not so long that nobody remembers why it was asked.
const SHORTEST: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads `[effects]`, which has to be there: a file that says nothing is most likely half a file.
pub(super) fn effects(reading: &mut Reading, file: &Section) -> Effects {
    let mut effects = Effects::default();
    if file.get("effects").is_none() {
        let fix = "begin with [effects] and a line such as none = \"allow\"";
        reading.fault(&(0..0), "there is no [effects], so that everything would be refused", fix);
    }
    let Some(section) = reading.section(file, "effects") else { return effects };
    reading.check_keys(&section, &EFFECTS.map(|(name, _)| name));
    for (name, effect) in EFFECTS {
        let Some((then, at)) = reading.word(&section, name, &Then::WORDS) else { continue };
        if (effect, then) == (Effect::Irreversible, Then::Allow) {
            let fix = "write irreversible = \"ask\", or \"refuse\"";
            reading.fault(&at, "what can't be taken back is always asked for", fix);
        }
        effects.named.push((effect, then, reading.place(&at)));
    }
    effects
}

/// Reads `[approval]`.
pub(super) fn approval(reading: &mut Reading, file: &Section) -> ApprovalTerms {
    let mut terms = ApprovalTerms::default();
    let Some(section) = reading.section(file, "approval") else { return terms };
    reading.check_keys(&section, &["via", "by", "expires", "grants"]);
    let words = [("channel", Via::Channel), ("router", Via::Router)];
    if let Some((via, _)) = reading.word(&section, "via", &words) {
        terms.via = via;
    }
    if let Some((grants, _)) = reading.word(&section, "grants", &words) {
        terms.grants = grants;
    }
    terms.by = principals(reading, &section);
    if let (Via::Router, Some(by)) = (terms.via, section.get("by")) {
        let why = "by counts in channels alone, and with via = \"router\" no channel may answer";
        reading.warning(reading.place(&by.span()), why, "leave it out");
    }
    if let Some((text, at)) = reading.text(&section, "expires") {
        match span::read(text) {
            Ok(expires) if (SHORTEST..=LONGEST).contains(&expires) => terms.expires = expires,
            Ok(_) => {
                let why = "a question waits for 10s at least and 24h at most";
                reading.fault(&at, why, "write expires = \"10m\"");
            }
            Err(why) => reading.fault(&at, why, "write expires = \"10m\""),
        }
    }
    terms
}

fn principals(reading: &mut Reading, section: &Section) -> Option<Vec<Principal>> {
    const FIX: &str =
        "write by = [\"console:owner\"], or leave it out for whoever speaks in the owner's session";
    let value = section.get("by")?;
    let Some(list) = value.get_ref().as_array().filter(|list| !list.is_empty()) else {
        reading.fault(&value.span(), "by is a list of those who may answer, one at least", FIX);
        return None;
    };
    let mut principals = Vec::new();
    for value in list.iter() {
        match value.get_ref().as_str().map(Principal::new) {
            Some(Ok(principal)) => principals.push(principal),
            Some(Err(error)) => reading.fault(&value.span(), error.to_string(), FIX),
            None => reading.fault(&value.span(), "who may answer is named by a text", FIX),
        }
    }
    Some(principals)
}

/// Reads `[limits]`.
pub(super) fn limits(reading: &mut Reading, file: &Section) -> Limits {
    let mut limits = Limits::default();
    let Some(section) = reading.section(file, "limits") else { return limits };
    // The upper bounds keep a slip of the finger from being none at all.
    let bounds: [(&str, &mut u32, u32); 7] = [
        ("per_minute", &mut limits.per_minute, 1_000),
        ("per_hour", &mut limits.per_hour, 10_000),
        ("same_in_a_row", &mut limits.same_in_a_row, 100),
        ("denials_in_a_row", &mut limits.denials_in_a_row, 100),
        ("denials", &mut limits.denials, 1_000),
        ("pending", &mut limits.pending, 64),
        ("leak_bits", &mut limits.leak_bits, 100_000),
    ];
    reading.check_keys(&section, &bounds.each_ref().map(|(name, ..)| *name));
    for (name, limit, most) in bounds {
        if let Some(number) = reading.number(&section, name, 1..=most) {
            *limit = number;
        }
    }
    limits
}

/// What the agent does itself and asks the router about.
const ASKED_FOR: [&str; 4] = ["_ADD_SCHEDULE", "_BROADCAST_MSG", "_BROWSER_VISION", "_MODE"];

/// Reads `[pin]`.
pub(super) fn pin(reading: &mut Reading, file: &Section) -> Vec<ActionName> {
    const FIX: &str = "write for = [\"NOTIFY\", \"_BROADCAST_MSG\"]";
    let Some(section) = reading.section(file, "pin") else { return Vec::new() };
    reading.check_keys(&section, &["for"]);
    let Some(value) = section.get("for") else { return Vec::new() };
    let Some(list) = value.get_ref().as_array() else {
        reading.fault(&value.span(), "for is a list of actions that the PIN guards as well", FIX);
        return Vec::new();
    };
    let mut actions = Vec::new();
    for value in list.iter() {
        match value.get_ref().as_str().map(ActionName::new) {
            Some(Ok(action)) if action.is_local() && !ASKED_FOR.contains(&action.as_str()) => {
                let why =
                    format!("{action} is done by the agent without asking, so no PIN guards it");
                reading.fault(&value.span(), why, FIX);
            }
            Some(Ok(action)) => actions.push(action),
            Some(Err(error)) => reading.fault(&value.span(), error.to_string(), FIX),
            None => reading.fault(&value.span(), "an action is named by a text", FIX),
        }
    }
    actions
}

/// Reads `[hosts]`.
pub(super) fn named_hosts(reading: &mut Reading, file: &Section) -> Vec<Glob> {
    const FIX: &str = "write named = [\"en.wikipedia.org\", \"*.example.com\"]";
    let Some(section) = reading.section(file, "hosts") else { return Vec::new() };
    reading.check_keys(&section, &["named"]);
    let Some(value) = section.get("named") else { return Vec::new() };
    let Some(list) = value.get_ref().as_array() else {
        reading.fault(&value.span(), "named is a list of hosts", FIX);
        return Vec::new();
    };
    let mut hosts = Vec::new();
    for value in list.iter() {
        match value.get_ref().as_str() {
            Some(host) if is_host(host) => hosts.push(Glob::new(&host.to_ascii_lowercase())),
            _ => reading.fault(
                &value.span(),
                "a host is a name with a dot, and * only in front",
                FIX,
            ),
        }
    }
    hosts
}

/// Whether `text` names a host, or all below one: `*` alone would be every host there is.
fn is_host(text: &str) -> bool {
    let name = text.strip_prefix("*.").unwrap_or(text);
    name.contains('.') && name.bytes().all(|b| b.is_ascii_alphanumeric() || b".-".contains(&b))
}
