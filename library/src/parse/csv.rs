//! Comma-separated values: each row with the names of its columns, so that a passage explains itself.

use super::text::decode;
use super::xlsx::rows;
use super::{Budget, Parser, broken};
use crate::{Document, ParseError, Section};

pub(super) struct Csv;

impl Parser for Csv {
    fn parse(&self, bytes: &[u8], _budget: &Budget) -> Result<Document, ParseError> {
        let text = decode(bytes, "CSV")?;
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter(&text))
            .from_reader(text.as_bytes());
        let mut table = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| broken("CSV", error))?;
            table.push(row.iter().map(str::to_owned).collect());
        }
        let sections = vec![Section::new(Vec::new(), rows(table))];
        Ok(Document { sections, notes: Vec::new() })
    }
}

/// The mark that the first line uses most, of those that spreadsheets write.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let count = |mark: u8| first.bytes().filter(|byte| *byte == mark).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(|mark| count(*mark)).unwrap_or(b',')
}
