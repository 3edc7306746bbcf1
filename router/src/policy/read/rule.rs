//! Reads `[[rules]]`.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::Timestamp;
use protocol::{Millis, Object};
use serde_json::Value;
use sha2::{Digest, Sha256};
use toml::Spanned;
use toml::de::DeValue;

use super::clashes;
use super::reading::{Reading, Section};
use crate::policy::glob::Glob;
use crate::policy::rule::{Conditions, Pattern, Rule};
use crate::policy::then::Then;

const KEYS: [&str; 10] = [
    "action",
    "params",
    "host",
    "channel",
    "principal",
    "session",
    "then",
    "until",
    "times",
    "note",
];

/// The longest text in a rule, in bytes.
const LONGEST: usize = 1_000;

/// The most rules: every call is compared with them, and each of them with all others.
const MOST: usize = 500;

/// Reads all rules and compares them with each other.
pub(super) fn rules(reading: &mut Reading, file: &Section) -> Vec<Rule> {
    let Some(value) = file.get("rules") else { return Vec::new() };
    let Some(list) = value.get_ref().as_array() else {
        reading.fault(&value.span(), "rules are a list", "write [[rules]], with two brackets");
        return Vec::new();
    };
    if list.len() > MOST {
        let why = format!("there are {} rules; at most {MOST} are read", list.len());
        reading.fault(&value.span(), why, "put several into one with a *");
        return Vec::new();
    }
    let found: Vec<Rule> = list
        .iter()
        .enumerate()
        .filter_map(|(at, value)| match value.get_ref().as_table() {
            Some(table) => {
                let section = Section { name: "[[rules]]".to_owned(), table };
                rule(reading, &section, at + 1, &value.span())
            }
            None => {
                reading.fault(&value.span(), "a rule is a table", "write [[rules]] above it");
                None
            }
        })
        .collect();
    // Half a rule would seem to clash with others.
    if reading.faults.is_empty() {
        clashes::find(reading, &found);
    }
    found
}

fn rule(
    reading: &mut Reading,
    section: &Section,
    number: usize,
    at: &Range<usize>,
) -> Option<Rule> {
    reading.check_keys(section, &KEYS);
    for (key, example) in
        [("action", "\"CREATE_POST\", or \"*\" for every one"), ("then", "\"ask\"")]
    {
        if section.get(key).is_none() {
            reading.fault(at, format!("this rule has no {key}"), format!("add {key} = {example}"));
        }
    }
    let then = reading.word(section, "then", &Then::WORDS);
    let conditions = conditions(reading, section);
    warn_of_spellings(reading, section, then.as_ref().map(|(then, _)| *then));
    let until = until(reading, section);
    let times = reading.number(section, "times", 1..=1_000_000);
    let note = bounded(reading, section, "note").map(|(note, _)| note.to_owned());
    let (then, _) = then?;
    if times.is_some() && then != Then::Allow {
        let fix = "leave times out, or write then = \"allow\"";
        reading.fault(at, "times says how often a rule allows, and this one does not", fix);
    }
    let place = reading.paragraph(at);
    Some(Rule { number, place, id: id(section), conditions: conditions?, until, times, then, note })
}

/// A host has many spellings, and a refusal that knows one lets the others pass.
fn warn_of_spellings(reading: &mut Reading, section: &Section, then: Option<Then>) {
    let params = section.get("params").and_then(|params| params.get_ref().as_table());
    let is_host = |text: &str| {
        let text = text.trim_matches('*');
        text.contains('.') && !text.contains(char::is_whitespace) && !text.starts_with('.')
    };
    for value in params.into_iter().flat_map(|params| params.values()) {
        let text = value.get_ref().as_str().filter(|text| is_host(text));
        if let (Some(text), Some(Then::Refuse)) = (text, then) {
            let why = "a host can be spelled in many ways, and this knows one";
            let host = text.trim_matches('*').split('/').find(|part| part.contains('.'));
            let fix = format!("write host = {:?} for the host itself", host.unwrap_or(text));
            reading.warning(reading.place(&value.span()), why, fix);
        }
    }
}

fn conditions(reading: &mut Reading, section: &Section) -> Option<Conditions> {
    let mut glob = |key| bounded(reading, section, key);
    let (action, channel) = (glob("action"), glob("channel"));
    let (principal, session) = (glob("principal"), glob("session"));
    let host = glob("host").map(|(text, _)| Glob::new(&text.to_ascii_lowercase()));
    let strange = |text: &str| {
        !text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"_*".contains(&b))
    };
    if let Some((text, at)) = action.as_ref().filter(|(text, _)| text.is_empty() || strange(text)) {
        let fix =
            format!("write action = {:?}", text.to_ascii_uppercase().replace(['-', ' '], "_"));
        reading.fault(at, "an action is A-Z, 0-9 and _, and * for anything", fix);
    }
    if let Some((text, at)) = channel.as_ref().filter(|(text, _)| text.contains(':')) {
        let fix = format!("write principal = {text:?}");
        reading.fault(at, "a channel is what stands before the colon", fix);
    }
    if let Some((text, at)) =
        principal.as_ref().filter(|(text, _)| !text.contains(':') && !text.contains('*'))
    {
        let fix = format!("write principal = \"telegram:{text}\", or channel = {text:?}");
        reading.fault(at, "a principal is a channel, a colon and a name", fix);
    }
    if let (Some(_), Some((_, at))) = (&principal, &channel) {
        reading.fault(at, "a principal names its channel already", "leave channel out");
    }
    let params = params(reading, section);
    let made = |text: Option<(&str, Range<usize>)>| text.map(|(text, _)| Glob::new(text));
    Some(Conditions {
        action: made(action)?,
        params: params?,
        host,
        channel: made(channel),
        principal: made(principal),
        session: made(session),
    })
}

fn params(reading: &mut Reading, section: &Section) -> Option<BTreeMap<String, Pattern>> {
    let Some(value) = section.get("params") else { return Some(BTreeMap::new()) };
    let Some(table) = value.get_ref().as_table() else {
        let fix = "write params = { platform = \"X\" }";
        reading.fault(&value.span(), "params is a table", fix);
        return None;
    };
    let mut patterns = BTreeMap::new();
    for (name, value) in table {
        let pattern = match (value.get_ref(), json(value)) {
            (DeValue::String(text), _) if text.len() <= LONGEST => Pattern::Text(Glob::new(text)),
            (DeValue::String(_), _) => {
                reading.fault(
                    &value.span(),
                    "it is longer than 1,000 bytes",
                    "shorten it with a *",
                );
                continue;
            }
            (_, Some(exactly)) => Pattern::Exactly(exactly),
            (_, None) => {
                let why = "JSON has no such value, so that no parameter can have it";
                reading.fault(&value.span(), why, "put it into quotes");
                continue;
            }
        };
        patterns.insert(name.get_ref().to_string(), pattern);
    }
    Some(patterns)
}

fn until(reading: &mut Reading, section: &Section) -> Option<Millis> {
    const FIX: &str = "write until = 2026-12-01T12:00:00Z, without quotes";
    let value = section.get("until")?;
    let time = value.get_ref().as_datetime().map(|time| time.to_string().parse::<Timestamp>());
    match time {
        Some(Ok(time)) => Some(Millis(u64::try_from(time.as_millisecond()).unwrap_or(0))),
        Some(Err(_)) => {
            reading.fault(&value.span(), "until needs a day, a time and a zone", FIX);
            None
        }
        None => {
            reading.fault(&value.span(), "until is a time", FIX);
            None
        }
    }
}

fn bounded<'a>(
    reading: &mut Reading,
    section: &Section<'a>,
    key: &str,
) -> Option<(&'a str, Range<usize>)> {
    let (text, at) = reading.text(section, key)?;
    if text.len() > LONGEST {
        reading.fault(&at, format!("{key} is longer than {LONGEST} bytes"), "shorten it");
        return None;
    }
    Some((text, at))
}

/// A digest of all that a rule says but its note, whatever the order of its lines.
fn id(section: &Section) -> String {
    let said: BTreeMap<&str, String> = section
        .table
        .iter()
        .map(|(key, value)| (key.get_ref().as_ref(), value))
        .filter(|(key, _)| *key != "note")
        .map(|(key, value)| {
            (key, json(value).map_or_else(|| moment(value), |json| json.to_string()))
        })
        .collect();
    let digest = Sha256::digest(format!("{said:?}"));
    data_encoding::HEXLOWER.encode(&digest[..8])
}

fn moment(value: &Spanned<DeValue>) -> String {
    value.get_ref().as_datetime().map(ToString::to_string).unwrap_or_default()
}

/// The same in JSON, with the keys of objects sorted; `None` for what JSON does not have.
fn json(value: &Spanned<DeValue>) -> Option<Value> {
    match value.get_ref() {
        DeValue::String(text) => Some(Value::from(text.as_ref())),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::from)
        }
        DeValue::Float(number) => {
            let number = serde_json::Number::from_f64(number.as_str().parse().ok()?);
            number.map(Value::Number)
        }
        DeValue::Boolean(flag) => Some(Value::from(*flag)),
        DeValue::Datetime(_) => None,
        DeValue::Array(list) => list.iter().map(json).collect::<Option<Vec<_>>>().map(Value::from),
        DeValue::Table(table) => {
            let pairs =
                table.iter().map(|(key, value)| Some((key.get_ref().to_string(), json(value)?)));
            let sorted: BTreeMap<String, Value> = pairs.collect::<Option<_>>()?;
            Some(Value::Object(sorted.into_iter().collect::<Object>()))
        }
    }
}
