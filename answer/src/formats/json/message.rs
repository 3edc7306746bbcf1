//! Decodes the message of an answer that is one JSON object, while it comes.

/// A JSON text whose quotation mark has been opened.
#[derive(Debug, Default)]
pub(crate) struct DecodedMessage {
    /// An escape that has begun, without its backslash.
    escape: Option<String>,
    /// The first half of a surrogate pair.
    high: Option<u32>,
    /// It holds what JSON does not.
    pub(crate) is_broken: bool,
}

/// What one more character means.
pub(crate) enum DecodedPart {
    /// Nothing yet.
    Nothing,
    /// This character.
    Char(char),
    /// The end of the text.
    End,
}

impl DecodedMessage {
    /// Takes the next character as it is written.
    pub(crate) fn take(&mut self, c: char) -> DecodedPart {
        if let Some(mut escape) = self.escape.take() {
            escape.push(c);
            return self.escaped(escape);
        }
        if c == '\\' {
            self.escape = Some(String::new());
            return DecodedPart::Nothing;
        }
        // The first half of a pair alone is no character.
        self.is_broken |= self.high.take().is_some();
        match c {
            '"' => DecodedPart::End,
            '\r' => DecodedPart::Nothing,
            c => DecodedPart::Char(c),
        }
    }

    fn escaped(&mut self, escape: String) -> DecodedPart {
        if let Some(digits) = escape.strip_prefix('u') {
            if digits.len() < 4 {
                self.escape = Some(escape);
                return DecodedPart::Nothing;
            }
            return self.unit(u32::from_str_radix(digits, 16).unwrap_or(0xdc00));
        }
        self.is_broken |= self.high.take().is_some();
        DecodedPart::Char(match escape.chars().next() {
            Some(c @ ('"' | '\\' | '/' | '\'')) => c,
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r' | 'b' | 'f') => return DecodedPart::Nothing,
            _ => {
                self.is_broken = true;
                return DecodedPart::Nothing;
            }
        })
    }

    fn unit(&mut self, unit: u32) -> DecodedPart {
        let code = match (self.high.take(), unit) {
            (None, 0xd800..0xdc00) => {
                self.high = Some(unit);
                return DecodedPart::Nothing;
            }
            (Some(high), 0xdc00..0xe000) => 0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00),
            (None, unit) => unit,
            (Some(_), _) => 0xdc00,
        };
        match char::from_u32(code) {
            Some(c) => DecodedPart::Char(c),
            None => {
                self.is_broken = true;
                DecodedPart::Nothing
            }
        }
    }
}
