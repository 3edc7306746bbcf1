//! Texts as a search for secrets sees them.
//!
//! A view is plain lower-case ASCII: what is not ASCII stands there as `%xx` for each of its bytes, and white space, controls
//! and what nobody sees are left out. Each letter knows where it comes from.

use std::ops::Range;

/// How often a text is decoded that was encoded several times.
const ROUNDS: usize = 3;

/// The longest escape, in letters: `&hyphen;`, `\u{10ffff}`.
const LONGEST: usize = 16;

/// What HTML calls the marks that stand in tokens and passwords.
const ENTITIES: [(&str, u8); 29] = [
    ("amp", b'&'),
    ("lt", b'<'),
    ("gt", b'>'),
    ("quot", b'"'),
    ("apos", b'\''),
    ("excl", b'!'),
    ("num", b'#'),
    ("dollar", b'$'),
    ("percnt", b'%'),
    ("lpar", b'('),
    ("rpar", b')'),
    ("ast", b'*'),
    ("plus", b'+'),
    ("comma", b','),
    ("period", b'.'),
    ("sol", b'/'),
    ("colon", b':'),
    ("semi", b';'),
    ("equals", b'='),
    ("quest", b'?'),
    ("commat", b'@'),
    ("lsqb", b'['),
    ("bsol", b'\\'),
    ("rsqb", b']'),
    ("hat", b'^'),
    ("lowbar", b'_'),
    ("lcub", b'{'),
    ("verbar", b'|'),
    ("rcub", b'}'),
];

/// The bytes of an escape, and how many letters spell it.
type Escape = Option<(Vec<u8>, usize)>;

/// A text in which a secret stands in one piece, with the place that each letter has in the original.
#[derive(Clone, PartialEq)]
pub(super) struct View {
    pub(super) text: String,
    from: Vec<Range<usize>>,
}

impl View {
    fn with_room(room: usize) -> Self {
        Self { text: String::with_capacity(room), from: Vec::with_capacity(room) }
    }

    /// `text` without what nobody sees, and without the ends of lines that quoted-printable breaks.
    pub(super) fn solid(text: &str) -> Self {
        let mut view = Self::with_room(text.len());
        for (at, c) in text.char_indices() {
            if is_unseen(c) || (c == '=' && is_soft_break(&text[at + 1..])) {
                continue;
            }
            let from = at..at + c.len_utf8();
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                view.push(byte, &from);
            }
        }
        view
    }

    /// Every way in which it may be meant: as it stands, decoded once or several times, and quoted-printable.
    pub(super) fn readings(self) -> Vec<Self> {
        let mut readings = vec![self];
        let quoted = readings[0].text.contains('=').then(|| readings[0].decoded(quoted_printable));
        for start in [Some(readings[0].clone()), quoted].into_iter().flatten() {
            let mut view = start;
            for _ in 0..ROUNDS {
                if !readings.contains(&view) {
                    readings.push(view.clone());
                }
                if !view.text.contains(['%', '&', '\\']) {
                    break;
                }
                view = view.decoded(escape);
            }
            if !readings.contains(&view) {
                readings.push(view);
            }
        }
        readings
    }

    /// The digits of hexadecimal alone, whatever stands between them.
    pub(super) fn digits(&self) -> Self {
        let mut view = Self::with_room(self.text.len());
        let bytes = self.text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            let is_prefix = *byte == b'0' && bytes.get(at + 1) == Some(&b'x');
            if byte.is_ascii_hexdigit() && !is_prefix {
                view.push(*byte, &self.from[at]);
            }
        }
        view
    }

    /// With each escape that `read` finds in the place of the letters that spell it.
    fn decoded(&self, read: fn(&str) -> Escape) -> Self {
        let mut view = Self::with_room(self.text.len());
        let mut at = 0;
        while at < self.text.len() {
            let end = (at + LONGEST).min(self.text.len());
            let (bytes, length) =
                read(&self.text[at..end]).unwrap_or_else(|| (vec![self.text.as_bytes()[at]], 1));
            let from = self.from[at].start..self.from[at + length - 1].end;
            for byte in bytes.into_iter().filter(|byte| !byte.is_ascii_whitespace()) {
                view.push(byte, &from);
            }
            at += length;
        }
        view
    }

    fn push(&mut self, byte: u8, from: &Range<usize>) {
        let before = self.text.len();
        match byte {
            0..0x80 => self.text.push(char::from(byte.to_ascii_lowercase())),
            _ => self.text.push_str(&format!("%{byte:02x}")),
        }
        self.from.extend(std::iter::repeat_n(from.clone(), self.text.len() - before));
    }

    /// Where the needles stand in the original.
    pub(super) fn find(&self, needles: &[String]) -> Vec<Range<usize>> {
        let places = needles.iter().flat_map(|needle| {
            self.text.match_indices(needle.as_str()).map(|(at, found)| at..at + found.len())
        });
        places.map(|place| self.from[place.start].start..self.from[place.end - 1].end).collect()
    }

    /// Where in the original the longest end begins that is the beginning of a needle, of `least` letters or more.
    pub(super) fn open_end(&self, needles: &[String], least: usize) -> Option<usize> {
        let begins = |needle: &String| {
            let longest = needle.len().saturating_sub(1).min(self.text.len());
            let length = (least..=longest)
                .rev()
                .find(|length| self.text.as_bytes().ends_with(&needle.as_bytes()[..*length]))?;
            Some(self.from[self.text.len() - length].start)
        };
        needles.iter().filter_map(begins).min()
    }
}

/// Whether a person sees nothing of it: white space, controls, and what is invisible or turns the direction of writing.
fn is_unseen(c: char) -> bool {
    c.is_whitespace() || c.is_control() || legible::is_unseen(c)
}

/// Whether a line ends here, behind the `=` of quoted-printable (RFC 2045, 6.7).
fn is_soft_break(rest: &str) -> bool {
    rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
}

/// The bytes of an escape that `text` begins with, and its length: `%2f`, `&#47;`, `&sol;`, `\u002f`, `\x2f`, `\/`.
fn escape(text: &str) -> Escape {
    match text.as_bytes().first()? {
        b'%' => Some((vec![byte(text.get(1..3)?)?], 3)),
        b'&' => entity(text),
        b'\\' => backslash(text),
        _ => None,
    }
}

fn quoted_printable(text: &str) -> Escape {
    let hex = text.strip_prefix('=')?.get(..2)?;
    Some((vec![byte(hex)?], 3))
}

fn entity(text: &str) -> Escape {
    let rest = &text[1..];
    let Some(number) = rest.strip_prefix('#') else {
        let (name, byte) = ENTITIES
            .iter()
            .find(|(name, _)| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(';')))?;
        return Some((vec![*byte], name.len() + 2));
    };
    let (digits, radix, before) = match number.strip_prefix('x') {
        Some(hex) => (hex, 16, 3),
        None => (number, 10, 2),
    };
    let length = digits.bytes().take_while(|digit| char::from(*digit).is_digit(radix)).count();
    let ends = usize::from(digits[length..].starts_with(';'));
    Some((utf8(&digits[..length], radix)?, before + length + ends))
}

fn backslash(text: &str) -> Escape {
    let rest = &text[1..];
    let fixed = |digits: Option<&str>, before: usize| {
        let digits = digits?;
        Some((utf8(digits, 16)?, before + digits.len()))
    };
    match rest.as_bytes().first()? {
        b'x' => Some((vec![byte(rest.get(1..3)?)?], 4)),
        b'u' if rest[1..].starts_with('{') => {
            let digits = &rest[2..rest.find('}')?];
            Some((utf8(digits, 16)?, digits.len() + 4))
        }
        b'u' => {
            let long = rest.get(1..9).filter(|digits| digits.starts_with("000"));
            fixed(long, 2).or_else(|| fixed(rest.get(1..5), 2))
        }
        mark @ (b'/' | b'"' | b'\'' | b'\\') => Some((vec![*mark], 2)),
        _ => None,
    }
}

fn utf8(digits: &str, radix: u32) -> Option<Vec<u8>> {
    let c = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
    Some(if is_unseen(c) { Vec::new() } else { c.to_string().into_bytes() })
}

fn byte(hex: &str) -> Option<u8> {
    let is_hex = hex.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u8::from_str_radix(hex, 16).ok()).flatten()
}
