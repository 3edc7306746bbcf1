//! Puts documents in, and takes them out.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::Library;
use crate::chunk::{Passage, passages};
use crate::item::Kept;
use crate::{Item, LibraryError, Reader, query};

/// What putting a document in came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// The document's identity.
    pub id: String,
    /// Its passages.
    pub passages: usize,
    /// Those of them that were there before, word for word.
    pub kept: usize,
}

impl Library {
    /// Puts `item` in. What stood at its place before is replaced; passages that did not change keep their
    /// history.
    ///
    /// # Errors
    /// When it cannot be written; then what stood there before is still found.
    pub fn put(&mut self, item: &Item, now: i64) -> Result<Put, LibraryError> {
        let id = item.id();
        self.texts.keep(&id, &Kept::of(item, now))?;
        self.index(&id, item, now)
    }

    fn index(&mut self, id: &str, item: &Item, now: i64) -> Result<Put, LibraryError> {
        let passages = passages(id, &item.document);
        let transaction = self.db.transaction()?;
        write_document(&transaction, id, item, now)?;
        let before = known(&transaction, id)?;
        for (ordinal, passage) in passages.iter().enumerate() {
            write_passage(&transaction, id, item, &Row { passage, ordinal, now })?;
        }
        let after: HashSet<&str> = passages.iter().map(|passage| passage.id.as_str()).collect();
        {
            let mut remove = transaction.prepare_cached("DELETE FROM passage WHERE id = ?1")?;
            for gone in before.iter().filter(|old| !after.contains(old.as_str())) {
                remove.execute([gone])?;
            }
        }
        transaction.commit()?;
        let kept = after.iter().filter(|new| before.contains(**new)).count();
        Ok(Put { id: id.to_owned(), passages: passages.len(), kept })
    }

    /// Takes the document `id` out, if `reader` may see it; whether it was there.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn forget(&mut self, id: &str, reader: &Reader) -> Result<bool, LibraryError> {
        if self.document(id, reader)?.is_none() {
            return Ok(false);
        }
        // What is left of it when this is cut off can be taken out again; a text that was left would come back.
        self.texts.remove(id)?;
        self.db.execute("DELETE FROM document WHERE id = ?1", [id])?;
        Ok(true)
    }

    /// Puts the texts into the index that are not in it: how many, and those that could not be read.
    pub(super) fn fill(&mut self) -> Result<(usize, Vec<String>), LibraryError> {
        let rows = self.ids()?;
        let mut ids: Vec<String> = self.texts.ids()?.difference(&rows).cloned().collect();
        ids.sort_unstable();
        let (mut filled, mut lost) = (0, Vec::new());
        for id in ids {
            let kept = match self.texts.read(&id) {
                Ok(kept) => kept,
                Err(error) => {
                    lost.push(error.to_string());
                    continue;
                }
            };
            let created_at = kept.created_at;
            match kept.item().filter(|item| item.id() == id) {
                Some(item) => {
                    self.index(&id, &item, created_at)?;
                    filled += 1;
                }
                None => lost.push(format!("the kept text {id} does not say what it is")),
            }
        }
        Ok((filled, lost))
    }
}

fn known(db: &Connection, document: &str) -> Result<HashSet<String>, LibraryError> {
    let mut statement = db.prepare_cached("SELECT id FROM passage WHERE document = ?1")?;
    let ids = statement.query_map([document], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

fn write_document(db: &Connection, id: &str, item: &Item, now: i64) -> Result<(), LibraryError> {
    let sql = "INSERT INTO document (id, element, role, place, name, own, changed_at, bytes, notes, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
               ON CONFLICT (id) DO UPDATE SET element = excluded.element, name = excluded.name, own = excluded.own,
               changed_at = excluded.changed_at, bytes = excluded.bytes, notes = excluded.notes";
    db.prepare_cached(sql)?.execute(params![
        id,
        item.element.as_str(),
        item.role.to_string(),
        item.place,
        item.name,
        item.own,
        item.changed_at,
        i64::try_from(item.bytes).unwrap_or(i64::MAX),
        json(&item.document.notes),
        now,
    ])?;
    Ok(())
}

struct Row<'a> {
    passage: &'a Passage,
    ordinal: usize,
    now: i64,
}

fn write_passage(
    db: &Connection,
    document: &str,
    item: &Item,
    row: &Row<'_>,
) -> Result<(), LibraryError> {
    // The same identity has the same text; only where it stands may have moved, or the name of its file.
    let sql = "INSERT INTO passage (id, document, role, ordinal, first_page, last_page, created_at, headings, name, grams, text)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
               ON CONFLICT (id) DO UPDATE SET ordinal = excluded.ordinal, first_page = excluded.first_page,
               last_page = excluded.last_page, name = excluded.name
               WHERE ordinal <> excluded.ordinal OR last_page IS NOT excluded.last_page OR name <> excluded.name";
    let passage = row.passage;
    let name = named(&item.name, &passage.headings);
    db.prepare_cached(sql)?.execute(params![
        passage.id,
        document,
        item.role.to_string(),
        i64::try_from(row.ordinal).unwrap_or(i64::MAX),
        passage.pages.map(|pages| pages.first),
        passage.pages.map(|pages| pages.last),
        row.now,
        json(&passage.headings),
        name,
        query::grams(&format!("{name} {}", passage.text)),
        passage.text,
    ])?;
    Ok(())
}

/// The words by which a passage is found besides its text.
fn named(file: &str, headings: &[String]) -> String {
    let (stem, _) = file.rsplit_once('.').unwrap_or((file, ""));
    // Underscores join words in names, not in the minds of those who ask.
    let mut name = query::unbroken(stem).replace('_', " ");
    for heading in headings {
        name.push('\n');
        name.push_str(heading);
    }
    name
}

fn json(list: &[String]) -> String {
    serde_json::Value::from(list.to_vec()).to_string()
}
