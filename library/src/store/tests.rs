//! The library on a real disk: what is put in is found by those who may see it, and survives what breaks it.

mod meaning;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::{Document, Element, Item, Reader, Role, Section};

const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 86_400_000;

fn paper(name: &str, role: Role, text: &str) -> Item {
    Item {
        element: Element::of_name(name).unwrap_or(Element::Txt),
        role,
        place: format!("/papers/{name}"),
        name: name.to_owned(),
        own: false,
        changed_at: 0,
        bytes: text.len() as u64,
        document: Document {
            sections: vec![Section::new(Vec::new(), text)],
            ..Document::default()
        },
    }
}

fn kept_for(chat: &str, text: &str) -> Item {
    let place = format!("{chat}/report.txt");
    Item { place, ..paper("report.txt", Role::User(chat.to_owned()), text) }
}

fn open(folder: &Path) -> Library {
    Library::open(folder, NOW).unwrap()
}

fn filled(folder: &Path, items: &[Item]) -> Library {
    let mut library = open(folder);
    for item in items {
        library.put(item, NOW).unwrap();
    }
    library
}

fn find(library: &Library, reader: &Reader, text: &str) -> Vec<String> {
    let search = Search { text, reader, limit: 5, vector: None, counts: false };
    library.search(&search, NOW).unwrap().into_iter().map(|hit| hit.text).collect()
}

fn is_sound(library: &Library) {
    assert_eq!(library.check().unwrap().faults, Vec::<String>::new());
}

#[test]
fn a_word_that_was_searched_in_vain_is_found_once_a_paper_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let others: Vec<Item> =
        (0..30).map(|n| paper(&format!("{n}.md"), Role::Admin, "A pump stands here.")).collect();
    let mut library = filled(folder.path(), &others);
    assert!(find(&library, &Reader::Owner, "zebra").is_empty());
    library.put(&paper("zebra.md", Role::Admin, "The zebra stands there."), NOW).unwrap();
    assert_eq!(find(&library, &Reader::Owner, "zebra"), ["The zebra stands there."]);
}

#[test]
fn words_of_every_script_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let texts = [
        "The module foo-bar-baz was released as v1.2.3 yesterday.",
        "Das Café heißt Zum Fröhlichen Ochsen.",
        "東京都は日本の首都です。",
        "Write to anna.schmidt@example.org about C++.",
        "हिन्दी में लिखा हुआ पाठ",
        "ประเทศไทยมีเมืองหลวงชื่อกรุงเทพ",
        "Москва слезам не верит",
    ];
    let items: Vec<Item> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| paper(&format!("{at}.txt"), Role::Public, text))
        .collect();
    let library = filled(folder.path(), &items);
    for (question, text) in [
        ("foo-bar-baz", 0),
        ("v1.2.3", 0),
        ("cafe", 1),
        ("CAFÉ", 1),
        ("frohlichen", 1),
        ("日本", 2),
        ("首都", 2),
        ("都", 2),
        ("anna.schmidt@example.org", 3),
        ("C++", 3),
        ("हिन्दी", 4),
        ("กรุงเทพ", 5),
        ("слезам", 6),
    ] {
        let found = find(&library, &Reader::Owner, question);
        assert_eq!(found.first().map(String::as_str), Some(texts[text]), "{question}");
    }
    assert_eq!(find(&library, &Reader::Owner, "foo-quux-baz")[0], texts[0]);
    assert!(find(&library, &Reader::Owner, "nothing-of-that-kind").is_empty());
}

#[test]
fn a_reader_finds_what_its_roles_allow_and_no_list_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let library = filled(
        folder.path(),
        &[
            paper("public.txt", Role::Public, "apples are public"),
            paper("admin.txt", Role::Admin, "apples of the owner"),
            kept_for("alice", "alice likes apples"),
            kept_for("bob", "bob likes apples too"),
        ],
    );
    let seen = |reader: &Reader| {
        let mut seen = find(&library, reader, "apples");
        seen.sort();
        seen
    };
    let all =
        ["alice likes apples", "apples are public", "apples of the owner", "bob likes apples too"];
    assert_eq!(seen(&Reader::Owner), all);
    assert_eq!(seen(&Reader::Guest("alice".to_owned())), [all[0], all[1]]);
    assert_eq!(seen(&Reader::Guest("%".to_owned())), [all[1]]);
    assert_eq!(seen(&Reader::Guest("alice', 'admin".to_owned())), [all[1]]);
    assert_eq!(seen(&Reader::Roles(Vec::new())), [""; 0]);
    assert!(library.list(&Reader::Roles(Vec::new())).unwrap().is_empty());
    let owned = crate::item::id(&Role::Admin, "/papers/admin.txt");
    assert!(library.document(&owned, &Reader::Guest("bob".to_owned())).unwrap().is_none());
}

#[test]
fn putting_again_replaces_and_keeps_what_did_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let section = |heading: &str, text: &str| Section::new(vec![heading.to_owned()], text);
    let mut item = paper("a.md", Role::Public, "");
    item.document.sections = vec![section("One", "the cat sat"), section("Two", "the old dog ran")];
    let mut library = filled(folder.path(), std::slice::from_ref(&item));
    item.document.sections[1] = section("Two", "the new fox ran");
    let put = library.put(&item, NOW).unwrap();
    assert_eq!((put.passages, put.kept), (2, 1));
    assert!(find(&library, &Reader::Owner, "dog").is_empty());
    assert_eq!(find(&library, &Reader::Owner, "fox"), ["the new fox ran"]);
    assert_eq!(library.counts(&Reader::Owner).unwrap().passages, 2);
    is_sound(&library);
    assert!(library.forget(&put.id, &Reader::Owner).unwrap());
    assert!(!library.forget(&put.id, &Reader::Owner).unwrap());
    assert!(find(&library, &Reader::Owner, "fox").is_empty());
    is_sound(&library);
}

#[test]
fn equal_names_never_meet() {
    let folder = tempfile::tempdir().unwrap();
    let upload = |chat: &str, text: &str| Item {
        place: "report.pdf".to_owned(),
        ..paper("report.pdf", Role::User(chat.to_owned()), text)
    };
    let mut library =
        filled(folder.path(), &[upload("a", "figures of a"), upload("b", "figures of b")]);
    assert_eq!(find(&library, &Reader::Owner, "figures").len(), 2);
    let other = upload("a", "figures of a").id();
    assert!(!library.forget(&other, &Reader::Guest("b".to_owned())).unwrap());
    assert_eq!(find(&library, &Reader::Owner, "figures").len(), 2);
}

#[test]
fn what_is_found_often_comes_first_and_fades_again() {
    let folder = tempfile::tempdir().unwrap();
    let library = filled(
        folder.path(),
        &[
            paper("a.txt", Role::Public, "green tea is hot"),
            paper("b.txt", Role::Public, "green tea is old"),
        ],
    );
    let order = |now: i64| -> Vec<String> {
        let search = Search {
            text: "green tea",
            reader: &Reader::Owner,
            limit: 5,
            vector: None,
            counts: false,
        };
        library.search(&search, now).unwrap().into_iter().map(|hit| hit.name).collect()
    };
    assert_eq!(order(NOW), ["a.txt", "b.txt"]);
    for _ in 0..3 {
        let search =
            Search { text: "old", reader: &Reader::Owner, limit: 5, vector: None, counts: true };
        library.search(&search, NOW + DAY).unwrap();
    }
    assert_eq!(order(NOW + DAY), ["b.txt", "a.txt"]);
    let counted: u32 = library
        .db
        .query_row("SELECT sum(access_count) FROM passage", [], |row| row.get(0))
        .unwrap();
    assert_eq!(counted, 3);
}

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
        assert_eq!(find(&library, &Reader::Guest("x".to_owned()), "blue door").len(), 0);
        is_sound(&library);
    }
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
                    texts.keep("one", &crate::item::Kept::of(&item, NOW)).unwrap();
                    assert_eq!(texts.read("one").unwrap().item().as_ref(), Some(&item));
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

#[test]
fn a_library_that_could_hold_conversations_opens() {
    let folder = tempfile::tempdir().unwrap();
    let library = filled(folder.path(), &[paper("a.txt", Role::Public, "apples")]);
    let index = "CREATE INDEX passage_recent ON passage (kind, created_at)";
    library.db.execute_batch(index).unwrap();
    drop(library);
    let library = open(folder.path());
    assert_eq!(find(&library, &Reader::Owner, "apples"), ["apples"]);
    is_sound(&library);
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), &[paper("a.txt", Role::Public, "apples")]));
    let db = Connection::open(folder.path().join("library.db")).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    let error = Library::open(folder.path(), NOW).unwrap_err();
    assert!(matches!(error, LibraryError::Newer { found: 99, .. }), "{error}");
}

#[test]
fn two_processes_may_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let folder = folder.path();
            scope.spawn(move || {
                let mut library = open(folder);
                for at in 0..20 {
                    let name = format!("{writer}-{at}.txt");
                    library
                        .put(&paper(&name, Role::Public, &format!("words {name}")), NOW)
                        .unwrap();
                }
            });
        }
    });
    let library = open(folder.path());
    assert_eq!(library.counts(&Reader::Owner).unwrap().documents, 40);
    is_sound(&library);
}

#[test]
fn a_process_notices_that_another_has_built_the_index_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = filled(folder.path(), &[paper("a.txt", Role::Public, "apple")]);
    let mut other = open(folder.path());
    assert!(!other.is_replaced());
    one.rebuild(NOW).unwrap();
    assert!(other.is_replaced() && !one.is_replaced());
    one.put(&paper("b.txt", Role::Public, "banana"), NOW).unwrap();
    other = open(folder.path());
    assert_eq!(find(&other, &Reader::Owner, "banana"), ["banana"]);
}

#[test]
fn a_citation_names_the_file_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let mut pages = paper("manual.pdf", Role::Public, "");
    let mut section = Section::on_page(2, "first page ends here. Next");
    section.breaks = vec![22];
    pages.document.sections = vec![section, Section::on_page(9, "alone")];
    let mut notes = paper("notes.md", Role::Public, "");
    notes.document.sections = vec![Section::new(vec!["A".to_owned(), "B".to_owned()], "deep")];
    let library = filled(folder.path(), &[pages, notes, paper("list.txt", Role::Public, "plain")]);
    let citation = |row: i64| library.hits(&[row]).unwrap()[0].citation();
    assert_eq!(citation(1), "[manual.pdf, pages 2-3]");
    assert_eq!(citation(2), "[manual.pdf, page 9]");
    assert_eq!(citation(3), "[notes.md, A > B]");
    assert_eq!(citation(4), "[list.txt]");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]
    #[test]
    fn no_question_is_an_error(questions in prop::collection::vec(any::<String>(), 20)) {
        let folder = tempfile::tempdir().unwrap();
        let library = filled(folder.path(), &[paper("a.txt", Role::Public, "日本 apples \"and\" pears")]);
        for question in questions {
            find(&library, &Reader::Owner, &question);
        }
    }
}
