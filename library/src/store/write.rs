//! Puts documents in, and takes them out.

use std::collections::HashSet;

use rusqlite::{Connection, TransactionBehavior, params};

use super::Library;
use crate::chunk::{Passage, passages};
use crate::{Item, LibraryError, Reader, query};

/// So many bytes of text are best put in together.
pub const TOGETHER: usize = 16 * 1024 * 1024;

/// What putting a document in came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
        let put = self.put_all(std::slice::from_ref(item), now)?;
        Ok(put.into_iter().next().unwrap_or_default())
    }

    /// Puts `items` of different places in, as [`Library::put`] does: all of their passages are found afterwards, or none. That
    /// costs far less than one after the other.
    ///
    /// # Errors
    /// When one of them cannot be written.
    pub fn put_all(&mut self, items: &[Item], now: i64) -> Result<Vec<Put>, LibraryError> {
        let Self { texts, db, .. } = self;
        std::thread::scope(|scope| {
            let keeping = texts.keep_all(scope, items, now)?;
            let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let put = write_all(&transaction, items.iter().map(|item| (item, now)))?;
            // No row is there before its text.
            keeping.end()?;
            transaction.commit()?;
            Ok(put)
        })
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
        let mut ids = ids.into_iter().peekable();
        while ids.peek().is_some() {
            let (mut items, mut bytes) = (Vec::new(), 0);
            while bytes < TOGETHER
                && let Some(id) = ids.next()
            {
                match self.texts.item(&id) {
                    Ok((item, created_at)) => {
                        bytes += item.document.bytes();
                        items.push((item, created_at));
                    }
                    Err(error) => lost.push(error.to_string()),
                }
            }
            let transaction = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            write_all(&transaction, items.iter().map(|(item, created_at)| (item, *created_at)))?;
            transaction.commit()?;
            filled += items.len();
        }
        Ok((filled, lost))
    }
}

/// Writes the rows of `items`, each with when it was put in.
///
/// FTS5 sorts words in memory. It writes them to the disk before each statement that may write several rows and may fail, so what
/// is no plain INSERT comes before and behind the words.
fn write_all<'a>(
    db: &Connection,
    items: impl Iterator<Item = (&'a Item, i64)> + Clone,
) -> Result<Vec<Put>, LibraryError> {
    for (item, created_at) in items.clone() {
        write_document(db, &item.id(), item, created_at)?;
    }
    let (mut put, mut gone) = (Vec::new(), Vec::new());
    for (item, created_at) in items {
        let id = item.id();
        let mut before = known(db, &id)?;
        let passages = passages(&id, &item.document);
        let mut kept = 0;
        for (ordinal, passage) in passages.iter().enumerate() {
            let row = Row { passage, ordinal, created_at };
            if before.remove(&passage.id) {
                move_passage(db, item, &row)?;
                kept += 1;
            } else {
                write_passage(db, &id, item, &row)?;
            }
        }
        gone.extend(before);
        put.push(Put { id, passages: passages.len(), kept });
    }
    let mut remove = db.prepare_cached("DELETE FROM passage WHERE id = ?1")?;
    for id in gone {
        remove.execute([id])?;
    }
    Ok(put)
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
    created_at: i64,
}

/// The same identity has the same text; only where it stands may have moved, or the name of its file.
fn move_passage(db: &Connection, item: &Item, row: &Row<'_>) -> Result<(), LibraryError> {
    let sql =
        "UPDATE passage SET ordinal = ?2, first_page = ?3, last_page = ?4, name = ?5 WHERE id = ?1
               AND (ordinal <> ?2 OR last_page IS NOT ?4 OR name <> ?5)";
    let passage = row.passage;
    db.prepare_cached(sql)?.execute(params![
        passage.id,
        i64::try_from(row.ordinal).unwrap_or(i64::MAX),
        passage.pages.map(|pages| pages.first),
        passage.pages.map(|pages| pages.last),
        named(&item.name, &passage.headings),
    ])?;
    Ok(())
}

fn write_passage(
    db: &Connection,
    document: &str,
    item: &Item,
    row: &Row<'_>,
) -> Result<(), LibraryError> {
    let sql = "INSERT INTO passage (id, document, role, ordinal, first_page, last_page, created_at, headings, name, grams, text)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let passage = row.passage;
    let name = named(&item.name, &passage.headings);
    let grams = query::grams(&[&name, &passage.text]);
    db.prepare_cached(sql)?.execute(params![
        passage.id,
        document,
        item.role.to_string(),
        i64::try_from(row.ordinal).unwrap_or(i64::MAX),
        passage.pages.map(|pages| pages.first),
        passage.pages.map(|pages| pages.last),
        row.created_at,
        json(&passage.headings),
        name,
        grams,
        passage.text,
    ])?;
    let words = "INSERT INTO words (rowid, text, name, grams) VALUES (?1, ?2, ?3, ?4)";
    let values = params![db.last_insert_rowid(), passage.text, name, grams];
    db.prepare_cached(words)?.execute(values)?;
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
