//! How many passages hold a word, by the index's own way of making words.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::Connection;

use crate::LibraryError;
use crate::query::Term;

/// The most words whose counts are remembered.
const MOST: usize = 20_000;

/// Counts that were asked for. They may lag a little behind: they order words. That no passage holds a word is never
/// remembered.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    counts: RefCell<HashMap<String, u64>>,
    /// How many passages there were when the counts were taken.
    size: RefCell<u64>,
}

/// A term, and about how many passages hold it.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    pub(super) term: Term,
    /// At most so many passages hold it.
    pub(super) count: u64,
}

impl Vocabulary {
    /// `terms` with their counts, the rarest first; those that no passage holds are last, with a count of 0.
    pub(super) fn weigh(
        &self,
        db: &Connection,
        terms: Vec<Term>,
    ) -> Result<Vec<Weighed>, LibraryError> {
        self.renew(db)?;
        let words = index_words(db, &terms)?;
        let mut weighed = Vec::new();
        for (term, words) in terms.into_iter().zip(words) {
            let mut count = u64::MAX;
            for word in &words {
                count = count.min(self.count(db, word)?);
            }
            // A single character is the beginning of many words, and none of them was asked for.
            let count = if matches!(term, Term::Character(_)) { self.size() } else { count };
            if !words.is_empty() {
                weighed.push(Weighed { term, count });
            }
        }
        weighed.sort_by_key(|term| (term.count == 0, term.count));
        Ok(weighed)
    }

    /// How many passages there are.
    pub(super) fn size(&self) -> u64 {
        *self.size.borrow()
    }

    /// Forgets the counts when the library has grown or shrunk by more than a tenth.
    fn renew(&self, db: &Connection) -> Result<(), LibraryError> {
        let size: i64 = db
            .prepare_cached("SELECT ifnull(max(rowid), 0) FROM passage")?
            .query_row([], |row| row.get(0))?;
        let size = u64::try_from(size).unwrap_or(0);
        if size.abs_diff(self.size()) > self.size() / 10 {
            self.counts.borrow_mut().clear();
            *self.size.borrow_mut() = size;
        }
        Ok(())
    }

    fn count(&self, db: &Connection, word: &str) -> Result<u64, LibraryError> {
        if let Some(count) = self.counts.borrow().get(word) {
            return Ok(*count);
        }
        let count: i64 = db
            .prepare_cached("SELECT ifnull((SELECT doc FROM vocabulary WHERE term = ?1), 0)")?
            .query_row([word], |row| row.get(0))?;
        let count = u64::try_from(count).unwrap_or(0);
        // A word that no passage holds is not searched for, and the next paper may hold it.
        if count == 0 {
            return Ok(0);
        }
        let mut counts = self.counts.borrow_mut();
        if counts.len() >= MOST {
            counts.clear();
        }
        counts.insert(word.to_owned(), count);
        Ok(count)
    }
}

/// The words that the index makes of each of `terms`: SQLite tells, by indexing them beside the library.
fn index_words(db: &Connection, terms: &[Term]) -> Result<Vec<Vec<String>>, LibraryError> {
    db.execute_batch(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5 (text, content = '',
         tokenize = \"porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\");
         CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_words USING fts5vocab (temp, asked, instance);
         INSERT INTO asked (asked) VALUES ('delete-all');",
    )?;
    let mut words = vec![Vec::new(); terms.len()];
    {
        let mut insert = db.prepare_cached("INSERT INTO asked (rowid, text) VALUES (?1, ?2)")?;
        for (row, term) in terms.iter().enumerate() {
            insert.execute(rusqlite::params![i64::try_from(row).unwrap_or(0), term.text()])?;
        }
    }
    let mut read = db.prepare_cached("SELECT doc, term FROM asked_words ORDER BY doc, offset")?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let at = usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX);
        if let Some(words) = words.get_mut(at) {
            words.push(row.get(1)?);
        }
    }
    Ok(words)
}
