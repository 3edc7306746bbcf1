//! Which addresses are meant, and what people and models are told.

use super::*;
use conversation::workspace::SessionFiles;

#[test]
fn an_address_is_one_of_the_web() {
    for (text, url) in [
        ("https://example.com", "https://example.com/"),
        (" example.com/a?b ", "https://example.com/a?b"),
        ("example.com:8080", "https://example.com:8080/"),
        ("HTTP://127.0.0.1:80/", "http://127.0.0.1/"),
    ] {
        assert_eq!(address(text).unwrap().as_str(), url, "{text}");
    }
    for text in [
        "",
        " ",
        "\0",
        "hello",
        "http://",
        "file:///etc/passwd",
        "data:text/html,hi",
        "javascript:alert(1)",
        "chrome://version",
        "ftp://example.com/",
        "about:blank",
        "blob:https://example.com/1",
    ] {
        assert_eq!(address(text).unwrap_err().code, Code::BadParams, "{text}");
    }
    assert!(address(&format!("https://example.com/{}", "x".repeat(3_000))).is_err());
}

fn seen() -> Seen {
    Seen {
        url: "https://example.com/".to_owned(),
        status: Some(200),
        title: "Two\nlines".to_owned(),
        language: Some("en".to_owned()),
        text: "x".repeat(10_000),
        html: String::new(),
        picture: Some(Vec::new()),
        glance: None,
        remarks: vec!["the page wanted 127.0.0.1:80, which is refused".to_owned()],
    }
}

#[test]
fn a_page_is_read_for_its_question_unless_only_its_picture_is_wanted() {
    let kept = Kept {
        picture: Some("output/browser_vision.png".to_owned()),
        text: "output/browser_vision.txt".to_owned(),
        glance: Some("output/browser_vision.jpg".to_owned()),
    };
    let told = |question: Option<&str>| done(&seen(), &kept, question.map(str::to_owned));
    let asked = told(Some("the price?"));
    let follow_up = &asked.result["follow_up"];
    assert_eq!(
        *follow_up,
        json!({"name": "_LLM_SUMMARY", "params": {
            "content": "output/browser_vision.txt", "question": "the price?", "picture": "output/browser_vision.jpg",
        }})
    );
    assert!(told(None).result["follow_up"]["params"].get("question").is_none());
    assert!(told(Some("Picture")).result.get("follow_up").is_none());
    assert_eq!(asked.result["title"], "Two lines");
    assert_eq!(asked.result["beginning"].as_str().unwrap().len(), BEGINNING);
    assert_eq!(
        asked.text.unwrap(),
        "saw https://example.com/: picture in output/browser_vision.png, text in output/browser_vision.txt\n\
         the page wanted 127.0.0.1:80, which is refused"
    );
}

#[test]
fn a_page_of_which_no_picture_could_be_made_is_told_without_one() {
    let kept = Kept { picture: None, text: "output/browser_vision.txt".to_owned(), glance: None };
    let told = done(&Seen { picture: None, ..seen() }, &kept, None);
    assert_eq!(told.result["picture"], json!(null));
    let text = told.text.unwrap();
    assert!(text.starts_with("saw https://example.com/: text in output/"), "{text}");
}

#[tokio::test]
async fn a_look_without_a_picture_leaves_none_of_the_page_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = Arc::new(SessionFiles::open(folder.path()));
    let output =
        |ending: &str| folder.path().join("output").join(format!("browser_vision{ending}"));
    let whole = Seen { glance: Some(Vec::new()), ..seen() };
    Kept::of(&files, 1, &whole).await.unwrap();
    Kept::of(&files, 2, &whole).await.unwrap();
    assert!(output(".png").exists() && output(".jpg").exists());
    let kept = Kept::of(&files, 1, &Seen { picture: None, ..seen() }).await.unwrap();
    assert!(kept.picture.is_none() && output(".txt").exists());
    assert!(!output(".png").exists() && !output(".jpg").exists());
    assert!(output("-2.png").exists() && output("-2.jpg").exists());
}

#[test]
fn looks_that_run_side_by_side_have_their_own_files() {
    let slots = Slots::default();
    let (first, second) = (slots.take(), slots.take());
    assert_eq!([first.number(), second.number()], [1, 2]);
    drop(first);
    assert_eq!(slots.take().number(), 1);
}
