//! A row as it stands in a file, and the chain that it is a link of.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use protocol::Object;
use sha2::{Digest, Sha256};

use super::escape;

/// How many characters a hash has.
const HASH: usize = 64;

/// What stands in front of the counter, and around the hash at the end.
const COUNTER: &str = "{\"n\":";
const BEFORE_HASH: &str = ",\"hash\":\"";
const AFTER_HASH: &str = "\"}";

/// Where a chain has come to: its last row's counter and hash. As text, `COUNTER:HASH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The counter; the first row has 1.
    pub n: u64,
    /// The hash, in lower-case hexadecimal.
    pub hash: String,
}

/// A text that is no head.
#[derive(Debug, thiserror::Error)]
#[error(
    "a head is COUNTER:HASH, with the 64 letters of the hash, as `{}` prints it",
    home::router_command("audit head")
)]
pub struct HeadError;

impl Head {
    /// What stands in front of the first row of the log of this name.
    pub fn before_all(name: &str) -> Self {
        Self { n: 0, hash: digest([name, ""]) }
    }

    /// The line, with its end, that `row` makes after this one, and the head that it becomes.
    pub fn followed_by(&self, row: &Object) -> (String, Self) {
        let n = self.n + 1;
        // An object of JSON values always has a JSON form.
        let row = escape::json(serde_json::to_string(row).unwrap_or_default());
        let inner = row.strip_prefix('{').and_then(|row| row.strip_suffix('}')).unwrap_or_default();
        let body = format!("{COUNTER}{n},{inner}");
        let hash = digest([&self.hash, &body]);
        (format!("{body}{BEFORE_HASH}{hash}{AFTER_HASH}\n"), Self { n, hash })
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.n, self.hash)
    }
}

impl FromStr for Head {
    type Err = HeadError;

    fn from_str(text: &str) -> Result<Self, HeadError> {
        let (n, hash) = text.trim().split_once(':').ok_or(HeadError)?;
        let hash = hash.to_ascii_lowercase();
        match n.parse() {
            Ok(n) if is_hash(&hash) => Ok(Self { n, hash }),
            _ => Err(HeadError),
        }
    }
}

/// A line of a file that has the form of a row.
#[derive(Debug)]
pub struct Row<'a> {
    /// What the row says of its place.
    pub head: Head,
    line: &'a str,
    body: &'a str,
}

impl<'a> Row<'a> {
    /// Reads a line without its end; `None` when it is no row.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let (body, hash) = line.strip_suffix(AFTER_HASH)?.rsplit_once(BEFORE_HASH)?;
        let (n, _) = body.strip_prefix(COUNTER)?.split_once(',')?;
        // No chain comes that far, and a row must be able to follow.
        let n = n.parse().ok().filter(|n| *n < u64::MAX)?;
        let head = Head { n, hash: hash.to_owned() };
        is_hash(hash).then_some(Self { head, line, body })
    }

    /// Whether it is as it was written, after `before`.
    pub fn follows(&self, before: &Head) -> bool {
        Some(self.head.n) == before.n.checked_add(1)
            && self.head.hash == digest([&before.hash, self.body])
    }

    /// What it says.
    pub fn fields(&self) -> Option<Object> {
        serde_json::from_str(self.line).ok()
    }
}

/// The SHA-256 of `bytes`, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

fn digest(texts: [&str; 2]) -> String {
    let mut sha = Sha256::new();
    texts.iter().for_each(|text| sha.update(text));
    HEXLOWER.encode(&sha.finalize())
}

fn is_hash(text: &str) -> bool {
    text.len() == HASH && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let before = Head::before_all("router-1");
        let row = Object::from_iter([("text".to_owned(), ",\"hash\":\"x\"} \u{1b}".into())]);
        let (line, head) = before.followed_by(&row);
        let read = Row::read(line.trim_end().as_bytes()).unwrap();
        assert_eq!(read.head, head);
        assert!(read.follows(&before));
        assert_eq!(read.fields().unwrap()["text"], row["text"]);
        assert!(!read.follows(&head));
        assert_eq!(head.to_string().parse::<Head>().unwrap(), head);
        assert!("1:abc".parse::<Head>().is_err());
    }

    #[test]
    fn what_is_no_row() {
        let (line, _) = Head::before_all("router-1").followed_by(&Object::new());
        for cut in 0..line.len() - 1 {
            assert!(Row::read(&line.as_bytes()[..cut]).is_none(), "{cut}");
        }
        assert!(Row::read(b"{\"row\":\"intent\"}").is_none());
        let last = line.replace("\"n\":1", &format!("\"n\":{}", u64::MAX));
        assert!(Row::read(last.trim_end().as_bytes()).is_none());
    }
}
