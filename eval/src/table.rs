//! The book's table of small models, made from the results that are kept, between two marks.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};

use crate::cards::root;
use crate::results::{Results, Row};
use crate::utterance::Asked;

/// The page of the book that holds the table.
pub const PAGE: &str = "docs/src/small-models.md";

/// The lines of [`PAGE`] between which the table stands.
pub const MARKS: [&str; 2] = ["<!-- small models -->", "<!-- end of small models -->"];

/// All results, as they stand in [`PAGE`].
#[must_use]
pub fn readme(kept: &[Results]) -> String {
    kept.iter().map(of_model).collect::<Vec<_>>().join("\n")
}

fn of_model(results: &Results) -> String {
    let Results { model, server, date, command, note, row } = results;
    let note = note.as_ref().map(|note| format!("\n{note}\n")).unwrap_or_default();
    format!("{model} on {server}, {date}, `{command}`:\n\n{}{note}", rows(row))
}

/// One model's table.
#[must_use]
pub fn rows(rows: &[Row]) -> String {
    let mut text = String::from(
        "| way of asking | one action | none | several | after a failure | all | held out | not English |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let Row { way, action, none, several, recover, held, not_english, .. } = row;
        let parts = [*action, *none, *several, *recover];
        let counts = parts.map(|[right, of]| format!("{right} of {of}")).join(" | ");
        let shares = [row.all(), *held, *not_english].map(percent).join(" | ");
        // Writing to a String can't fail.
        _ = writeln!(text, "| {} | {counts} | {shares} |", named(*way));
    }
    text
}

fn percent([right, of]: [usize; 2]) -> String {
    format!("{:.0} %", 100.0 * right as f64 / of.max(1) as f64)
}

fn named(asked: Asked) -> &'static str {
    match asked {
        Asked::Seed => "the first SafeClaw's prompt",
        Asked::ToolCode => "`tool_code`",
        Asked::Json => "`json`",
        Asked::Native => "`native`",
    }
}

/// What stands between the marks of a page.
///
/// # Errors
/// When it has no marks.
pub fn between_marks(page: &str) -> Result<&str> {
    let [begin, end] = MARKS;
    let (_, rest) = page.split_once(begin).with_context(|| format!("{PAGE} has no {begin}"))?;
    let (inside, _) = rest.split_once(end).with_context(|| format!("{PAGE} has no {end}"))?;
    Ok(inside.trim())
}

/// Puts the table into [`PAGE`].
///
/// # Errors
/// When that has no marks or can't be written.
pub fn write(kept: &[Results]) -> Result<()> {
    let file = root().join(PAGE);
    let page = fs::read_to_string(&file)?;
    let old = between_marks(&page)?;
    let new = readme(kept);
    let page = match old {
        "" => page.replacen(MARKS[0], &format!("{}\n\n{}\n", MARKS[0], new.trim_end()), 1),
        old => page.replacen(old, new.trim_end(), 1),
    };
    Ok(fs::write(&file, page)?)
}
