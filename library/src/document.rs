//! A file once it is read: sections of text that know where they stand.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Pages from the first to the last, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pages {
    /// The first page.
    pub first: u32,
    /// The last one; the same for a single page.
    pub last: u32,
}

/// A stretch of text below one heading or on one page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The headings above it, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Where it stands, in files that have pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<Pages>,
    /// Where in the text, in bytes, each page but the first begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<usize>,
    /// The text itself.
    pub text: String,
}

impl Section {
    /// Text below `headings`.
    #[must_use]
    pub fn new(headings: Vec<String>, text: impl Into<String>) -> Self {
        Self { headings, text: text.into(), ..Self::default() }
    }

    /// Text on one page.
    #[must_use]
    pub fn on_page(page: u32, text: impl Into<String>) -> Self {
        let pages = Some(Pages { first: page, last: page });
        Self { pages, text: text.into(), ..Self::default() }
    }

    /// The pages of the `bytes` of the text.
    #[must_use]
    pub fn pages_of(&self, bytes: &Range<usize>) -> Option<Pages> {
        let first = self.pages?.first;
        let page = |at: usize| {
            let turned = self.breaks.iter().filter(|begin| **begin <= at).count();
            first.saturating_add(u32::try_from(turned).unwrap_or(u32::MAX))
        };
        Some(Pages { first: page(bytes.start), last: page(bytes.end.saturating_sub(1)) })
    }
}

/// A file once it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its text in order.
    pub sections: Vec<Section>,
    /// What a person should know of how it was read, such as hidden text that was left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Document {
    /// How long its text is, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.sections.iter().map(|section| section.text.len()).sum()
    }

    /// Whether it holds nothing but blanks.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.sections.iter().all(|section| section.text.trim().is_empty())
    }
}
