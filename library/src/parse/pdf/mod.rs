//! PDF (ISO 32000): text by pages, below the entries of its outline; one bad page leaves the rest.
//!
//! The pages' drawing is first [made plain](plain): of all that it may do, only what shows text stays, and
//! what a person could not see is left out. The text is then taken from what stays.

mod colour;
mod drawing;
mod matrix;
mod outline;
mod plain;

use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document as Raw, PlainTextOutput, output_doc_page};
use unicode_normalization::UnicodeNormalization;

use super::{Budget, Parser, broken};
use crate::{Document, Pages, ParseError, Section};
use plain::Seen;

const WHAT: &str = "PDF";

pub(super) struct Pdf;

impl Parser for Pdf {
    fn parse(&self, bytes: &[u8], _budget: &Budget) -> Result<Document, ParseError> {
        let mut pdf = load(bytes)?;
        let pages: Vec<u32> = pdf.get_pages().keys().copied().collect();
        let seen = plain::make_plain(&mut pdf);
        let texts: Vec<Option<String>> = pages.iter().map(|page| text(&pdf, *page)).collect();
        let unread = texts.iter().filter(|text| text.is_none()).count();
        let texts: Vec<String> = texts.into_iter().map(Option::unwrap_or_default).collect();
        if texts.iter().all(|text| text.trim().is_empty()) {
            return Err(nothing(pages.len(), unread, seen));
        }
        let sections = sections(&pages, &texts, &outline::entries(&pdf));
        Ok(Document { sections, notes: notes(unread, seen) })
    }
}

fn load(bytes: &[u8]) -> Result<Raw, ParseError> {
    let mut pdf = match Raw::load_mem(bytes) {
        Ok(pdf) => pdf,
        Err(error) if error.to_string().to_lowercase().contains("password") => {
            return Err(ParseError::Encrypted);
        }
        Err(error) => return Err(broken(WHAT, error)),
    };
    // Many files are locked against changes alone, and open with the empty password.
    if pdf.is_encrypted() && pdf.decrypt("").is_err() {
        return Err(ParseError::Encrypted);
    }
    Ok(pdf)
}

/// The text of one page; none when its fonts or its drawing cannot be read.
fn text(pdf: &Raw, page: u32) -> Option<String> {
    let read = catch_unwind(AssertUnwindSafe(|| {
        let mut text = String::new();
        output_doc_page(pdf, &mut PlainTextOutput::new(&mut text), page).ok()?;
        Some(text)
    }));
    let text = read.ok().flatten().or_else(|| {
        // A plainer way to the words, for fonts that the first one does not know.
        catch_unwind(AssertUnwindSafe(|| pdf.extract_text(&[page]).ok())).ok().flatten()
    })?;
    Some(tidy(&text))
}

/// `text` without blanks at the ends of lines and without more than one empty line in a row; letters that
/// print as one are two again, and a word that a line's end cut is whole.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty >= 2 {
            continue;
        }
        if is_cut(&tidy) && line.starts_with(char::is_lowercase) {
            tidy.truncate(tidy.len() - "-\n".len());
        }
        for letter in line.chars().filter(|letter| *letter != '\0') {
            match letter {
                '\u{fb00}'..='\u{fb06}' => tidy.extend(iter::once(letter).nfkc()),
                letter => tidy.push(letter),
            }
        }
        tidy.push('\n');
    }
    tidy.trim_matches('\n').to_owned()
}

/// Whether the last line of `text` ends within a word.
fn is_cut(text: &str) -> bool {
    text.strip_suffix("-\n").is_some_and(|line| line.ends_with(char::is_alphabetic))
}

fn nothing(pages: usize, unread: usize, seen: Seen) -> ParseError {
    if seen.hidden > 0 {
        let why = format!("all of its text ({} characters) is hidden from people", seen.hidden);
        return broken(WHAT, why);
    }
    if unread == pages {
        return broken(WHAT, "none of its pages could be read");
    }
    match seen.pictures {
        0 => ParseError::NoText,
        _ => ParseError::Scanned { pages },
    }
}

fn notes(unread: usize, seen: Seen) -> Vec<String> {
    let mut notes = Vec::new();
    if seen.hidden > 0 {
        notes.push(format!("{} characters of hidden text were left out", seen.hidden));
    }
    if seen.recognised > 0 {
        notes.push(format!(
            "the text of {} scanned pages is what a program recognised",
            seen.recognised
        ));
    }
    if unread > 0 {
        notes.push(format!("{unread} pages could not be read and were left out"));
    }
    notes
}

/// Consecutive pages below the same entry are one section; without an outline each page is one.
fn sections(pages: &[u32], texts: &[String], entries: &[outline::Entry]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (page, text) in pages.iter().zip(texts) {
        let headings = outline::above(entries, *page);
        let blank = text.trim().is_empty();
        match sections.last_mut() {
            Some(last) if !headings.is_empty() && last.headings == headings => {
                last.text.push_str(if blank { "" } else { "\n\n" });
                last.breaks.push(last.text.len());
                last.text.push_str(text);
                last.pages = last.pages.map(|pages| Pages { last: *page, ..pages });
            }
            _ if blank => {}
            _ => sections.push(Section { headings, ..Section::on_page(*page, text) }),
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_made_tidy() {
        assert_eq!(
            tidy("\n an in-  \nformation\n\n\n\n\u{fb01}ne, Jean-\nPaul \n"),
            " an information\n\nfine, Jean-\nPaul"
        );
    }
}
