//! Word files (ECMA-376, part 1, section 17): paragraphs, headings by their style's level, tables.

use std::collections::HashMap;

use super::xml::{Piece, attribute, walk};
use super::{Budget, Parser, zipped};
use crate::tags::one_line;
use crate::{Document, ParseError, Section};

const WHAT: &str = "docx";

pub(super) struct Docx;

impl Parser for Docx {
    fn parse(&self, bytes: &[u8], budget: &Budget) -> Result<Document, ParseError> {
        let mut archive = zipped::Archive::open(bytes, budget, WHAT)?;
        let styles = archive.part("word/styles.xml")?;
        let levels = styles.map_or_else(|| Ok(HashMap::new()), |styles| levels(&styles))?;
        let body = archive.needed("word/document.xml")?;
        let mut writer = Writer { levels, ..Writer::default() };
        walk(&body, WHAT, |piece| writer.take(&piece))?;
        Ok(writer.finish())
    }
}

/// The heading level of each paragraph style that has one: by its outline level, whatever its name is in the
/// writer's language.
fn levels(styles: &[u8]) -> Result<HashMap<String, usize>, ParseError> {
    let mut levels = HashMap::new();
    let mut style = String::new();
    walk(styles, WHAT, |piece| match piece {
        Piece::Open("style", tag) => style = attribute(tag, "styleId").unwrap_or_default(),
        Piece::Open("outlineLvl", tag) => {
            if let Some(level) = level(attribute(tag, "val")) {
                levels.insert(style.clone(), level);
            }
        }
        _ => {}
    })?;
    Ok(levels)
}

/// An outline level; 9 is body text.
fn level(value: Option<String>) -> Option<usize> {
    value?.parse().ok().filter(|level| *level < 9)
}

#[derive(Default)]
struct Writer {
    levels: HashMap<String, usize>,
    /// The headings in force, with their levels.
    path: Vec<(usize, String)>,
    document: Document,
    body: String,
    line: String,
    level: Option<usize>,
    /// Inside a run of text that a reader sees.
    writing: bool,
    /// Inside a run that is marked as not shown.
    vanished: bool,
    dropped: usize,
    /// How many cells of tables are open.
    cells: usize,
}

impl Writer {
    fn take(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Open("p", _) => self.level = None,
            Piece::Open("pStyle", tag) => {
                let style = attribute(tag, "val").unwrap_or_default();
                self.level = self.levels.get(&style).copied();
            }
            Piece::Open("outlineLvl", tag) => {
                self.level = level(attribute(tag, "val")).or(self.level);
            }
            Piece::Open("r", _) => self.vanished = false,
            Piece::Open("vanish", tag) => {
                let off = attribute(tag, "val").is_some_and(|val| val == "0" || val == "false");
                self.vanished = !off;
            }
            Piece::Open("t", _) => self.writing = true,
            Piece::Close("t") => self.writing = false,
            Piece::Open("tc", _) => self.cells += 1,
            Piece::Close("tc") => {
                self.cells = self.cells.saturating_sub(1);
                self.line = format!("{}\t", self.line.trim_end_matches(' '));
            }
            Piece::Open("tab", _) => self.line.push('\t'),
            Piece::Open("br" | "cr", _) => self.line.push('\n'),
            Piece::Text(words) if self.writing && self.vanished => {
                self.dropped += words.chars().count();
            }
            Piece::Text(words) if self.writing => self.line.push_str(words),
            Piece::Close("p") => self.paragraph(),
            Piece::Close("tr") if self.cells == 0 => self.end_line(),
            _ => {}
        }
    }

    fn paragraph(&mut self) {
        if self.cells > 0 {
            // The paragraphs of a cell stand in one line.
            self.line.push(' ');
            return;
        }
        let Some(level) = self.level else {
            self.end_line();
            return;
        };
        let title = one_line(&std::mem::take(&mut self.line));
        if title.is_empty() {
            return;
        }
        self.section();
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, title));
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.body.push_str(line.trim_end_matches('\t'));
            self.body.push('\n');
        }
    }

    fn section(&mut self) {
        let body = std::mem::take(&mut self.body);
        if !body.trim().is_empty() {
            let headings = self.path.iter().map(|(_, title)| title.clone()).collect();
            self.document.sections.push(Section::new(headings, body.trim_matches('\n')));
        }
    }

    fn finish(mut self) -> Document {
        self.cells = 0;
        self.paragraph();
        self.section();
        if self.dropped > 0 {
            let note = format!("{} characters of hidden text were left out", self.dropped);
            self.document.notes.push(note);
        }
        self.document
    }
}
