//! How often the right file is among the first five that a question finds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use library::parse::{Budget, parse};
use library::vectors::Vector;
use library::{Element, Item, Library, Reader, Role, Search};

use crate::embed::Embedder;

const NOW: i64 = 1_800_000_000_000;

/// How many passages count.
const SHOWN: usize = 5;

/// Has the questions named that missed their file, but for those that are held out.
const MISSED: &str = "--missed";

/// How many passages are embedded at a time.
const BATCH: usize = 32;

/// A question and the files that answer it.
struct Question {
    text: String,
    files: Vec<String>,
}

/// Asks the questions of `file` of all papers in `folders`, and prints which share finds its file: of the lines that may be
/// looked at (the odd ones), of those that are held out, and of all.
///
/// # Errors
/// When a file can't be read, or the embedder does not answer.
pub(crate) fn run(file: &str, words: &[&str]) -> Result<()> {
    let folders: Vec<&str> = words.iter().copied().filter(|word| *word != MISSED).collect();
    let (folders, is_shown) = (&folders[..], folders.len() < words.len());
    let (folders, embedder) = match folders.iter().position(|word| *word == "--embed") {
        Some(at) => (&folders[..at], Some(Embedder::of(&folders[at + 1..])?)),
        None => (folders, None),
    };
    let questions = read(file)?;
    let place = tempfile::tempdir()?;
    let mut library = Library::open(place.path(), NOW)?;
    let mut papers = Vec::new();
    for folder in folders {
        walk(Path::new(folder), &mut papers)?;
    }
    let taken = papers.iter().filter(|path| put(&mut library, path).is_ok()).count();
    let passages = library.embedded()?.1;
    println!("papers {taken}\npassages {passages}");
    if let Some(embedder) = &embedder {
        embed(&mut library, embedder)?;
    }
    let mut right = [Vec::new(), Vec::new()];
    for (at, question) in questions.iter().enumerate() {
        let vector = embedder.as_ref().map(|embedder| embedder.one(&question.text)).transpose()?;
        let found = find(&library, &question.text, vector.as_ref())?;
        let is_right = found.iter().any(|name| question.files.contains(name));
        right[at % 2].push(is_right);
        // What is held out stays unseen.
        if is_shown && !is_right && at % 2 == 0 {
            eprintln!("missed: {} ({}): {found:?}", question.text, question.files.join("|"));
        }
    }
    let share = |hits: &[bool]| hits.iter().filter(|hit| **hit).count() as f64 / hits.len() as f64;
    println!("seen {:.3}\nheld_out {:.3}", share(&right[0]), share(&right[1]));
    println!("questions {}\nright {:.3}", questions.len(), share(&right.concat()));
    Ok(())
}

fn read(file: &str) -> Result<Vec<Question>> {
    let text = fs::read_to_string(file).context(file.to_owned())?;
    let one = |line: &str| {
        let (text, files) = line.split_once('\t').with_context(|| format!("no tab in {line:?}"))?;
        let files = files.split('|').map(str::to_owned).collect();
        Ok(Question { text: text.to_owned(), files })
    };
    text.lines().map(one).collect()
}

fn walk(folder: &Path, papers: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let is_read = path.to_str().and_then(Element::of_name).is_some();
        if path.is_dir() {
            walk(&path, papers)?;
        } else if is_read {
            papers.push(path);
        }
    }
    Ok(())
}

fn put(library: &mut Library, path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = fs::read(path)?;
    let (element, document) = parse(&name, &bytes, &Budget::default())?;
    let item = Item {
        element,
        role: Role::Admin,
        place: path.to_string_lossy().into_owned(),
        name,
        own: false,
        changed_at: NOW,
        bytes: bytes.len() as u64,
        document,
    };
    library.put(&item, NOW)?;
    Ok(())
}

fn embed(library: &mut Library, embedder: &Embedder) -> Result<()> {
    let mut after = 0;
    loop {
        let passages = library.without_vector(after, BATCH)?;
        let Some(last) = passages.last() else { return Ok(()) };
        after = last.row;
        let texts: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
        let vectors = embedder.all(&texts)?;
        if let Some(first) = vectors.first() {
            library.set_embedder(embedder.model(), first.numbers.len())?;
        }
        let named = passages.into_iter().map(|passage| passage.id).zip(vectors);
        library.put_vectors(&named.collect::<Vec<_>>())?;
    }
}

fn find(library: &Library, text: &str, vector: Option<&Vector>) -> Result<Vec<String>> {
    let search = Search { text, reader: &Reader::Owner, limit: SHOWN, vector, counts: false };
    Ok(library.search(&search, NOW)?.into_iter().map(|hit| hit.name).collect())
}
