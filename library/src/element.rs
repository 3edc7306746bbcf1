//! The kinds of files that are read.

use std::fmt;

/// What a passage came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// Portable Document Format.
    Pdf,
    /// Office Open XML text (Word, `LibreOffice`).
    Docx,
    /// Markdown.
    Md,
    /// Plain text.
    Txt,
    /// A web page.
    Html,
    /// A book of web pages.
    Epub,
    /// A spreadsheet of Office Open XML.
    Xlsx,
    /// Comma-separated values.
    Csv,
}

impl Element {
    /// Those that a file can be, in the order in which they are named to people.
    pub const FILES: [Self; 8] =
        [Self::Pdf, Self::Docx, Self::Md, Self::Txt, Self::Html, Self::Epub, Self::Xlsx, Self::Csv];

    /// Its word, which is also the ending of such files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Md => "md",
            Self::Txt => "txt",
            Self::Html => "html",
            Self::Epub => "epub",
            Self::Xlsx => "xlsx",
            Self::Csv => "csv",
        }
    }

    /// What the file `name` is by its ending, in any case of letters.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        let ending = match ending.as_str() {
            "markdown" => "md",
            "text" => "txt",
            "htm" | "xhtml" => "html",
            other => other,
        };
        Self::FILES.into_iter().find(|element| element.as_str() == ending)
    }

    /// The element whose word is `text`.
    #[must_use]
    pub fn of_word(text: &str) -> Option<Self> {
        Self::FILES.into_iter().find(|element| element.as_str() == text)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_ending_in_any_case() {
        for (name, element) in [
            ("Manual.PDF", Some(Element::Pdf)),
            ("notes.md", Some(Element::Md)),
            ("a.b.Markdown", Some(Element::Md)),
            ("page.HTM", Some(Element::Html)),
            ("pdf", None),
            ("program.exe", None),
            ("talk.chat", None),
            ("x.", None),
        ] {
            assert_eq!(Element::of_name(name), element, "{name}");
        }
    }

    #[test]
    fn every_word_is_read_back() {
        for element in Element::FILES {
            assert_eq!(Element::of_word(element.as_str()), Some(element));
        }
    }
}
