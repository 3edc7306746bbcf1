//! Vectors beside the passages: kept under one model's name, searched by looking at each.

use rusqlite::{OptionalExtension, params};

use super::Library;
use super::listing::allowed;
use crate::rank::{Scored, paper};
use crate::vectors::Vector;
use crate::{LibraryError, Reader};

/// A passage that has no vector yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// Its row.
    pub row: i64,
    /// Its identity.
    pub id: String,
    /// What a vector of it is made of: the file's name, the headings above it, and its text.
    pub text: String,
}

impl Library {
    /// The name of the model that made the vectors, and how many numbers each has.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn embedder(&self) -> Result<Option<(String, usize)>, LibraryError> {
        let model = "SELECT value FROM setting WHERE name = 'embedder'";
        let Some(model) = self.db.query_row(model, [], |row| row.get(0)).optional()? else {
            return Ok(None);
        };
        let size = "SELECT length(numbers) FROM vector LIMIT 1";
        let size: Option<i64> = self.db.query_row(size, [], |row| row.get(0)).optional()?;
        Ok(Some((model, size.and_then(|size| usize::try_from(size).ok()).unwrap_or(0))))
    }

    /// From here on `model` makes the vectors, of `size` numbers each. Those of another model or another size go, for they
    /// mean something else.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_embedder(&mut self, model: &str, size: usize) -> Result<(), LibraryError> {
        let fits = |(before, found): (String, usize)| before == model && [0, size].contains(&found);
        if self.embedder()?.is_some_and(fits) {
            return Ok(());
        }
        let transaction = self.db.transaction()?;
        transaction.execute("DELETE FROM vector", [])?;
        transaction.execute(
            "INSERT INTO setting VALUES ('embedder', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [model],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// How many passages have a vector, and how many there are.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn embedded(&self) -> Result<(usize, usize), LibraryError> {
        let sql = "SELECT (SELECT count(*) FROM vector), (SELECT count(*) FROM passage)";
        let counts: (i64, i64) =
            self.db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let count = |count: i64| usize::try_from(count).unwrap_or(0);
        Ok((count(counts.0), count(counts.1)))
    }

    /// Passages behind the row `after` that have no vector yet, in the order of their rows, at most `limit` of them. 0 is
    /// before the first row.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn without_vector(
        &self,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Unembedded>, LibraryError> {
        let sql = "SELECT p.rowid, p.id, p.name || char(10) || p.text FROM passage p
                   WHERE p.rowid > ?1 AND NOT EXISTS (SELECT 1 FROM vector WHERE passage = p.rowid)
                   ORDER BY p.rowid LIMIT ?2";
        let mut statement = self.db.prepare_cached(sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map([after, limit], |row| {
            Ok(Unembedded { row: row.get(0)?, id: row.get(1)?, text: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps vectors, each beside the passage whose identity it comes with: all of them, or none.
    ///
    /// # Errors
    /// When the length of one is not that of the others, or the database cannot be written.
    pub fn put_vectors(&mut self, vectors: &[(String, Vector)]) -> Result<(), LibraryError> {
        let kept = self.embedder()?.map(|(_, size)| size).filter(|size| *size > 0);
        let first = vectors.first().map(|(_, vector)| vector.numbers.len());
        let expected = kept.or(first).unwrap_or(0);
        let sql = "INSERT INTO vector SELECT rowid, role, ?2, ?3 FROM passage WHERE id = ?1
                   ON CONFLICT (passage) DO UPDATE SET scale = excluded.scale, numbers = excluded.numbers";
        let transaction = self.db.transaction()?;
        for (id, vector) in vectors {
            let found = vector.numbers.len();
            if expected != found {
                return Err(LibraryError::Dimension { found, expected });
            }
            let scale = f64::from(vector.scale);
            transaction.prepare_cached(sql)?.execute(params![id, scale, vector.bytes()])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The passages most like `vector` that `reader` may see, the best first.
    pub(super) fn alike(
        &self,
        vector: &Vector,
        reader: &Reader,
        limit: usize,
    ) -> Result<Vec<Scored>, LibraryError> {
        let (allowed, values) = allowed(reader);
        let sql = format!("SELECT p.passage, p.scale, p.numbers FROM vector p WHERE {allowed}");
        let mut statement = self.db.prepare_cached(&sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        let mut found: Vec<(f32, i64)> = Vec::new();
        while let Some(row) = rows.next()? {
            let numbers = row.get_ref(2)?;
            let numbers = numbers.as_blob().unwrap_or_default();
            // Vectors of another length are of another model.
            if numbers.len() == vector.numbers.len() {
                #[expect(clippy::cast_possible_truncation, reason = "it was a float of this size")]
                let scale = row.get::<_, f64>(1)? as f32;
                found.push((vector.likeness(scale, numbers), row.get(0)?));
            }
        }
        found.sort_by(|(left, a), (right, b)| right.total_cmp(left).then(a.cmp(b)));
        found.truncate(limit);
        let sql =
            "SELECT d.place FROM passage p JOIN document d ON d.id = p.document WHERE p.rowid = ?1";
        let mut place = self.db.prepare_cached(sql)?;
        let mut all = Vec::new();
        for (likeness, row) in found {
            // Another process may have taken it out since it was found.
            let place: Option<String> = place.query_row([row], |row| row.get(0)).optional()?;
            let score = likeness.into();
            all.extend(place.map(|place| Scored { row, paper: paper(&place), score }));
        }
        Ok(all)
    }
}
