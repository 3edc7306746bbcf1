//! A part of a file that is shown by what it means.

use regex::Regex;

use super::definition;
use super::file::File;

/// How many lines a view shows at most.
const LONGEST: usize = 1000;

/// What a view shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// The whole file.
    All,
    /// From a line that fits `start` to the next that fits `end`, or that line alone.
    Lines { start: String, end: Option<String> },
    /// The place where a name is defined.
    Definition { name: String },
}

/// A view.
#[derive(Debug)]
pub(super) struct View {
    pub(super) id: u64,
    pub(super) file: String,
    pub(super) what: What,
    pub(super) label: Option<String>,
    /// Which of the matches it shows.
    pub(super) at: usize,
    /// Why it could not be shown last.
    pub(super) broken: Option<String>,
}

/// Where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Its first line, from 1.
    pub(super) first: usize,
    /// Its last.
    pub(super) last: usize,
    /// What it is, in words.
    what: String,
}

impl View {
    /// Finds it in the file as it is now.
    ///
    /// # Errors
    /// Why it is not there.
    pub(super) fn find(&self, file: &File) -> Result<Found, String> {
        let mut found = match &self.what {
            What::All => {
                Found { first: 1, last: file.all().count().max(1), what: "all".to_owned() }
            }
            What::Lines { start, end } => self.between(file, start, end.as_deref())?,
            What::Definition { name } => {
                let (kind, first, last) = definition::within(file, &self.file, name)
                    .ok_or_else(|| format!("{name:?} is not defined here any more"))?;
                Found { first, last, what: format!("{kind} {name:?}") }
            }
        };
        found.last = found.last.min(found.first + LONGEST - 1);
        Ok(found)
    }

    fn between(&self, file: &File, start: &str, end: Option<&str>) -> Result<Found, String> {
        let (start_at, end_at) = (regex(start)?, end.map(regex).transpose()?);
        let mut starts = (1..).zip(file.all()).filter(|(_, line)| start_at.is_match(line));
        let (first, _) = starts.nth(self.at).ok_or_else(|| format!("no line fits /{start}/"))?;
        let last = match &end_at {
            None => Some(first),
            Some(end) => {
                let mut after = (1..).zip(file.all()).skip(first);
                after.find(|(_, line)| end.is_match(line)).map(|(number, _)| number)
            }
        };
        let last = last.ok_or_else(|| {
            format!("no line after line {first} fits /{}/", end.unwrap_or_default())
        })?;
        let what = match (&self.label, end) {
            (Some(label), _) => format!("{label:?}"),
            (None, Some(end)) => format!("/{start}/ to /{end}/"),
            (None, None) => format!("/{start}/"),
        };
        Ok(Found { first, last, what })
    }

    /// The line above it: `> hello.c: function "main", lines 4-6`.
    pub(super) fn title(&self, found: &Found) -> String {
        let Found { first, last, what } = found;
        format!("> {}: {what}, lines {first}-{last}", self.file)
    }
}

/// The pattern.
///
/// # Errors
/// `Invalid regex pattern: ...`
pub(super) fn regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| {
        let error = error.to_string();
        format!("Invalid regex pattern: {}", error.lines().last().unwrap_or_default().trim())
    })
}
