//! What has been read of a file so far: its faults, and values with their type checked.

use std::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Checked;
use crate::policy::fault::Fault;
use crate::policy::rules::Rules;
use crate::policy::then::Place;

/// A file that is being read.
pub(super) struct Reading<'t> {
    text: &'t str,
    pub(super) faults: Vec<Fault>,
    pub(super) warnings: Vec<Fault>,
}

/// A table of it, with the name by which people know it.
pub(super) struct Section<'a> {
    pub(super) name: String,
    pub(super) table: &'a DeTable<'a>,
}

impl<'a> Section<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }
}

impl<'t> Reading<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, faults: Vec::new(), warnings: Vec::new() }
    }

    pub(super) fn place(&self, at: &Range<usize>) -> Place {
        Place::in_text(self.text, at.start)
    }

    /// Where a table stands, with all that it says.
    pub(super) fn paragraph(&self, at: &Range<usize>) -> Place {
        self.place(at).with_what_follows(self.text)
    }

    pub(super) fn fault(
        &mut self,
        at: &Range<usize>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let place = self.place(at);
        self.faults.push(Fault { place, why: why.into(), fix: fix.into() });
    }

    pub(super) fn warning(&mut self, place: Place, why: impl Into<String>, fix: impl Into<String>) {
        self.warnings.push(Fault { place, why: why.into(), fix: fix.into() });
    }

    /// The rules, if nothing is wrong.
    pub(super) fn finish(mut self, rules: Rules) -> Result<Checked, Vec<Fault>> {
        self.faults.sort_by_key(|fault| fault.place.line);
        if self.faults.is_empty() {
            Ok(Checked { rules, warnings: self.warnings })
        } else {
            Err(self.faults)
        }
    }

    /// A key that means nothing is a typo, and a rule with one would not say what its writer meant.
    pub(super) fn check_keys(&mut self, section: &Section, known: &[&str]) {
        for key in section.table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let fix = match home::nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("it may hold {}", known.join(", ")),
            };
            self.fault(&key.span(), format!("there is no key {name} in {}", section.name), fix);
        }
    }

    /// The table `[name]` of the file.
    pub(super) fn section<'a>(&mut self, file: &Section<'a>, name: &str) -> Option<Section<'a>> {
        let value = file.get(name)?;
        match value.get_ref().as_table() {
            Some(table) => Some(Section { name: format!("[{name}]"), table }),
            None => {
                let why = format!("{name} is a table");
                self.fault(&value.span(), why, format!("write [{name}] on a line of its own"));
                None
            }
        }
    }

    pub(super) fn text<'a>(
        &mut self,
        section: &Section<'a>,
        key: &str,
    ) -> Option<(&'a str, Range<usize>)> {
        let value = section.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            let why = format!("{key} is a text");
            self.fault(&value.span(), why, format!("put it into quotes: {key} = \"...\""));
        }
        Some((text?, value.span()))
    }

    /// One of `words`.
    pub(super) fn word<T: Copy>(
        &mut self,
        section: &Section,
        key: &str,
        words: &[(&str, T)],
    ) -> Option<(T, Range<usize>)> {
        let (text, at) = self.text(section, key)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let all: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
            let why = format!("{key} is one of {}, not {text:?}", all.join(", "));
            let near = home::nearest(text, words.iter().map(|(word, _)| *word));
            let right = near.unwrap_or(words.last()?.0);
            self.fault(&at, why, format!("write {key} = {right:?}"));
        }
        Some((found?.1, at))
    }

    /// A whole number within `bounds`.
    pub(super) fn number(
        &mut self,
        section: &Section,
        key: &str,
        bounds: RangeInclusive<u32>,
    ) -> Option<u32> {
        let value = section.get(key)?;
        let number = value.get_ref().as_integer().and_then(|number| {
            let digits = number.as_str();
            u32::from_str_radix(digits, number.radix()).ok()
        });
        let number = number.filter(|number| bounds.contains(number));
        if number.is_none() {
            let (least, most) = bounds.into_inner();
            let why = format!("{key} is a whole number from {least} to {most}");
            self.fault(&value.span(), why, "write one, or leave the line out".to_owned());
        }
        number
    }
}
