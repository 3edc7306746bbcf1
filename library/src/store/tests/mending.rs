//! What breaks on the disk, and is mended or told.

use super::*;

#[test]
fn a_missing_database_is_built_from_the_texts() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), &[paper("a.txt", Role::Admin, "the secret of the blue door")]));
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("library.db{end}")));
    }
    assert_eq!(find(&open(folder.path()), &Reader::Owner, "blue door").len(), 1);
}

#[test]
fn a_text_whose_writer_was_killed_before_its_rows_were_there_is_put_in_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let papers = [paper("a.md", Role::Admin, "heron"), paper("b.md", Role::Admin, "stork")];
    let mut library = filled(folder.path(), &papers);
    library.db.execute("DELETE FROM document WHERE id = ?1", [papers[0].id()]).unwrap();
    assert!(library.forget(&papers[1].id(), &Reader::Owner).unwrap());
    drop(library);
    let library = open(folder.path());
    is_sound(&library);
    assert_eq!(find(&library, &Reader::Owner, "heron").len(), 1);
    assert!(find(&library, &Reader::Owner, "stork").is_empty());
}

#[test]
fn a_broken_database_is_built_again_from_the_texts() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), &[paper("a.txt", Role::Admin, "the secret of the blue door")]));
    for (broken, said) in
        [(&b"this is no database, and long enough for a header of one"[..], "database"), (b"", "")]
    {
        fs::write(folder.path().join("library.db"), broken).unwrap();
        let _ = fs::remove_file(folder.path().join("library.db-wal"));
        let mut library = open(folder.path());
        if said.is_empty() {
            // An empty file is a new database; `rebuild` fills it.
            assert_eq!(library.rebuild(NOW).unwrap(), (1, Vec::new()));
        } else {
            let mended = library.mended().unwrap();
            assert!(mended.why.contains(said) && mended.documents == 1, "{mended:?}");
            assert!(mended.aside.exists());
        }
        assert_eq!(find(&library, &Reader::Owner, "blue door").len(), 1);
        assert_eq!(find(&library, &guest(), "blue door").len(), 0);
        is_sound(&library);
    }
}

/// Overwrites the page of the database on which `words` stand.
fn damage(folder: &Path, words: &str) {
    const PAGE: usize = 8192;
    let path = folder.join("library.db");
    let mut bytes = fs::read(&path).unwrap();
    let is_there = |page: &[u8]| page.windows(words.len()).any(|piece| piece == words.as_bytes());
    let page = bytes.chunks(PAGE).position(is_there).unwrap();
    bytes[page * PAGE..][..PAGE].fill(0xff);
    fs::write(&path, bytes).unwrap();
}

#[test]
fn a_page_that_is_damaged_is_noticed_where_it_is_needed_and_the_mending_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let papers: Vec<Item> = (0..30)
        .map(|at| paper(&format!("{at}.txt"), Role::Admin, &format!("{at} {}", "x".repeat(500))))
        .collect();
    drop(filled(folder.path(), &papers));
    // The beginning of the table is as it was.
    damage(folder.path(), "29 xxx");
    let mut library = open(folder.path());
    assert!(library.mended().is_none());
    let search =
        Search { text: "29", reader: &Reader::Owner, limit: 5, vector: None, counts: false };
    let error = library.search(&search, NOW).unwrap_err();
    assert!(
        error.to_string().contains("damaged") && error.to_string().contains("`library rebuild`"),
        "{error}"
    );
    assert_eq!(library.rebuild(NOW).unwrap(), (30, Vec::new()));
    assert_eq!(library.search(&search, NOW).unwrap().len(), 1);
    is_sound(&library);
}

#[test]
fn a_damaged_page_that_every_start_needs_is_mended_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut papers: Vec<Item> =
        (0..300).map(|at| paper(&format!("{at}.txt"), Role::Admin, "apples")).collect();
    drop(filled(folder.path(), &papers));
    papers.sort_by_key(Item::id);
    damage(folder.path(), &papers[299].place);
    let library = open(folder.path());
    assert_eq!(library.mended().unwrap().documents, 300);
    is_sound(&library);
}

#[test]
fn a_check_finds_an_index_that_does_not_fit_its_passages() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = filled(folder.path(), &[paper("a.txt", Role::Public, "apples and pears")]);
    is_sound(&library);
    library.db.execute_batch("DROP TRIGGER passage_removed; DELETE FROM document;").unwrap();
    let faults = library.check().unwrap().faults;
    assert!(faults.iter().any(|fault| fault.contains("does not fit")), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.contains("is not in the index")), "{faults:?}");
    library.rebuild(NOW).unwrap();
    is_sound(&library);
    assert_eq!(find(&library, &Reader::Owner, "pears").len(), 1);
}

#[test]
fn a_text_that_cannot_be_read_is_told_and_costs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = filled(
        folder.path(),
        &[paper("a.txt", Role::Public, "apples"), paper("b.txt", Role::Public, "pears")],
    );
    let id = paper("a.txt", Role::Public, "").id();
    let path = folder.path().join(format!("texts/{id}.json.gz"));
    let packed = fs::read(&path).unwrap();
    fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    let (documents, lost) = library.rebuild(NOW).unwrap();
    assert_eq!((documents, lost.len()), (1, 1));
    assert_eq!(find(&library, &Reader::Owner, "pears"), ["pears"]);
}

#[test]
fn a_check_reads_the_texts_and_names_the_file_of_a_broken_one() {
    let folder = tempfile::tempdir().unwrap();
    let library = filled(folder.path(), &[paper("a.txt", Role::Public, "apples")]);
    let id = paper("a.txt", Role::Public, "").id();
    // As a power cut may leave it.
    fs::write(folder.path().join(format!("texts/{id}.json.gz")), "").unwrap();
    let faults = library.check().unwrap().faults;
    assert!(faults.len() == 1 && faults[0].contains("index /papers/a.txt again"), "{faults:?}");
}

#[test]
fn two_writers_of_one_text_have_a_draft_each() {
    let folder = tempfile::tempdir().unwrap();
    let texts = Texts::in_folder(folder.path()).unwrap();
    let item = paper("a.txt", Role::Public, &"apples and pears ".repeat(2_000));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..50 {
                    texts.keep(&item.id(), &crate::item::Kept::of(&item, NOW)).unwrap();
                    assert_eq!(texts.item(&item.id()).unwrap(), (item.clone(), NOW));
                }
            });
        }
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn a_search_bears_a_passage_that_is_gone_and_a_use_that_cannot_be_counted() {
    let folder = tempfile::tempdir().unwrap();
    let library = filled(folder.path(), &[paper("a.txt", Role::Public, "apples")]);
    assert_eq!(library.hits(&[7, 1]).unwrap().len(), 1);
    let full =
        "CREATE TRIGGER full BEFORE UPDATE ON passage BEGIN SELECT RAISE(ABORT, 'full'); END";
    library.db.execute_batch(full).unwrap();
    let search =
        Search { text: "apples", reader: &Reader::Owner, limit: 5, vector: None, counts: true };
    assert_eq!(library.search(&search, NOW).unwrap().len(), 1);
}

/// The trigger that added the words of a passage before the format 3.
const ADDED: &str = "CREATE TRIGGER passage_added AFTER INSERT ON passage BEGIN
    INSERT INTO words (rowid, text, name, grams) VALUES (new.rowid, new.text, new.name, new.grams);
END;";

#[test]
fn a_library_of_the_first_format_is_brought_to_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let papers = [paper("a.txt", Role::Admin, "apples"), paper("b.txt", Role::Admin, "an index")];
    let library = filled(folder.path(), &papers);
    for table in ["document", "passage", "vector"] {
        let column = format!("ALTER TABLE {table} ADD COLUMN kind TEXT NOT NULL DEFAULT 'kb'");
        library.db.execute_batch(&column).unwrap();
    }
    let before = "CREATE INDEX passage_recent ON passage (kind, created_at);
                  UPDATE passage SET access_count = 7, text = 'an in\u{ad}dex' WHERE text = 'an index';
                  PRAGMA user_version = 1;";
    library.db.execute_batch(&format!("{ADDED}{before}")).unwrap();
    assert!(find(&library, &Reader::Owner, "index").is_empty());
    drop(library);
    let mut library = open(folder.path());
    assert_eq!(find(&library, &Reader::Owner, "index"), ["an index"]);
    let used = "SELECT max(access_count) FROM passage";
    assert_eq!(library.db.query_row(used, [], |row| row.get(0)), Ok(7));
    is_sound(&library);
    library.put(&paper("c.txt", Role::Admin, "pears"), NOW).unwrap();
    let library = open(folder.path());
    assert_eq!(find(&library, &Reader::Owner, "pears"), ["pears"]);
    is_sound(&library);
}

#[test]
fn the_words_of_a_library_of_the_second_format_are_added_once() {
    let folder = tempfile::tempdir().unwrap();
    let library = filled(folder.path(), &[paper("a.txt", Role::Admin, "apples")]);
    library.db.execute_batch(&format!("{ADDED} PRAGMA user_version = 2;")).unwrap();
    drop(library);
    let mut library = open(folder.path());
    library.put(&paper("b.txt", Role::Admin, "pears"), NOW).unwrap();
    assert_eq!(find(&library, &Reader::Owner, "pears"), ["pears"]);
    is_sound(&library);
}

#[test]
fn papers_that_go_in_together_are_found_only_once_all_their_texts_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let papers: Vec<Item> = (0..9)
        .map(|at| paper(&format!("{at}.txt"), Role::Admin, &format!("the heron {at}")))
        .collect();
    let mut library = filled(folder.path(), &papers[..1]);
    // Where a folder is, no file can be put.
    let taken = folder.path().join(format!("texts/{}.json.gz", papers[8].id()));
    fs::create_dir(&taken).unwrap();
    library.put_all(&papers, NOW).unwrap_err();
    assert_eq!(find(&library, &Reader::Owner, "heron"), ["the heron 0"]);
    fs::remove_dir(&taken).unwrap();
    let put = library.put_all(&papers, NOW).unwrap();
    let kept: Vec<(usize, usize)> = put.iter().map(|put| (put.passages, put.kept)).collect();
    assert_eq!(kept, [&[(1, 1)][..], &[(1, 0); 8]].concat());
    assert_eq!(library.check().unwrap().documents, 9);
    is_sound(&library);
}
