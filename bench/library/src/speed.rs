//! How fast papers go in and are found, and what they take on disk.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use library::parse::{Budget, parse};
use library::store::TOGETHER;
use library::vectors::Vector;
use library::{Item, Library, Reader, Role, Search};
use rusqlite::{Connection, OpenFlags};

use crate::words::{Numbers, Vocabulary};

/// How many sections a document has, and how long each is: one passage.
const SECTIONS: usize = 25;
const SECTION: usize = 1_450;

/// How many questions of each kind are asked.
const QUESTIONS: usize = 200;

/// How many numbers a vector has.
const NUMBERS: usize = 256;

const NOW: i64 = 1_800_000_000_000;

/// Makes a library of `passages` and prints what it costs.
///
/// # Errors
/// When the disk or the database fails.
pub(crate) fn run(passages: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let vocabulary = Vocabulary::new();
    let mut library = Library::open(folder.path(), NOW)?;
    let mut numbers = Numbers(1);
    let (mut bytes, mut took, mut count, mut papers) = (0, Duration::ZERO, 0, 0);
    while count < passages {
        let mut texts = Vec::new();
        let end = bytes + TOGETHER;
        while count + texts.len() * SECTIONS < passages && bytes < end {
            let text = vocabulary.document(&mut numbers, SECTIONS, SECTION);
            bytes += text.len();
            texts.push((format!("paper{papers}.md"), text));
            papers += 1;
        }
        let began = Instant::now();
        count += put(&mut library, &texts)?;
        took += began.elapsed();
    }
    println!("passages {count}");
    println!("markdown_mb {:.1}", bytes as f64 / 1e6);
    println!("indexed {:.2}", bytes as f64 / 1e6 / took.as_secs_f64());
    drop(library);
    println!("database {:.1}", size(&folder.path().join("library.db"))?);
    let texts = std::fs::read_dir(folder.path().join("texts"))?;
    let texts: u64 = texts.flatten().filter_map(|text| Some(text.metadata().ok()?.len())).sum();
    println!("texts {:.1}", texts as f64 / 1e6);
    let library = Library::open(folder.path(), NOW)?;
    let took = bare_again(&folder.path().join("library.db"))?;
    println!("indexed_bare {:.2}", bytes as f64 / 1e6 / took.as_secs_f64());
    let bare = bare(&folder.path().join("library.db"))?;
    let natural = natural(&bare, count)?;
    let rare: Vec<String> = (0..QUESTIONS)
        .map(|_| (0..3).map(|_| vocabulary.rare(&mut numbers)).collect::<Vec<_>>().join(" "))
        .collect();
    let questions: Vec<String> = natural.iter().map(|(text, _)| text.clone()).collect();
    for (name, questions) in [("natural", &questions), ("rare", &rare)] {
        report(name, &mut times(questions, |text| found(&library, text, None).map(drop))?);
        report(
            &format!("{name}_bare"),
            &mut times(questions, |text| bare_or(&bare, text).map(drop))?,
        );
    }
    let known = |find: &dyn Fn(&str) -> Result<Vec<String>>| -> Result<f64> {
        let hits = natural.iter().map(|(text, id)| Ok(find(text)?.contains(id)));
        let hits: Vec<bool> = hits.collect::<Result<_>>()?;
        Ok(hits.iter().filter(|hit| **hit).count() as f64 / natural.len() as f64)
    };
    let ours = known(&|text| found(&library, text, None))?;
    let full = known(&|text| bare_or(&bare, text))?;
    println!("known {ours:.3}\nknown_bare {full:.3}");
    drop(bare);
    meaning(library, &mut numbers, &questions)
}

/// Puts Markdown in, each text with its name; how many passages it makes.
fn put(library: &mut Library, texts: &[(String, String)]) -> Result<usize> {
    let item = |(name, text): &(String, String)| {
        let (element, document) = parse(name, text.as_bytes(), &Budget::default())?;
        Ok(Item {
            element,
            role: Role::Admin,
            place: format!("/papers/{name}"),
            name: name.clone(),
            own: false,
            changed_at: NOW,
            bytes: text.len() as u64,
            document,
        })
    };
    let items: Vec<Item> = texts.iter().map(item).collect::<Result<_>>()?;
    Ok(library.put_all(&items, NOW)?.iter().map(|put| put.passages).sum())
}

/// How long SQLite alone needs to write the rows of the database `path` again, and to index their words, in one transaction.
fn bare_again(path: &Path) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let db = Connection::open(folder.path().join("bare.db"))?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "normal")?;
    db.execute_batch(include_str!("../../../library/src/store/schema.sql"))?;
    db.execute("ATTACH ?1 AS library", [path.to_str().context("a path")?])?;
    let began = Instant::now();
    db.execute_batch(
        "BEGIN;
         INSERT INTO document SELECT * FROM library.document;
         INSERT INTO passage SELECT * FROM library.passage;
         INSERT INTO words (rowid, text, name, grams) SELECT rowid, text, name, grams FROM library.passage;
         COMMIT;",
    )?;
    Ok(began.elapsed())
}

/// The same database, read by SQLite alone.
fn bare(path: &Path) -> Result<Connection> {
    Ok(Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?)
}

/// Six words of a passage each, at their natural frequency, and the passage.
fn natural(bare: &Connection, count: usize) -> Result<Vec<(String, String)>> {
    let mut numbers = Numbers(2);
    let mut chosen = bare.prepare("SELECT text, id FROM passage WHERE rowid = ?1")?;
    let mut questions = Vec::new();
    for _ in 0..QUESTIONS {
        let row = i64::try_from(numbers.below(count) + 1)?;
        let (text, id): (String, String) =
            chosen.query_row([row], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let six: Vec<&str> = (0..6).map(|_| words[numbers.below(words.len())]).collect();
        questions.push((six.join(" "), id));
    }
    Ok(questions)
}

fn found(library: &Library, text: &str, vector: Option<&Vector>) -> Result<Vec<String>> {
    let search = Search { text, reader: &Reader::Owner, limit: 5, vector, counts: true };
    Ok(library.search(&search, NOW)?.into_iter().map(|hit| hit.id).collect())
}

/// Any of the words, the best five first: what FTS5 does by itself.
fn bare_or(bare: &Connection, text: &str) -> Result<Vec<String>> {
    let sql = "SELECT p.id FROM words JOIN passage p ON p.rowid = words.rowid WHERE words MATCH ?1 ORDER BY words.rank LIMIT 5";
    let words: Vec<String> = text.split_whitespace().map(|word| format!("\"{word}\"")).collect();
    let mut statement = bare.prepare_cached(sql)?;
    let ids = statement.query_map([words.join(" OR ")], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// How long each question takes, in milliseconds; asked once before, so that the disk does not count.
fn times(questions: &[String], ask: impl Fn(&str) -> Result<()>) -> Result<Vec<f64>> {
    for text in questions {
        ask(text)?;
    }
    let time = |text: &String| {
        let began = Instant::now();
        ask(text)?;
        Ok(began.elapsed().as_secs_f64() * 1e3)
    };
    questions.iter().map(time).collect()
}

fn report(name: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times.get((times.len() * part / 100).min(times.len() - 1)).copied();
    println!("{name}_p50 {:.3}", at(50).unwrap_or(f64::NAN));
    println!("{name}_p99 {:.3}", at(99).unwrap_or(f64::NAN));
}

/// The same questions with a vector beside each passage.
fn meaning(mut library: Library, numbers: &mut Numbers, questions: &[String]) -> Result<()> {
    library.set_embedder("made up", NUMBERS)?;
    let mut after = 0;
    loop {
        let passages = library.without_vector(after, 1_000)?;
        let Some(last) = passages.last() else { break };
        after = last.row;
        let with = |id: String, numbers: &mut Numbers| Some((id, vector(numbers)?));
        let vectors: Vec<_> =
            passages.into_iter().filter_map(|passage| with(passage.id, numbers)).collect();
        library.put_vectors(&vectors)?;
    }
    let asked = vector(numbers).context("a vector")?;
    report("meaning", &mut times(questions, |text| found(&library, text, Some(&asked)).map(drop))?);
    Ok(())
}

fn vector(numbers: &mut Numbers) -> Option<Vector> {
    let number = |numbers: &mut Numbers| (numbers.next() >> 40) as f32 / (1 << 24) as f32 - 0.5;
    Vector::of(&(0..NUMBERS).map(|_| number(numbers)).collect::<Vec<f32>>())
}

/// The size of a file, in MB of 10^6 bytes.
fn size(path: &Path) -> Result<f64> {
    Ok(std::fs::metadata(path)?.len() as f64 / 1e6)
}
