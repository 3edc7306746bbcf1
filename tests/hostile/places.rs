//! What stands for the `@NAME@`s in a case: ports, paths, and the secrets in other spellings.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use crate::spellings::{self, ESCAPED};

/// The names and their values, in the order in which they are filled in.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    values: Vec<(String, String)>,
}

impl Places {
    /// The places of one house. `ports` are those of the servers, by name.
    pub(crate) fn new(
        one: &str,
        home: &Path,
        outside: &Path,
        ports: [(&str, u16); 4],
        secrets: &BTreeMap<String, String>,
    ) -> Self {
        // Without what would end an action block.
        let quoted = serde_json::to_string(one).unwrap().replace('<', "\\u003c");
        let mut values = vec![
            ("@EACH_JSON@".to_owned(), quoted[1..quoted.len() - 1].to_owned()),
            ("@EACH@".to_owned(), one.to_owned()),
            ("@HOME@".to_owned(), home.display().to_string()),
            ("@OUT@".to_owned(), outside.display().to_string()),
            ("@MARK@".to_owned(), mark()),
            ("@NOW@".to_owned(), now().as_millis().to_string()),
            ("@SECONDS@".to_owned(), now().as_secs().to_string()),
            ("@CANARY@".to_owned(), crate::house::CANARY.to_owned()),
        ];
        for (name, port) in ports {
            values.push((format!("@{name}@"), format!("http://127.0.0.1:{port}")));
            values.push((format!("@{name}PORT@"), port.to_string()));
        }
        for (name, value) in secrets {
            for spelling in SPELLINGS.into_iter().chain(ESCAPED) {
                let spelled = spellings::one(value, spelling);
                let backwards = spelled.chars().rev().collect();
                values.push((format!("@{name}:{spelling}:backwards@"), backwards));
                values.push((format!("@{name}:{spelling}@"), spelled));
            }
        }
        Self { values }
    }

    /// `text` with everything filled in; `@REPEAT x 5@` is `xxxxx`.
    pub(crate) fn fill(&self, text: &str) -> String {
        let filled = self.values.iter().fold(text.to_owned(), |text, (name, value)| {
            if text.contains(name.as_str()) { text.replace(name, value) } else { text }
        });
        repeated(&filled)
    }

    /// Adds the address of the server on port 80, in the spellings that some parser has once taken for it.
    pub(crate) fn add_address(&mut self, address: Ipv4Addr) {
        let number = address.to_bits();
        let [a, b, c, d] = address.octets();
        let high = number >> 16;
        let low = number & 0xffff;
        for (name, value) in [
            ("@IP@", address.to_string()),
            ("@IP_DECIMAL@", number.to_string()),
            ("@IP_HEX@", format!("0x{number:08x}")),
            ("@IP_OCTAL@", format!("0{number:o}")),
            ("@IP_OCTETS@", format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}")),
            ("@IP_HEXES@", format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}")),
            ("@IP_SHORT@", format!("{a}.{}", number & 0xff_ffff)),
            ("@IP_THREE@", format!("{a}.{b}.{low}")),
            ("@IP_V6@", format!("{high:x}:{low:x}")),
            ("@IP_WIDE@", address.to_string().chars().map(wide).collect()),
            (
                "@IP_ESCAPED@",
                format!("%3{a1}%3{a2}{}.{b}.{c}.{d}", a % 10, a1 = a / 100, a2 = a / 10 % 10),
            ),
        ] {
            self.values.push((name.to_owned(), value));
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: String) {
        self.values.retain(|(known, _)| known != name);
        self.values.push((name.to_owned(), value));
    }

    pub(crate) fn fill_all(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.fill(text)).collect()
    }
}

/// Besides those of [`ESCAPED`].
const SPELLINGS: [&str; 14] = [
    "raw",
    "base64",
    "base64url",
    "base64-behind",
    "base64-lines",
    "hex",
    "HEX",
    "url",
    "url-lower",
    "url-all",
    "url-all-lower",
    "spaced",
    "lines",
    "tabs",
];

/// Since 1970.
fn now() -> Duration {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
}

/// A text that no other process has on its command line.
fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("mark-{}-{}-end", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The full-width form of a digit or a full stop, which IDNA takes for the plain one.
fn wide(c: char) -> char {
    match c {
        '.' => '\u{3002}',
        digit => char::from_u32(u32::from(digit) + 0xfee0).unwrap_or(digit),
    }
}

fn repeated(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("@REPEAT ") {
        let (order, after) = behind.split_once('@').expect("@REPEAT x 5@ ends with @");
        let (unit, count) = order.rsplit_once(' ').expect("@REPEAT x 5@ has a count");
        out.push_str(before);
        out.push_str(&unit.repeat(count.parse().expect("the count is a number")));
        rest = after;
    }
    out + rest
}
