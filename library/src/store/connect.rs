//! Opens the database file, and sets a broken one aside.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior, params};

use crate::LibraryError;
use crate::query::{grams, unbroken};

/// The format that is written here.
const FORMAT: i64 = 3;

/// How long another process may hold the database.
const PATIENCE: Duration = Duration::from_secs(10);

/// The size of a page of the database, in bytes. Passages of up to 2,000 characters leave a third of a smaller one empty.
const PAGE: u32 = 8_192;

/// So much of the database is read where the system holds it, without a copy, in bytes.
const MAPPED: u32 = 512 * 1024 * 1024;

/// The database at `path`, made when it is missing. Its first page and its tables are looked at.
pub(super) fn connect(path: &Path) -> Result<Connection, LibraryError> {
    let mut db = Connection::open(path)?;
    db.busy_timeout(PATIENCE)?;
    // Only a new database takes it.
    db.pragma_update(None, "page_size", PAGE)?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "normal")?;
    db.pragma_update(None, "mmap_size", MAPPED)?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "temp_store", "memory")?;
    db.set_prepared_statement_cache_capacity(64);
    match format(&db)? {
        0 => make(&db)?,
        1 | 2 => bring(&mut db)?,
        FORMAT => {}
        found => return Err(LibraryError::Newer { found, known: FORMAT }),
    }
    touch(&db)?;
    Ok(db)
}

fn format(db: &Connection) -> Result<i64, LibraryError> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn make(db: &Connection) -> Result<(), LibraryError> {
    let schema = include_str!("schema.sql");
    db.execute_batch(&format!(
        "BEGIN IMMEDIATE; {schema} PRAGMA user_version = {FORMAT}; COMMIT;"
    ))?;
    Ok(())
}

/// Brings a database of an earlier format to this one: a trigger added the words of a passage, which its writer does now.
fn bring(db: &mut Connection) -> Result<(), LibraryError> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited.
    match format(&transaction)? {
        1 => bring_first(&transaction)?,
        2 => {}
        _ => return Ok(()),
    }
    transaction.execute_batch(&format!(
        "DROP TRIGGER passage_added;
         INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);
         PRAGMA user_version = {FORMAT};"
    ))?;
    transaction.commit()?;
    Ok(())
}

/// Brings one of the format 1 to the format 2: its passages had the characters that [`unbroken`] takes out, and each of its rows
/// said of what kind it was.
fn bring_first(transaction: &Connection) -> Result<(), LibraryError> {
    let update =
        "UPDATE passage SET headings = ?2, name = ?3, text = ?4, grams = ?5 WHERE rowid = ?1";
    {
        let sql = "SELECT rowid, headings, name, text FROM passage";
        let mut select = transaction.prepare(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let broken: [String; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
            let [headings, name, text] = broken.each_ref().map(|text| unbroken(text));
            if broken != [&*headings, &name, &text] {
                let grams = grams(&[&name, &text]);
                let row: i64 = row.get(0)?;
                transaction
                    .prepare_cached(update)?
                    .execute(params![row, headings, name, text, grams])?;
            }
        }
    }
    transaction.execute_batch(
        "DROP INDEX IF EXISTS passage_recent;
         ALTER TABLE document DROP COLUMN kind;
         ALTER TABLE passage DROP COLUMN kind;
         ALTER TABLE vector DROP COLUMN kind;",
    )?;
    Ok(())
}

/// Moves the database at `path` and what belongs to it out of the way; where to.
pub(super) fn set_aside(path: &Path, now: i64) -> Result<PathBuf, LibraryError> {
    let named = |suffix: &str| -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        name.into()
    };
    let aside = named(&format!(".broken-{now}"));
    for (from, to) in [(path.to_owned(), aside.clone())]
        .into_iter()
        .chain(["-wal", "-shm"].map(|end| (named(end), named(&format!(".broken-{now}{end}")))))
    {
        match std::fs::rename(&from, &to) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(LibraryError::File { path: from, source });
            }
            _ => {}
        }
    }
    Ok(aside)
}

/// Removes what [`set_aside`] made.
pub(super) fn remove(aside: &Path) -> Result<(), LibraryError> {
    for end in ["", "-wal", "-shm"] {
        let mut path = aside.as_os_str().to_owned();
        path.push(end);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(LibraryError::File { path: path.into(), source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Asks every table for a row: a file that is badly broken says so here, and what is broken in part where the part is needed.
fn touch(db: &Connection) -> Result<(), LibraryError> {
    for table in ["document", "passage", "vector", "setting", "words"] {
        db.query_row(&format!("SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT 1)"), [], |_| {
            Ok(())
        })?;
    }
    Ok(())
}

/// What a look at every page and every word finds.
pub(super) fn faults(db: &Connection) -> Result<Vec<String>, LibraryError> {
    let mut statement = db.prepare("PRAGMA integrity_check(20)")?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut faults: Vec<String> = rows.collect::<Result<_, _>>()?;
    faults.retain(|fault| fault != "ok");
    let words = db.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)", []);
    if let Err(error) = words {
        faults.push(format!("the index of words does not fit the passages: {error}"));
    }
    Ok(faults)
}
