//! The library on a real disk: what is put in is found by those who may see it, and survives what breaks it.

mod meaning;
mod mending;

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

/// Who is no owner.
fn guest() -> Reader {
    Reader::Roles(vec![Role::Public])
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
fn a_word_is_one_where_a_line_may_break_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut item =
        paper("soft\u{ad}ware.txt", Role::Admin, "The in\u{ad}dex of a key\u{200b}board.");
    item.document.sections[0].headings = vec!["Over\u{ad}view".to_owned()];
    let library = filled(folder.path(), &[item]);
    for question in ["index", "keyboard", "key\u{ad}board", "software", "overview"] {
        assert_eq!(
            find(&library, &Reader::Owner, question),
            ["The index of a keyboard."],
            "{question}"
        );
    }
    assert_eq!(library.hits(&[1]).unwrap()[0].headings, ["Overview"]);
}

#[test]
fn a_phrase_comes_first_and_its_parts_are_found_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let texts = [
        "Whoever wants to index a folder says re: folder.",
        "To re-index a folder takes a minute.",
        "A minute is long.",
        "The contract of a client.",
        "A folder of letters.",
    ];
    let items: Vec<Item> =
        (0..).zip(texts).map(|(at, text)| paper(&format!("{at}.txt"), Role::Admin, text)).collect();
    let mut library = filled(folder.path(), &items);
    // One is written so, and the other holds its words.
    assert_eq!(find(&library, &Reader::Owner, "re-index"), [texts[1], texts[0]]);
    // No passage holds the whole, nor each part.
    let found = find(&library, &Reader::Owner, "pre-index letters");
    assert_eq!(found, [texts[4], texts[1], texts[0]]);
    assert_eq!(find(&library, &Reader::Owner, "client's"), [texts[3]]);
    // Others fill the list, and what holds the part is among the first all the same.
    for at in 0..9 {
        library.put(&paper(&format!("more-{at}.txt"), Role::Admin, "A minute."), NOW).unwrap();
    }
    let found = find(&library, &Reader::Owner, "a minute client's letters");
    assert!(found[..2].contains(&texts[3].to_owned()), "{found:?}");
}

#[test]
fn a_reader_finds_what_its_roles_allow_and_no_list_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let library = filled(
        folder.path(),
        &[
            paper("public.txt", Role::Public, "apples are public"),
            paper("admin.txt", Role::Admin, "apples of the owner"),
        ],
    );
    let seen = |reader: &Reader| {
        let mut seen = find(&library, reader, "apples");
        seen.sort();
        seen
    };
    let all = ["apples are public", "apples of the owner"];
    assert_eq!(seen(&Reader::Owner), all);
    assert_eq!(seen(&guest()), [all[0]]);
    assert_eq!(seen(&Reader::Roles(vec![Role::Admin])), [all[1]]);
    assert_eq!(seen(&Reader::Roles(Vec::new())), [""; 0]);
    assert!(library.list(&Reader::Roles(Vec::new())).unwrap().is_empty());
    let owned = crate::item::id(Role::Admin, "/papers/admin.txt");
    assert!(library.document(&owned, &guest()).unwrap().is_none());
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
    assert_eq!(library.check().unwrap().passages, 2);
    is_sound(&library);
    assert!(library.forget(&put.id, &Reader::Owner).unwrap());
    assert!(!library.forget(&put.id, &Reader::Owner).unwrap());
    assert!(find(&library, &Reader::Owner, "fox").is_empty());
    is_sound(&library);
}

#[test]
fn the_words_of_papers_that_go_in_together_are_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let papers: Vec<Item> = (0..30)
        .map(|at| paper(&format!("{at}.txt"), Role::Admin, &format!("word{at} ").repeat(500)))
        .collect();
    let mut library = open(folder.path());
    library.put_all(&papers, NOW).unwrap();
    let segments = "SELECT count(DISTINCT segid) FROM words_idx";
    assert_eq!(library.db.query_row(segments, [], |row| row.get(0)), Ok(1));
    is_sound(&library);
}

#[test]
fn equal_names_never_meet() {
    let folder = tempfile::tempdir().unwrap();
    let report = |role, text| paper("report.pdf", role, text);
    let items =
        [report(Role::Public, "public figures"), report(Role::Admin, "the owner's figures")];
    let mut library = filled(folder.path(), &items);
    assert_eq!(find(&library, &Reader::Owner, "figures").len(), 2);
    assert!(!library.forget(&items[1].id(), &guest()).unwrap());
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
    assert_eq!(library.check().unwrap().documents, 40);
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
