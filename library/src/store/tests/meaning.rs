//! Vectors beside the passages.

use super::*;
use crate::vectors::Vector;

#[test]
fn meaning_is_merged_with_words_and_keeps_to_roles() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = filled(
        folder.path(),
        &[
            paper("car.txt", Role::Public, "how to mend an automobile"),
            paper("cat.txt", Role::Public, "how to feed a kitten"),
            paper("own.txt", Role::Admin, "the owner's automobile"),
        ],
    );
    library.set_embedder("toy", 3).unwrap();
    let mut after = 0;
    while let [passage] = &library.without_vector(after, 1).unwrap()[..] {
        let car = if passage.text.contains("automobile") { 1.0 } else { 0.1 };
        let vector = Vector::of(&[car, 1.0 - car, 0.3]).unwrap();
        library.put_vectors(&[(passage.id.clone(), vector)]).unwrap();
        after = passage.row;
    }
    assert_eq!(library.embedded().unwrap(), (3, 3));
    let meaning = Vector::of(&[1.0, 0.0, 0.3]).unwrap();
    let found = |reader: &Reader| -> Vec<String> {
        let search =
            Search { text: "vehicle", reader, limit: 1, vector: Some(&meaning), counts: false };
        library.search(&search, NOW).unwrap().into_iter().map(|hit| hit.name).collect()
    };
    assert_eq!(found(&guest()), ["car.txt"]);
    assert!(found(&Reader::Roles(Vec::new())).is_empty());
    let long = Vector::of(&[1.0; 4]).unwrap();
    let id = library.hits(&[1]).unwrap()[0].id.clone();
    assert!(matches!(library.put_vectors(&[(id, long)]), Err(LibraryError::Dimension { .. })));
    library.set_embedder("toy", 3).unwrap();
    assert_eq!(library.embedded().unwrap(), (3, 3));
    // A model that was changed behind its name gives vectors of another size.
    library.set_embedder("toy", 4).unwrap();
    assert_eq!(library.embedded().unwrap(), (0, 3));
    library.set_embedder("another", 3).unwrap();
    assert_eq!(library.without_vector(0, 10).unwrap().len(), 3);
}

#[test]
fn two_forms_of_a_paper_take_one_place_by_words_and_by_meaning() {
    let folder = tempfile::tempdir().unwrap();
    let best = "the pump, the pump, the pump";
    let mut items =
        vec![paper("manual.docx", Role::Public, best), paper("manual.pdf", Role::Public, best)];
    let others = ["a", "b", "c", "d"].map(|name| format!("{name}.txt"));
    items.extend(others.iter().map(|name| paper(name, Role::Public, "one pump among much else")));
    let mut library = filled(folder.path(), &items);
    library.set_embedder("toy", 2).unwrap();
    for passage in library.without_vector(0, 10).unwrap() {
        let other = if passage.text.contains(best) { 0.0 } else { 0.5 };
        library.put_vectors(&[(passage.id, Vector::of(&[1.0, other]).unwrap())]).unwrap();
    }
    let meaning = Vector::of(&[1.0, 0.0]).unwrap();
    for (text, vector) in [("pump", None), ("pump", Some(&meaning)), ("vessel", Some(&meaning))] {
        let search = Search { text, reader: &guest(), limit: 5, vector, counts: false };
        let found: Vec<String> =
            library.search(&search, NOW).unwrap().into_iter().map(|hit| hit.name).collect();
        assert!(found[0].starts_with("manual."), "{text}: {found:?}");
        assert!(others.iter().all(|name| found.contains(name)), "{text}: {found:?}");
    }
}
