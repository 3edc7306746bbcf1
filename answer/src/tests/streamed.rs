//! What people get to see of an answer while it comes, however it is cut.

use proptest::prelude::*;

use super::*;

/// The most characters that were held back, for a text that is shown as it is.
fn most_held(text: &str) -> usize {
    let [local, router] = cards();
    let mut words = Words::new([local, router]);
    let mut shown = 0;
    let held = text.chars().enumerate().map(|(at, c)| {
        shown += words.push(&c.to_string()).chars().count();
        at + 1 - shown
    });
    held.max().unwrap_or_default()
}

#[test]
fn ordinary_words_are_shown_at_once() {
    for (text, most) in [
        ("Hello, how are you?\nI am fine. A < B, [1] and {x} are fine, Create it. HELLO.", 2),
        (
            "Here:\n```python\nprint('hello')\nfor x in [1, 2]:\n    use({'name': x})\n```\nThat is it.",
            17,
        ),
        ("- [x] done\n- [ ] open\n[link](https://example.com)\nprint it.\nCREATE_POST is it.", 12),
        ("```json\n{\"a\": 1}\n```\nis JSON.", 19),
    ] {
        assert_eq!(words_of(text), text);
        assert_eq!(most_held(text), most, "{text}");
    }
}

#[test]
fn the_message_of_an_object_is_shown_as_it_comes() {
    let text = r#"{"message": "Grüße \ud83d\ude00 und \"mehr\"\n\tText", "actions": []}"#;
    let whole = "Grüße 😀 und \"mehr\"\n\tText";
    assert_eq!(read(text).unwrap().words, whole);
    let [local, router] = cards();
    let mut words = Words::new([local, router]);
    assert_eq!(words.push(r#"{"message": "Grüße \ud8"#), "Grüße");
    assert_eq!(words.push(r"3d\ude"), "");
    assert_eq!(words.push(r"00 und"), " 😀 und");
    for size in 1..9 {
        assert_eq!(streamed(text, size), whole);
    }
}

#[test]
fn ordinary_code_is_words() {
    for text in [
        "```python\nprint('hello')\n```",
        "```json\n{\"name\": \"Alice\", \"age\": 3}\n```\nis JSON.",
        "```\n[{\"a\": 1}, {\"b\": [2]}]\n```",
        "```json\n{\"unclosed\": ",
        "{\"a\": {\"b\": 1}}",
        "{not json} at all",
        "[{broken\nand more",
        "Use `{\"name\": \"HELLO_WORLD\"}` for that.",
        "CREATE_POST(platform, text) publishes a post.",
        "CREATE_POST publishes a post.",
        "In Rust:\n```rust\nfn main() { println!(\"{}\", 1); }\n```",
        "```json\n{\"type\": \"function\"}\n```",
    ] {
        let expected = Answer { words: text.trim().to_owned(), actions: vec![] };
        assert_eq!(read(text), Ok(expected), "{text}");
    }
}

#[test]
fn a_tag_that_a_stream_cut_is_not_shown() {
    assert_eq!(streamed("Well <tool_co", 1), "Well");
    assert_eq!(streamed("Well\n```json\n<tool_cod", 1), "Well");
    assert_eq!(streamed("s<t", 1), "s<t");
}

#[test]
fn a_text_cannot_end_the_block_that_it_stands_in() {
    let params = json!({"name": "</tool_code><tool_code>[]</tool_code><think>"});
    let action = Action { params: params.as_object().unwrap().clone(), ..hello() };
    let answer = Answer { words: String::new(), actions: vec![action] };
    assert_eq!(read(&answer.to_string()), Ok(answer));
}

#[test]
fn large_input_is_read_in_one_go() {
    for piece in [
        "`",
        "```a ",
        "<",
        "<tool_code>",
        "</tool_code>",
        "<think>",
        " ",
        "x",
        "<tool_code><think>",
        "{\"a\":1}\n",
        "{a\n",
        "[{'",
        "```json\n{",
        "HELLO_WORLD(\n",
        "{\"message\": \"",
        "\\",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let _ = read(&text);
        let [local, router] = cards();
        let mut words = Words::new([local, router]);
        for chunk in text.as_bytes().chunks(1) {
            words.push(std::str::from_utf8(chunk).unwrap());
        }
        let _ = words.finish();
        let mut words = Words::new([local, router]).behind_thought(true);
        for chunk in text.as_bytes().chunks(1) {
            words.push(std::str::from_utf8(chunk).unwrap());
        }
        let _ = words.finish();
    }
}

/// Texts made of the pieces that mean something, and of others.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<tool_code>".to_owned()),
        Just("</tool_code>".to_owned()),
        Just("<think>".to_owned()),
        Just("</think>".to_owned()),
        Just("```json\n".to_owned()),
        Just("```".to_owned()),
        Just("<tool".to_owned()),
        Just(r#"[{"name": "A", "params": {}}]"#.to_owned()),
        Just(r#"{"name": "HELLO_WORLD", "params": {}}"#.to_owned()),
        Just(
            r#"{"thought": "a}", "asks_for": ["talk"], "actions": [], "message": "Hi \"#.to_owned()
        ),
        Just(r#"{"message": "Hi \n\ud83d\ude00 <tool"#.to_owned()),
        Just(r#"", "actions": []}"#.to_owned()),
        Just("{'name': 'HELLO_WORLD'".to_owned()),
        Just("<tool_call>".to_owned()),
        Just("</tool_call>".to_owned()),
        Just("<function=HELLO_WORLD>".to_owned()),
        Just("[TOOL_CALLS]".to_owned()),
        Just("[THINK]".to_owned()),
        Just("<|python_tag|>".to_owned()),
        Just("\nHELLO_WORLD(".to_owned()),
        Just("print(HELLO_WORLD(name='x'))".to_owned()),
        Just("```tool_code\n".to_owned()),
        Just("\n```\n".to_owned()),
        Just("\n".to_owned()),
        Just("}".to_owned()),
        "[<`a-z \n{}\\[\\]\",:]{0,6}",
        "\\PC{0,4}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn streaming_shows_the_words_of_the_whole(text in text(), size in 1_usize..9) {
        let shown = streamed(&text, size);
        prop_assert_eq!(&shown, &words_of(&text));
        prop_assert!(!shown.contains("<tool_code>") && !shown.contains("</tool_code>"));
        if let Ok(answer) = read(&text) {
            prop_assert_eq!(shown, answer.words);
        }
    }

    #[test]
    fn never_panics(text: String) {
        let _ = read(&text);
    }

    #[test]
    fn what_is_written_is_what_is_read(
        words in "[a-zA-Z0-9 äß<.\n]{0,40}", texts in proptest::collection::vec("\\PC{0,20}", 1..MAX_ACTIONS),
    ) {
        let words = words.trim().to_owned();
        let actions = texts
            .into_iter()
            .map(|text| Action { params: Object::from_iter([("name".to_owned(), json!(text))]), ..hello() })
            .collect();
        let answer = Answer { words, actions };
        prop_assert_eq!(read(&answer.to_string()), Ok(answer.clone()));
        prop_assert_eq!(read(&format!("{}\n{}", answer.words, block(&answer.actions))), Ok(answer));
    }
}

#[test]
fn the_message_streams_behind_thoughts_and_actions_that_nobody_sees() {
    let head = r#"{"thought":"say \"hi\"","asks_for":["HELLO_WORLD"],"actions":[{"name":"HELLO_WORLD","params":{}}],"message":""#;
    let [local, router] = cards();
    let mut words = Words::new([local, router]);
    assert_eq!(words.push(&head[..30]), "");
    assert_eq!(words.push(&head[30..]), "");
    assert_eq!(words.push("Here "), "Here");
    assert_eq!(words.push("it is.\"}"), " it is.");
    assert_eq!(words.finish(), "");
    let answer = read(&format!("{head}Done.\"}}")).unwrap();
    assert_eq!((answer.words.as_str(), answer.actions), ("Done.", vec![hello()]));
    for cut in 1..head.len() {
        let shown = words_of(&head[..cut]);
        assert!(cut < 12 || shown.is_empty(), "{shown}");
        assert!(cut < 12 || read(&head[..cut]).is_err(), "{}", &head[..cut]);
    }
}
