//! A PDF's outline: the headings that stand above each page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::Document;

/// An entry of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// How deep it is, from 1.
    pub(super) level: usize,
    pub(super) title: String,
    pub(super) page: u32,
}

/// The entries in their order; none when there is no outline, or an unreadable one.
pub(super) fn entries(pdf: &Document) -> Vec<Entry> {
    let toc = catch_unwind(AssertUnwindSafe(|| pdf.get_toc().ok())).ok().flatten();
    let entries = toc.map(|toc| toc.toc).unwrap_or_default().into_iter();
    entries
        .filter_map(|entry| {
            let title = crate::tags::one_line(&entry.title);
            let page = u32::try_from(entry.page).ok()?;
            (!title.is_empty()).then_some(Entry { level: entry.level, title, page })
        })
        .collect()
}

/// The titles above `page`: the first entry that begins on it, else the last that began before.
pub(super) fn above(entries: &[Entry], page: u32) -> Vec<String> {
    let begins = entries.iter().position(|entry| entry.page == page);
    let Some(at) = begins.or_else(|| entries.iter().rposition(|entry| entry.page < page)) else {
        return Vec::new();
    };
    let mut level = usize::MAX;
    let mut path = Vec::new();
    for entry in entries[..=at].iter().rev() {
        if entry.level < level {
            level = entry.level;
            path.push(entry.title.clone());
        }
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_stands_below_the_entries_that_hold_it() {
        let entry = |level, title: &str, page| Entry { level, title: title.to_owned(), page };
        let entries = [entry(1, "A", 2), entry(2, "B", 2), entry(2, "C", 4), entry(1, "D", 7)];
        let above = |page| above(&entries, page).join(" > ");
        assert_eq!([above(1), above(2), above(3)], ["", "A", "A > B"]);
        assert_eq!([above(4), above(6), above(9)], ["A > C", "A > C", "D"]);
    }
}
