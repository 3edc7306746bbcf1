//! Files of real writers, and files that nobody should have written.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::Section;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn read(name: &str) -> Document {
    parse(name, &fixture(name), &Budget::default()).unwrap().1
}

fn refused(name: &str, bytes: &[u8]) -> String {
    parse(name, bytes, &Budget::default()).unwrap_err().to_string()
}

fn text(document: &Document) -> String {
    let texts: Vec<&str> = document.sections.iter().map(|section| section.text.as_str()).collect();
    texts.join("\n")
}

fn placed(document: &Document) -> Vec<String> {
    let place = |section: &Section| {
        let pages = section.pages.map_or_else(String::new, |p| format!("{}-{} ", p.first, p.last));
        format!("{pages}{}", section.headings.join(" > "))
    };
    document.sections.iter().map(place).collect()
}

#[test]
fn a_pdf_is_read_by_the_entries_of_its_outline() {
    let manual = read("manual.pdf");
    assert_eq!(placed(&manual), ["1-1 Installation", "2-3 Operation", "4-4 Maintenance"]);
    assert!(manual.sections[1].text.contains("red valve to start the pump"));
    assert!(manual.sections[1].text.contains("Never run the pump dry"));
    let range = |words: &str| {
        let at = manual.sections[1].text.find(words).unwrap();
        manual.sections[1].pages_of(&(at..at + words.len())).map(|pages| pages.first)
    };
    assert_eq!((range("red valve"), range("Never")), (Some(2), Some(3)));
    assert!(manual.notes.is_empty());
}

#[test]
fn a_pdf_of_a_browser_is_read_by_pages_in_every_script() {
    let page = read("page.pdf");
    assert_eq!(placed(&page), ["1-1 ", "2-2 "]);
    for words in ["Überraschung", "Die Möwe fliegt über das Meer.", "Ελληνικά", "русский"]
    {
        assert!(page.sections[0].text.contains(words), "{words}: {}", page.sections[0].text);
    }
    assert!(page.sections[1].text.contains("17 % Rabatt"));
}

#[test]
fn hidden_text_of_a_pdf_is_dropped_and_said() {
    let hidden = read("hidden.pdf");
    let text = text(&hidden);
    for seen in ["visible price is 40 crowns", "White words on a dark box", "A form is seen too"] {
        assert!(text.contains(seen), "{seen}: {text}");
    }
    assert!(!text.contains("keys"), "{text}");
    assert_eq!(hidden.notes.len(), 1);
    assert!(
        hidden.notes[0].ends_with("characters of hidden text were left out"),
        "{:?}",
        hidden.notes
    );
}

#[test]
fn scans_and_locked_files_say_so() {
    let scan = refused("scan.pdf", &fixture("scan.pdf"));
    assert!(scan.starts_with("the file has 2 pages and no text on them, so it is probably a scan"));
    let recognised = read("recognised.pdf");
    assert!(text(&recognised).contains("Invoice 4711 over ninety crowns"));
    assert_eq!(recognised.notes, ["the text of 2 scanned pages is what a program recognised"]);
    assert!(refused("locked.pdf", &fixture("locked.pdf")).starts_with("the file is encrypted"));
    assert!(text(&read("unchangeable.pdf")).contains("red valve"));
    let locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 an older container";
    assert!(refused("secret.docx", locked).starts_with("the file is encrypted"));
}

#[test]
fn a_bad_page_leaves_the_rest() {
    let mut pdf = pdf_extract::Document::load_mem(&fixture("manual.pdf")).unwrap();
    let page = pdf.get_pages()[&2];
    let page = pdf.get_object_mut(page).and_then(pdf_extract::Object::as_dict_mut).unwrap();
    page.set("Resources", pdf_extract::Dictionary::new());
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    let (_, manual) = parse("manual.pdf", &bytes, &Budget::default()).unwrap();
    assert!(text(&manual).contains("level ground") && text(&manual).contains("gasket"));
}

#[test]
fn a_word_file_is_read_by_its_headings() {
    let minutes = read("minutes.docx");
    assert_eq!(placed(&minutes), ["", "Decisions", "Decisions > Open points", "Next meeting"]);
    assert_eq!(minutes.sections[1].text, "We buy the blue bicycle for Anna.");
    assert_eq!(minutes.sections[2].text, "Who pays? \nName\tTask\nÅsa\tCount & weigh");
    assert_eq!(minutes.notes, ["20 characters of hidden text were left out"]);
}

#[test]
fn a_book_and_a_spreadsheet_are_read() {
    let tales = read("tales.epub");
    assert_eq!(placed(&tales), ["The Fox", "The Crane"]);
    assert_eq!(text(&tales), "A fox lived by the river.\nThe crane invited the fox to dinner.");
    assert_eq!(tales.notes.len(), 2);
    let stock = read("stock.xlsx");
    assert_eq!(placed(&stock), ["Stock", "Empty", "Rooms"]);
    assert_eq!(
        stock.sections[0].text,
        "Item, Price, Bought\nItem: Tea; Price: 3.5; Bought: 2026-03-01\nItem: Ink; Price: 12"
    );
    let csv = "Name;Age\n\"Muster, Max\";7\n";
    let (_, csv) = parse("x.csv", csv.as_bytes(), &Budget::default()).unwrap();
    assert_eq!(text(&csv), "Name, Age\nName: Muster, Max; Age: 7");
}

#[test]
fn plain_text_comes_in_any_charset() {
    for (bytes, expected) in [
        (&b"Gr\xfc\xdfe\r\nzwei"[..], "Grüße\nzwei"),
        (b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe", "Grüße"),
        (b"\xff\xfeG\0r\0\xfc\0", "Grü"),
    ] {
        let (_, document) = parse("a.txt", bytes, &Budget::default()).unwrap();
        assert_eq!(text(&document), expected);
    }
    assert!(refused("a.txt", b"\x7fELF\0\0\0").contains("NUL"));
}

#[test]
fn what_cannot_be_read_says_why() {
    assert!(
        refused("a.exe", b"MZ").starts_with("Unsupported file type: a.exe. Supported are pdf,")
    );
    assert!(refused("../../etc/passwd", b"x").starts_with("Unsupported file type"));
    assert_eq!(refused("a.md", b" \n\n"), "there is no text in the file");
    for name in ["a.pdf", "a.docx", "a.epub", "a.xlsx"] {
        let words = refused(name, b"this is none of them");
        assert!(words.starts_with("the file cannot be read as "), "{name}: {words}");
    }
    let large = vec![b'a'; MAX_BYTES + 1];
    assert!(refused("a.txt", &large).contains("10485760 are the limit"));
}

fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_zip_bomb_is_refused_before_it_unpacks() {
    let zeros = vec![b'0'; 150 * 1024 * 1024];
    for (name, part) in [("a.docx", "word/document.xml"), ("a.xlsx", "xl/workbook.xml")] {
        let bomb = zipped(&[(part, &zeros)]);
        assert!(bomb.len() < 1024 * 1024);
        assert!(refused(name, &bomb).contains("unpacks to more than"), "{name}");
    }
}

#[test]
fn names_with_dots_lead_nowhere() {
    let container = br#"<container><rootfiles><rootfile full-path="../../../etc/passwd"/></rootfiles></container>"#;
    let book = zipped(&[("META-INF/container.xml", container)]);
    let words = refused("a.epub", &book);
    assert_eq!(words, "the file cannot be read as epub: it has no ../../../etc/passwd");
}

#[test]
fn a_form_that_shows_itself_ends() {
    let mut pdf = pdf_extract::Document::load_mem(&fixture("hidden.pdf")).unwrap();
    let forms: Vec<_> = pdf
        .objects
        .iter()
        .filter(|(_, object)| {
            object.as_stream().is_ok_and(|stream| {
                stream.dict.get(b"Subtype").and_then(pdf_extract::Object::as_name).ok()
                    == Some(b"Form")
            })
        })
        .map(|(id, _)| *id)
        .collect();
    let [form] = forms[..] else { panic!("one form was written") };
    let page = pdf.get_pages()[&1];
    let resources = pdf.get_dictionary(page).unwrap().get(b"Resources").unwrap().clone();
    let stream = pdf.get_object_mut(form).and_then(pdf_extract::Object::as_stream_mut).unwrap();
    stream.dict.set("Resources", resources);
    let name = String::from_utf8_lossy(&fixture("hidden.pdf")).into_owned();
    let name =
        name.split("/XObject <<").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    stream.set_plain_content(format!("{name} Do {name} Do").into_bytes());
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    let (_, document) = parse("a.pdf", &bytes, &Budget::default()).unwrap();
    assert!(text(&document).contains("40 crowns"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn damaged_files_are_errors_and_never_more(
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 1..40),
        cut in any::<prop::sample::Index>(),
    ) {
        for name in ["manual.pdf", "hidden.pdf", "minutes.docx", "tales.epub", "stock.xlsx"] {
            let mut file = fixture(name);
            let at = at.index(file.len());
            let end = (at + bytes.len()).min(file.len());
            file[at..end].copy_from_slice(&bytes[..end - at]);
            let _ = parse(name, &file, &Budget::default());
            file.truncate(cut.index(file.len()));
            let _ = parse(name, &file, &Budget::default());
        }
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        for name in ["a.md", "a.html", "a.csv", "a.txt"] {
            let _ = parse(name, text.as_bytes(), &Budget::default());
        }
    }
}
