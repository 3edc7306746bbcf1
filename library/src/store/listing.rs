//! What is in the library, for people.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{OptionalExtension, Row, types::Value};

use super::Library;
use crate::{Element, LibraryError, Reader, Role};

/// A document as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its identity.
    pub id: String,
    /// What it came from.
    pub element: Element,
    /// Who may see it.
    pub role: Role,
    /// Where it is.
    pub place: String,
    /// Its name.
    pub name: String,
    /// Whether the owner wrote it.
    pub own: bool,
    /// When the file was changed last, in milliseconds since 1970; 0 when nobody knows.
    pub changed_at: i64,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// What a person should know of how it was read.
    pub notes: Vec<String>,
    /// How many passages it has.
    pub passages: usize,
}

/// How much there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many documents.
    pub documents: usize,
    /// How many passages.
    pub passages: usize,
    /// How many documents and passages of each element.
    pub by_element: BTreeMap<Element, (usize, usize)>,
}

impl Counts {
    /// How much `papers` are.
    #[must_use]
    pub fn of(papers: &[Listed]) -> Self {
        let mut counts = Self::default();
        for listed in papers {
            counts.documents += 1;
            counts.passages += listed.passages;
            let (documents, passages) = counts.by_element.entry(listed.element).or_default();
            *documents += 1;
            *passages += listed.passages;
        }
        counts
    }
}

/// The condition on roles for `reader`, for a table named `p`, and its values. It stands in every question
/// that hands out text, so nothing is ranked that may not be seen.
pub(super) fn allowed(reader: &Reader) -> (String, Vec<Value>) {
    let Some(roles) = reader.roles() else { return ("1".to_owned(), Vec::new()) };
    let marks = vec!["?"; roles.len()].join(", ");
    (format!("p.role IN ({marks})"), roles.into_iter().map(Value::Text).collect())
}

const COLUMNS: &str =
    "p.id, p.element, p.role, p.place, p.name, p.own, p.changed_at, p.bytes, p.notes,
    (SELECT count(*) FROM passage WHERE document = p.id)";

impl Library {
    /// The papers that `reader` may see, by name.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn list(&self, reader: &Reader) -> Result<Vec<Listed>, LibraryError> {
        let (allowed, values) = allowed(reader);
        let sql =
            format!("SELECT {COLUMNS} FROM document p WHERE {allowed} ORDER BY p.name, p.place");
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), listed)?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The document `id`, if `reader` may see it.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn document(&self, id: &str, reader: &Reader) -> Result<Option<Listed>, LibraryError> {
        let (allowed, mut values) = allowed(reader);
        let sql = format!("SELECT {COLUMNS} FROM document p WHERE {allowed} AND p.id = ?");
        values.push(Value::Text(id.to_owned()));
        let mut statement = self.db.prepare_cached(&sql)?;
        let found = statement.query_row(rusqlite::params_from_iter(values), listed).optional()?;
        Ok(found.flatten())
    }

    /// The identities of all documents.
    pub(super) fn ids(&self) -> Result<HashSet<String>, LibraryError> {
        let mut statement = self.db.prepare("SELECT id FROM document")?;
        let ids = statement.query_map([], |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }
}

/// A row as it is listed; none when it holds words of a newer program.
fn listed(row: &Row<'_>) -> rusqlite::Result<Option<Listed>> {
    let text = |at: usize| row.get::<_, String>(at);
    let (element, role) = (Element::of_word(&text(1)?), Role::read(&text(2)?));
    let (Some(element), Some(role)) = (element, role) else {
        return Ok(None);
    };
    Ok(Some(Listed {
        id: text(0)?,
        element,
        role,
        place: text(3)?,
        name: text(4)?,
        own: row.get(5)?,
        changed_at: row.get(6)?,
        bytes: row.get::<_, i64>(7)?.try_into().unwrap_or(0),
        notes: serde_json::from_str(&text(8)?).unwrap_or_default(),
        passages: row.get::<_, i64>(9)?.try_into().unwrap_or(0),
    }))
}
