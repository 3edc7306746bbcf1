//! Reads a file's bytes into sections of text. One small trait; a file here for each kind of file.
//!
//! The bytes are a stranger's. A parser opens no other file and no connection, keeps to the [`Budget`], and
//! answers with an error where it cannot go on; the caller runs it where a crash costs nothing.

mod csv;
mod docx;
mod epub;
mod html;
mod markdown;
mod pdf;
mod text;
mod xlsx;
mod xml;
mod zipped;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Document, Element, ParseError};

/// The largest file that is read, in bytes: 10 MiB.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// What one parse may use.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// The largest file, in bytes.
    pub bytes: usize,
    /// The most that it may unpack to, in bytes, all its parts together.
    pub unpacked: u64,
    /// The most parts that an archive may have.
    pub parts: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: MAX_BYTES, unpacked: 100 * 1024 * 1024, parts: 10_000 }
    }
}

/// What reads one kind of file.
pub trait Parser {
    /// The text of `bytes`.
    ///
    /// # Errors
    /// When they are not such a file, are locked, or need more than the budget.
    fn parse(&self, bytes: &[u8], budget: &Budget) -> Result<Document, ParseError>;
}

fn parser(element: Element) -> &'static dyn Parser {
    match element {
        Element::Pdf => &pdf::Pdf,
        Element::Docx => &docx::Docx,
        Element::Md => &markdown::Markdown,
        Element::Txt => &text::Text,
        Element::Html => &html::Html,
        Element::Epub => &epub::Epub,
        Element::Xlsx => &xlsx::Xlsx,
        Element::Csv => &csv::Csv,
    }
}

/// What the file `name` holds. Only the ending of its name counts; its folder and its dots mean nothing.
///
/// # Errors
/// See [`ParseError`]; a parser that panics is an error too.
pub fn parse(name: &str, bytes: &[u8], budget: &Budget) -> Result<(Element, Document), ParseError> {
    let unsupported = || ParseError::Unsupported { name: name.to_owned() };
    let element = Element::of_name(name).ok_or_else(unsupported)?;
    if bytes.len() > budget.bytes {
        let (bytes, limit) = (bytes.len() as u64, budget.bytes as u64);
        return Err(ParseError::TooLarge { bytes, limit });
    }
    let document = catch_unwind(AssertUnwindSafe(|| parser(element).parse(bytes, budget)))
        .unwrap_or_else(|_| Err(broken(element.as_str(), "it confused the reader")))?;
    if document.is_blank() {
        return Err(ParseError::NoText);
    }
    Ok((element, document))
}

fn broken(what: &'static str, why: impl ToString) -> ParseError {
    ParseError::Broken { what, why: why.to_string() }
}

#[cfg(test)]
mod tests;
