//! Plain text, in whatever charset it was written.

use super::{Budget, Parser, broken};
use crate::{Document, ParseError, Section, charset};

pub(super) struct Text;

impl Parser for Text {
    fn parse(&self, bytes: &[u8], _budget: &Budget) -> Result<Document, ParseError> {
        let text = decode(bytes, "text")?;
        Ok(Document { sections: vec![Section::new(Vec::new(), text)], notes: Vec::new() })
    }
}

/// The text of `bytes` with plain line ends; what has NUL characters is no text.
pub(super) fn decode(bytes: &[u8], what: &'static str) -> Result<String, ParseError> {
    let text = charset::decode(bytes, None);
    if text.contains('\0') {
        return Err(broken(what, "it has NUL characters, so it is probably no text"));
    }
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}
