//! What is sent as a file or as a photo.

use channel::Said;
use serde_json::json;
use testkit::{Trouble, eventually};

use super::house::{GUEST, OWNER, house};

/// The bytes of the files that are kept, by their names.
fn kept(home: &testkit::TempHome) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(home.workspace().join("files")).into_iter().flatten().flatten();
    let files = files.filter(|file| file.file_name() != "list.json");
    files.map(|file| std::fs::read(file.path()).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_the_owners_is_kept_and_told_of_with_what_was_typed() {
    let mut house = house();
    house.api.sends_file(OWNER, "../a\"].csv", b"x,y\n1,2\n", json!({"caption": "What is in it?"}));
    let heard = house.hears().await;
    let Said::WithFiles { text, typed } = &heard.said else { panic!("{heard:?}") };
    assert_eq!(typed, "What is in it?");
    let (said, told) = text.split_once('\n').unwrap();
    assert_eq!(said, typed);
    assert!(told.starts_with("[file \"a''.csv\", 8 bytes, text/plain, kept as files/"), "{told}");
    assert_eq!(kept(&house.home), [b"x,y\n1,2\n"]);
    house.answer(&heard, "Two numbers.");
    let _ = house.api.wait_for(OWNER, "Two numbers.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_is_taken_in_its_largest_size() {
    let mut house = house();
    let size = |bytes: &[u8]| {
        let (id, size) = (house.api.holds(bytes), bytes.len());
        json!({"file_id": id, "file_unique_id": id, "file_size": size, "width": size, "height": size})
    };
    let sizes = [size(b"\xff\xd8\xffs"), size(b"\xff\xd8\xfflarge"), size(b"\xff\xd8\xffm")];
    house.api.posts(OWNER, json!({"photo": sizes}));
    let heard = house.hears().await;
    let Said::WithFiles { text, typed } = &heard.said else { panic!("{heard:?}") };
    assert!(
        typed.is_empty() && text.starts_with("[file \"photo.jpg\", 8 bytes, image/jpeg"),
        "{text}"
    );
    assert_eq!(kept(&house.home), [b"\xff\xd8\xfflarge"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paper_without_a_word_is_offered_to_the_library() {
    let mut house = house();
    house.api.sends_file(OWNER, "Manual.PDF", b"%PDF-1.7 x", json!({}));
    let heard = house.hears().await;
    let Said::Command(command) = &heard.said else { panic!("{heard:?}") };
    let place = command.text().strip_prefix("/index ").unwrap();
    assert_eq!(std::fs::read(place).unwrap(), b"%PDF-1.7 x");
    assert!(place.ends_with(".pdf"), "{place}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_taken_is_told_and_nothing_is_kept() {
    let house = house();
    house.api.sends_file(GUEST, "a.pdf", b"%PDF-1.7 x", json!({}));
    let _ = house.api.wait_for(GUEST, "only text is read here");
    house.api.sends_file(OWNER, "a.txt", b"x", json!({"caption": "/run POST {}"}));
    let _ = house.api.wait_for(OWNER, "a command takes no files");
    house.api.sends_file(OWNER, "a.txt", b"", json!({}));
    let _ = house.api.wait_for(OWNER, "the file was not taken: it is empty");
    let large = json!({"file_id": "f", "file_unique_id": "f", "file_size": 20_000_000});
    house.api.posts(OWNER, json!({"document": large}));
    let _ = house.api.wait_for(OWNER, "a file may be 10 MiB large");
    house.api.meets("getFile", Trouble::Refused(400, "Bad Request: file is too big"));
    house.api.sends_file(OWNER, "b.txt", b"x", json!({}));
    let told = house.api.wait_for(OWNER, "file is too big");
    assert!(told.text.contains("the file was not taken"), "{}", told.text);
    house.api.posts(OWNER, json!({"location": {"longitude": 1.0, "latitude": 1.0}}));
    let _ = house.api.wait_for(OWNER, "text, photos and files are read here");
    // What is larger than Telegram says is cut off.
    let id = house.api.holds(&vec![b'x'; 11_000_000]);
    let lie = json!({"file_id": id, "file_unique_id": id, "file_size": 5, "file_name": "c.txt"});
    house.api.posts(OWNER, json!({"document": lie}));
    let _ = house.api.wait_for(OWNER, "the file is larger than Telegram has said");
    assert_eq!(kept(&house.home), [b""; 0]);
    let is_answered = async || !house.home.text("workspace/telegram.json").contains(".txt");
    eventually("nothing of it counts as unanswered", is_answered).await;
}
