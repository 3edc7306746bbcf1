//! The skills' secrets: read from router/.env, handed to the proxy alone, and taken out of every text that
//! leaves the router.

mod view;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use protocol::Object;
use serde_json::Value;

use view::View;

/// Shorter values are not searched for: they stand in ordinary text by chance.
const SHORTEST: usize = 6;

/// How many letters of a secret at the end of a text may be its beginning; fewer stand there by chance.
const TELLING: usize = 3;

/// What stands where a secret stood.
const REDACTED: &str = "[secret]";

/// Name -> value. Clones share the values, so that what the owner changes counts everywhere. Printing it
/// shows the names alone.
#[derive(Clone, Default)]
pub struct Secrets {
    known: Arc<RwLock<Known>>,
}

#[derive(Default)]
struct Known {
    values: BTreeMap<String, String>,
    /// How often the values were replaced by others.
    generation: u64,
    /// Every way in which a value may stand in a text, as a [`View`] would show it.
    needles: Vec<String>,
    /// The values in hexadecimal.
    digits: Vec<String>,
}

impl Known {
    /// Where a secret stands in a text.
    fn spans(&self, solid: View) -> Vec<Range<usize>> {
        let mut spans = solid.digits().find(&self.digits);
        spans.extend(solid.readings().iter().flat_map(|reading| reading.find(&self.needles)));
        spans
    }
}

impl Secrets {
    /// Takes over every value of router/.env.
    #[must_use]
    pub fn new<'a>(values: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let secrets = Self::default();
        secrets.replace(values);
        secrets
    }

    /// Takes over new values in place of all the old ones.
    pub fn replace<'a>(&self, values: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let values: BTreeMap<String, String> = values.collect();
        let long = values.values().filter(|value| value.len() >= SHORTEST);
        let digits = long.clone().map(|value| HEXLOWER.encode(value.as_bytes())).collect();
        let spelled = long.flat_map(|value| spellings(value));
        let readings = spelled.flat_map(|spelling| View::solid(&spelling).readings());
        let mut needles: Vec<String> = readings.map(|reading| reading.text).collect();
        needles.retain(|needle| needle.len() >= SHORTEST);
        needles.sort();
        needles.dedup();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let generation = known.generation + u64::from(known.values != values);
        *known = Known { values, generation, needles, digits };
    }

    /// A number that is another one once a value is, was added or is gone.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.read().generation
    }

    /// Whether there is a secret of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.read().values.contains_key(name)
    }

    /// The secret of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        self.read().values.get(name).cloned()
    }

    /// `text` with every secret in it replaced, in whatever letter case, and also where what nobody sees stands within one or
    /// parts of it are escaped.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let known = self.read();
        if known.needles.is_empty() {
            return text.to_owned();
        }
        replaced(text, known.spans(View::solid(text)))
    }

    /// Where in `text` the end begins that may be the beginning of a secret, if there is one. No whole secret lies across it.
    #[must_use]
    pub fn open_end(&self, text: &str) -> Option<usize> {
        let known = self.read();
        let solid = View::solid(text);
        let mut end = solid.open_end(&known.needles, TELLING)?;
        let mut spans = known.spans(solid);
        spans.sort_by_key(|span| std::cmp::Reverse(span.end));
        for span in spans {
            if span.contains(&end) {
                end = span.start;
            }
        }
        Some(end)
    }

    /// The other ways in which the secret of this name may be spelled, for whoever searches a stream for it.
    #[must_use]
    pub fn spellings(&self, name: &str) -> Vec<String> {
        let value = self.get(name).filter(|value| value.len() >= SHORTEST);
        value.map(|value| spellings(&value).split_off(1)).unwrap_or_default()
    }

    /// The same for every text in `object`, keys included.
    #[must_use]
    pub fn redact_object(&self, object: Object) -> Object {
        object
            .into_iter()
            .map(|(key, value)| (self.redact(&key), self.redact_value(value)))
            .collect()
    }

    fn redact_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(&text)),
            Value::Array(list) => {
                Value::Array(list.into_iter().map(|item| self.redact_value(item)).collect())
            }
            Value::Object(object) => Value::Object(self.redact_object(object)),
            Value::Number(number) => {
                let text = number.to_string();
                let redacted = self.redact(&text);
                if redacted == text { Value::Number(number) } else { Value::String(redacted) }
            }
            other => other,
        }
    }

    // A std lock, because it is never held across an await. Poisoned, the map is still whole.
    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How `value` may stand in a text: as it is, in hexadecimal of either case, URL-encoded, and in base64 and
/// base64url at each of the three places in a longer text that it may begin at.
fn spellings(value: &str) -> Vec<String> {
    let bytes = value.as_bytes();
    let hex = HEXLOWER.encode(bytes);
    let encoded = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    let mut all = vec![value.to_owned(), hex.to_uppercase(), hex, encoded];
    for alphabet in [&BASE64_NOPAD, &BASE64URL_NOPAD] {
        for before in 0..3 {
            let text = alphabet.encode(&[&vec![0; before], bytes].concat());
            // The letters at the edges also depend on what stands around the value.
            let from = [0, 2, 3][before];
            let to = text.len() - [0, 1, 1][(before + bytes.len()) % 3];
            all.push(text[from..to].to_owned());
        }
    }
    all
}

/// `text` with each of the spans replaced; those that overlap count as one.
fn replaced(text: &str, mut spans: Vec<Range<usize>>) -> String {
    spans.sort_by_key(|span| span.start);
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        if span.start >= done {
            clean.push_str(&text[done..span.start]);
            clean.push_str(REDACTED);
        }
        done = done.max(span.end);
    }
    clean + &text[done..]
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.read().values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_generation_ends_when_a_value_changes() {
        let secrets = Secrets::new([("A", "one")]);
        let first = secrets.generation();
        secrets.replace([("A", "one")]);
        assert_eq!(secrets.generation(), first);
        let changes = [vec![("A", "two")], vec![("A", "two"), ("B", "new")], vec![]];
        let seen: Vec<u64> = changes
            .map(|values| {
                secrets.replace(values);
                secrets.generation()
            })
            .into();
        assert_eq!(seen, [first + 1, first + 2, first + 3]);
    }

    #[test]
    fn white_space_and_percent_signs_hide_nothing() {
        let secrets = Secrets::new([("A", "s3cr3t/T0ken+é"), ("B", "50%25 off")]);
        for text in [
            "s3cr3t/ T0k\n\ten+é",
            "s3cr3t%2fT0ken%2B%c3%A9",
            "%73%33%63%72%33%74%2f%54%30%6b%65%6e%2b%C3%A9",
            "%73%33%63%72%33%74 /T0k%65n+\u{a0}é",
            "czNjcjN0\r\nL1Qwa2V\n uK8Op",
            "50%25off",
            "50%2525%20off",
        ] {
            assert_eq!(secrets.redact(&format!("a {text} b")), "a [secret] b", "{text}");
        }
        assert_eq!(secrets.redact("a%zz 100% %2"), "a%zz 100% %2");
    }

    #[test]
    fn other_spellings_hide_nothing() {
        let secrets = Secrets::new([("A", "s3cr3t/T0ken+é")]);
        let bytes = "s3cr3t/T0ken+é".as_bytes();
        let each = |format: &dyn Fn(&u8) -> String| bytes.iter().map(format).collect::<String>();
        let quoted = each(&|byte| format!("={byte:02X}"));
        let mut spelled = vec![
            each(&|byte| format!("{byte:02x}:")),
            each(&|byte| format!("0x{byte:02X}, ")),
            each(&|byte| format!("%25{byte:02x}")),
            each(&|byte| format!("%2525{byte:02X}")),
            quoted.clone(),
            format!("{}=\r\n{}", &quoted[..9], &quoted[9..]),
            "s3cr3t=\n/T0ken+é".to_owned(),
            "S3CR3T/t0KEN+é".to_owned(),
            "s3cr3t&sol;T0ken&plus;&#233;".to_owned(),
            r"s3cr3t\/T0k\x65n+\u{e9}".to_owned(),
            "s\u{200b}3c\u{ad}r3t/\u{2060}T0ken\u{feff}+é".to_owned(),
        ];
        let chars = "s3cr3t/T0ken+é".chars();
        spelled.push(chars.clone().map(|c| format!("&#{};", u32::from(c))).collect());
        spelled.push(chars.clone().map(|c| format!("&#x{:X};", u32::from(c))).collect());
        spelled.push(chars.map(|c| format!("\\u{:04x}", u32::from(c))).collect());
        for text in spelled {
            let redacted = secrets.redact(&format!("a {text} b"));
            assert!(redacted.contains("[secret]") && redacted.len() < 20, "{text} -> {redacted}");
        }
    }

    proptest! {
        #[test]
        fn what_holds_no_secret_stays_as_it_is(text in any::<String>(), more in r"[%&\\\\=#xu{}0-9a-f;\n]{0,40}") {
            let secrets = Secrets::new([("A", "s3cr3t-T0ken-of-nobody")]);
            for text in [text, more] {
                prop_assert_eq!(secrets.redact(&text), text.as_str());
                prop_assert!(secrets.open_end(&text).is_none_or(|end| text.is_char_boundary(end)));
            }
        }
    }

    #[test]
    fn escapes_that_are_none_stay_as_they_are() {
        let secrets = Secrets::new([("A", "s3cr3t-T0ken")]);
        for text in
            ["50 % & more; \\u12 =G1 &#x; &#99999999; \\u{} \\", "%e4%", "a=\nb", "\u{10ffff}&"]
        {
            assert_eq!(secrets.redact(text), text);
        }
    }

    #[test]
    fn an_end_that_may_be_the_beginning_of_a_secret_is_known() {
        let secrets = Secrets::new([("A", "hunter2!hunter3!")]);
        assert_eq!(secrets.open_end("it is hunter2!\n"), Some(6));
        assert_eq!(secrets.open_end("it is h\nun"), Some(6));
        assert_eq!(secrets.open_end("it is hu"), None);
        // It ends like it begins, and is whole all the same.
        assert_eq!(secrets.open_end("x hunter2!hunter3!"), None);
        let again = Secrets::new([("A", "abc-123-abc")]);
        assert_eq!(again.open_end("x abc-123-abc"), Some(2));
    }

    #[test]
    fn secrets_that_overlap_leave_nothing_between_them() {
        let secrets = Secrets::new([("A", "abcdef"), ("B", "defghi")]);
        assert_eq!(secrets.redact("x abcdefghi abc def y"), "x [secret] [secret] y");
    }

    #[test]
    fn a_secret_is_taken_out_of_every_text() {
        let secrets = Secrets::new([("X_TOKEN", "hunter2!"), ("SHORT", "ab")]);
        let object = json!({"a": ["x hunter2! y", {"hunter2!": 1}], "b": "ab"});
        let redacted = secrets.redact_object(object.as_object().unwrap().clone());
        assert_eq!(
            Value::Object(redacted),
            json!({"a": ["x [secret] y", {"[secret]": 1}], "b": "ab"})
        );
    }

    #[test]
    fn a_secret_that_begins_with_another_leaves_nothing_behind() {
        let secrets =
            Secrets::new([("A", "abcdef123"), ("B", "abcdef123-tail"), ("PIN", "12345678")]);
        assert_eq!(secrets.redact("x abcdef123-tail abcdef123"), "x [secret] [secret]");
        let object = json!({"pin": 12_345_678, "n": 7}).as_object().unwrap().clone();
        assert_eq!(
            Value::Object(secrets.redact_object(object)),
            json!({"pin": "[secret]", "n": 7})
        );
    }

    #[test]
    fn a_secret_is_found_however_it_is_spelled_and_wherever_it_stands() {
        let value = "s3cr3t-T0ken/+abc";
        let secrets = Secrets::new([("X_TOKEN", value)]);
        let mut spelled = vec![
            HEXLOWER.encode(value.as_bytes()),
            HEXLOWER.encode(value.as_bytes()).to_uppercase(),
            "s3cr3t%2DT0ken%2F%2Babc".to_owned(),
        ];
        for (before, after) in [("", ""), ("x", "yz"), ("xy", "z"), ("xyz", ""), ("Bearer ", "!")] {
            let text = format!("{before}{value}{after}");
            spelled.push(data_encoding::BASE64.encode(text.as_bytes()));
            spelled.push(data_encoding::BASE64URL.encode(text.as_bytes()));
        }
        for text in spelled {
            let redacted = secrets.redact(&format!("a {text} b"));
            assert!(redacted.contains(REDACTED), "{text} -> {redacted}");
        }
    }

    #[test]
    fn what_the_owner_changes_counts_in_every_clone() {
        let secrets = Secrets::default();
        let clone = secrets.clone();
        secrets.replace([("X_TOKEN", "hunter2!")]);
        assert!(clone.has("X_TOKEN"));
    }

    #[test]
    fn printing_shows_names_alone() {
        assert_eq!(format!("{:?}", Secrets::new([("X_TOKEN", "hunter2!")])), r#"{"X_TOKEN"}"#);
    }
}
