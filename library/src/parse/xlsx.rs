//! Spreadsheets: a section for each sheet, each row with the names of its columns.

use std::io::Cursor;

use calamine::{Data, Reader, Xlsx as Workbook};

use super::{Budget, Parser, broken, zipped};
use crate::tags::one_line;
use crate::{Document, ParseError, Section};

pub(super) struct Xlsx;

impl Parser for Xlsx {
    fn parse(&self, bytes: &[u8], budget: &Budget) -> Result<Document, ParseError> {
        // The reader below unpacks without a limit, so the sizes are measured before.
        zipped::Archive::open(bytes, budget, "xlsx")?.measure()?;
        let mut book = Workbook::new(Cursor::new(bytes)).map_err(|error| broken("xlsx", error))?;
        let mut document = Document::default();
        for sheet in book.sheet_names() {
            match book.worksheet_range(&sheet) {
                Ok(range) => {
                    let table = range.rows().map(|row| row.iter().map(cell).collect()).collect();
                    document.sections.push(Section::new(vec![sheet], rows(table)));
                }
                Err(error) => {
                    document.notes.push(format!("The sheet {sheet:?} was left out: {error}"));
                }
            }
        }
        Ok(document)
    }
}

fn cell(data: &Data) -> String {
    match data {
        Data::Empty => String::new(),
        // Dates are numbers in a sheet; people read them as dates.
        Data::DateTime(date) if date.is_datetime() => {
            let (year, month, day, hour, minute, _, _) = date.to_ymd_hms_milli();
            match (hour, minute) {
                (0, 0) => format!("{year:04}-{month:02}-{day:02}"),
                _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}"),
            }
        }
        other => other.to_string(),
    }
}

/// A table as text: `name: value` pairs a row, by the names of its first row.
pub(super) fn rows(table: Vec<Vec<String>>) -> String {
    let mut rows = table.into_iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    let Some(names) = rows.next() else { return String::new() };
    let names: Vec<String> = names.iter().map(|name| one_line(name)).collect();
    let mut lines = vec![filled(&names).collect::<Vec<_>>().join(", ")];
    for row in rows {
        let cells = row.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty());
        let named = cells.map(|(at, cell)| match names.get(at).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name}: {}", one_line(cell)),
            None => one_line(cell),
        });
        lines.push(named.collect::<Vec<_>>().join("; "));
    }
    lines.join("\n")
}

fn filled(names: &[String]) -> impl Iterator<Item = &str> {
    names.iter().map(String::as_str).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_carry_the_names_of_their_columns() {
        let table = [vec!["Name", "", "Price"], vec!["Tea", "x", "3"], vec!["", ""], vec!["Ink"]];
        let table = table.into_iter().map(|row| row.into_iter().map(str::to_owned).collect());
        assert_eq!(rows(table.collect()), "Name, Price\nName: Tea; x; Price: 3\nName: Ink");
        assert_eq!(rows(Vec::new()), "");
    }
}
