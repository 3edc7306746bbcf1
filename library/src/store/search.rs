//! Finds passages by words and by meaning, for those who may see them.

use std::collections::HashSet;
use std::io::{self, Write};

use activation::{Usage, activation, score};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params_from_iter};

use super::Library;
use super::listing::allowed;
use super::questions::{Question, questions};
use crate::rank::{self, Scored, by_paper};
use crate::vectors::Vector;
use crate::{Element, LibraryError, Pages, Reader, Role, query};

/// How many passages are ranked for each one that is returned: enough for the papers to differ in how often they fit.
const CANDIDATES: usize = 12;

/// A question.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    /// Any text.
    pub text: &'a str,
    /// Who asks.
    pub reader: &'a Reader,
    /// How many passages at most.
    pub limit: usize,
    /// What the text means, when somebody made a vector of it.
    pub vector: Option<&'a Vector>,
    /// Whether what is found counts as used.
    pub counts: bool,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The passage's identity.
    pub id: String,
    /// The document's identity.
    pub document: String,
    /// What it came from.
    pub element: Element,
    /// Who may see it.
    pub role: Role,
    /// Whether the owner wrote it.
    pub own: bool,
    /// Where the document is.
    pub place: String,
    /// The document's name.
    pub name: String,
    /// The headings above it.
    pub headings: Vec<String>,
    /// Its pages, in files that have pages.
    pub pages: Option<Pages>,
    /// Its text.
    pub text: String,
    /// When it was put in, in milliseconds since 1970.
    pub created_at: i64,
}

impl Hit {
    /// How it is cited: `[manual.pdf, pages 2-3]`, `[notes.md, A > B]`, `[list.txt]`.
    #[must_use]
    pub fn citation(&self) -> String {
        let name = &self.name;
        match (self.pages, self.headings.is_empty()) {
            (Some(Pages { first, last }), _) if first == last => format!("[{name}, page {first}]"),
            (Some(Pages { first, last }), _) => format!("[{name}, pages {first}-{last}]"),
            (None, false) => format!("[{name}, {}]", self.headings.join(" > ")),
            (None, true) => format!("[{name}]"),
        }
    }
}

/// A passage that fits, before it is ranked.
struct Candidate {
    row: i64,
    paper: String,
    relevance: f64,
    usage: Usage,
}

impl Library {
    /// The passages that fit `search` best, at `now` in milliseconds since 1970. Roles are a condition of
    /// every question to the database: what may not be seen is not ranked either.
    ///
    /// # Errors
    /// When the database cannot be asked. No text is wrong.
    pub fn search(&self, search: &Search<'_>, now: i64) -> Result<Vec<Hit>, LibraryError> {
        let wanted = search.limit.saturating_mul(CANDIDATES);
        let mut found = self.by_words(search, wanted, now)?;
        if let Some(vector) = search.vector {
            found = rank::merge([found, self.alike(vector, search.reader, wanted)?]);
        }
        let rows: Vec<i64> = found.iter().take(search.limit).map(|passage| passage.row).collect();
        let hits = self.hits(&rows)?;
        if search.counts
            && let Err(error) = self.count_use(&rows, now)
        {
            // What was found is worth more than its count.
            let _ = writeln!(io::stderr(), "what was found could not be counted: {error}");
        }
        Ok(hits)
    }

    fn by_words(
        &self,
        search: &Search<'_>,
        wanted: usize,
        now: i64,
    ) -> Result<Vec<Scored>, LibraryError> {
        let terms = query::terms(search.text);
        let weighed = self.vocabulary.weigh(&self.db, query::with_parts(&terms))?;
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for question in questions(&terms, &weighed, self.vocabulary.size()) {
            if all.len() >= search.limit {
                break;
            }
            let mut found = self.matching(&question, search, wanted)?;
            // What many passages hold, and nobody has scored, tells nothing.
            if !question.is_ranked && found.len() > search.limit {
                continue;
            }
            found.retain(|candidate| seen.insert(candidate.row));
            let scored = |Candidate { row, paper, relevance, usage }| Scored {
                row,
                paper,
                score: score(relevance, activation(usage, now)),
            };
            all.extend(by_paper(found.into_iter().map(scored).collect()));
        }
        Ok(all)
    }

    fn matching(
        &self,
        question: &Question,
        search: &Search<'_>,
        limit: usize,
    ) -> Result<Vec<Candidate>, LibraryError> {
        let (allowed, roles) = allowed(search.reader);
        let (rank, order, limit) = match question.is_ranked {
            true => ("words.rank", "ORDER BY words.rank", limit),
            false => ("-1.0", "", search.limit + 1),
        };
        let sql = format!(
            "SELECT found.*, d.place FROM (
               SELECT p.rowid, {rank}, p.base_activation, p.access_count, ifnull(p.last_accessed, p.created_at), p.document
               FROM words JOIN passage p ON p.rowid = words.rowid
               WHERE words MATCH ? AND {allowed} {order} LIMIT ?
             ) found JOIN document d ON d.id = found.document"
        );
        let mut values = vec![Value::Text(question.text.clone())];
        values.extend(roles);
        values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            let usage = Usage { base: row.get(2)?, count: row.get(3)?, last: row.get(4)? };
            // FTS5's rank is better the lower it is.
            let relevance = -row.get::<_, f64>(1)?;
            let paper = rank::paper(&row.get::<_, String>(6)?);
            Ok(Candidate { row: row.get(0)?, paper, relevance, usage })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(super) fn hits(&self, rows: &[i64]) -> Result<Vec<Hit>, LibraryError> {
        let sql = "SELECT p.id, d.id, d.element, d.role, d.own, d.place, d.name, p.headings, p.first_page,
                   p.last_page, p.text, p.created_at
                   FROM passage p JOIN document d ON d.id = p.document WHERE p.rowid = ?1";
        let mut statement = self.db.prepare_cached(sql)?;
        let mut hits = Vec::new();
        for row in rows {
            // Another process may have taken it out since it was found.
            hits.extend(statement.query_row([row], hit).optional()?.flatten());
        }
        Ok(hits)
    }

    fn count_use(&self, rows: &[i64], now: i64) -> Result<(), LibraryError> {
        let sql = "UPDATE passage SET access_count = access_count + 1, last_accessed = ?2 WHERE rowid = ?1";
        let transaction = self.db.unchecked_transaction()?;
        for row in rows {
            transaction.prepare_cached(sql)?.execute([*row, now])?;
        }
        transaction.commit()?;
        Ok(())
    }
}

fn hit(row: &Row<'_>) -> rusqlite::Result<Option<Hit>> {
    let text = |at: usize| row.get::<_, String>(at);
    let (element, role) = (Element::of_word(&text(2)?), Role::read(&text(3)?));
    let (Some(element), Some(role)) = (element, role) else {
        return Ok(None);
    };
    let pages = match (row.get(8)?, row.get(9)?) {
        (Some(first), Some(last)) => Some(Pages { first, last }),
        _ => None,
    };
    Ok(Some(Hit {
        id: text(0)?,
        document: text(1)?,
        element,
        role,
        own: row.get(4)?,
        place: text(5)?,
        name: text(6)?,
        headings: serde_json::from_str(&text(7)?).unwrap_or_default(),
        pages,
        text: text(10)?,
        created_at: row.get(11)?,
    }))
}
