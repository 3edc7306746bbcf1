//! What is taken as an answer, what is not, and what people get to see of it.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn hello() -> Action {
    Action { name: ActionName::new("HELLO_WORLD").unwrap(), params: Object::new() }
}

fn error(text: &str) -> String {
    Answer::parse(text).unwrap_err().to_string()
}

/// What people see when the text comes in chunks of `size` characters.
fn streamed(text: &str, size: usize) -> String {
    let mut words = Words::default();
    let characters: Vec<char> = text.chars().collect();
    let mut shown = String::new();
    for chunk in characters.chunks(size) {
        shown.push_str(&words.push(&String::from_iter(chunk)));
    }
    shown + &words.finish()
}

#[test]
fn words_alone() {
    let answer = Answer::parse("  Hello, 1 < 2 and `code` ```too``` \n").unwrap();
    assert_eq!(
        answer,
        Answer { words: "Hello, 1 < 2 and `code` ```too```".into(), actions: vec![] }
    );
}

#[test]
fn words_and_a_block_in_all_the_ways_that_models_write_it() {
    let list = r#"[{"name": "HELLO_WORLD", "params": {}}]"#;
    for text in [
        format!("Sure.<tool_code>{list}</tool_code>"),
        format!("Sure.\n\n<tool_code>\n  {list}\n</tool_code>\n"),
        format!("Sure.\n```json\n<tool_code>{list}</tool_code>\n```"),
        format!("Sure.\n```tool_code\n<tool_code>{list}</tool_code>\n```\n"),
        format!("Sure.\n```\n<tool_code>\n```json\n{list}\n```\n</tool_code>\n```"),
        format!("Sure. <tool_code>```tool_code\n{list}```</tool_code>"),
        format!(
            "<thinking>no <tool_code>[x]</tool_code></thinking>Sure.<tool_code>{list}</tool_code>"
        ),
        format!("<think>no <tool_code>[x]</tool_code></think>Sure.<tool_code>{list}</tool_code>"),
        format!("Sure.<think>hm</think><tool_code>{list}</tool_code><think>done"),
        r#"Sure.<tool_code>[{"name": "HELLO_WORLD"}]</tool_code>"#.to_owned(),
    ] {
        let expected = Answer { words: "Sure.".into(), actions: vec![hello()] };
        assert_eq!(Answer::parse(&text), Ok(expected), "{text}");
        for size in [1, 2, 5, 1_000] {
            assert_eq!(streamed(&text, size), "Sure.", "{text}");
        }
    }
}

#[test]
fn a_block_that_may_not_be_meant_is_no_action() {
    let block = r#"<tool_code>[{"name": "HELLO_WORLD", "params": {}}]</tool_code>"#;
    for text in [
        format!("a {block} and then?"),
        format!("{block}a"),
        format!("```\n{block}\n``` is how it is done."),
        format!("A page says:\n> {block}"),
        format!("> first\n> second {block}"),
        format!("It is `{block}`"),
        format!("It says \"{block}\""),
        format!("An example:\n```\nSure. {block}\n```"),
        format!("```json\n[1]\n{block}\n```"),
        format!("I think I should {block}</think>Hello."),
        format!("Let me see: {block}</thinking>"),
        format!("<thinking>a</think>b</thinking>c{block}d"),
    ] {
        let parsed = Answer::parse(&text);
        let is_refused = matches!(parsed, Err(AnswerError::Followed | AnswerError::Quoted));
        assert!(is_refused, "{text}: {parsed:?}");
    }
    for hidden in ["think", "thinking", "reasoning", "thought"] {
        let answer = Answer::parse(&format!("<{hidden}>{block}</{hidden}>Hello.")).unwrap();
        assert_eq!(answer, Answer { words: "Hello.".into(), actions: vec![] });
    }
    // What was closed before says nothing of what follows.
    for meant in [
        format!("```sh\nls\n```\nSure. {block}"),
        format!("```sh\nls\n```\n{block}"),
        format!("I call it \"Frankie\"{block}"),
        format!("I call `ls`{block}"),
        format!("> You said this.\n{block}"),
    ] {
        assert_eq!(Answer::parse(&meant).unwrap().actions, [hello()], "{meant}");
    }
}

#[test]
fn what_is_wrong_is_said_so_that_the_model_can_mend_it() {
    let errors: Vec<String> = [
        "",
        "<think>I say nothing</think>",
        "a<tool_code>[]</tool_code>b<tool_code>[]</tool_code>",
        "a<tool_code>[",
        "a <tool_co",
        "a</tool_code>",
        "a<tool_code>[]</tool_code>b",
        "> a<tool_code>[]</tool_code>",
        "```tool_code\n[{\"name\": \"A\"}]\n```",
        "<tool_code>[{'name': 'A'}]</tool_code>",
        r#"<tool_code>[{"name": "A", "name": "B"}]</tool_code>"#,
        r#"<tool_code>{"name": "A"}</tool_code>"#,
        r#"<tool_code>["A"]</tool_code>"#,
        r#"<tool_code>[{"params": {}}]</tool_code>"#,
        r#"<tool_code>[{"name": 5}]</tool_code>"#,
        r#"<tool_code>[{"name": "A"}, {"name": "create_post"}]</tool_code>"#,
        r#"<tool_code>[{"name": "A", "params": []}]</tool_code>"#,
        r#"<tool_code>[{"name": "A", "arguments": {}}]</tool_code>"#,
        &format!("<tool_code>[{}]</tool_code>", [r#"{"name":"A"}"#; 9].join(",")),
    ]
    .map(error)
    .into();
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_cyrillic_letter_or_a_lower_case_one_is_no_action_name() {
    for name in ["СREATE_POST", "create_post", "CREATE_POST\u{200b}", "../X", ""] {
        let text = format!("<tool_code>[{}]</tool_code>", json!({"name": name}));
        assert!(error(&text).contains("is no action name"), "{name}");
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
    let params = json!({"text": "</tool_code><tool_code>[]</tool_code><think>"});
    let action = Action { params: params.as_object().unwrap().clone(), ..hello() };
    let answer = Answer { words: String::new(), actions: vec![action] };
    assert_eq!(Answer::parse(&answer.to_string()), Ok(answer));
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
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let _ = Answer::parse(&text);
        let mut words = Words::default();
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
        "[<`a-z \n{}\\[\\]\",:]{0,6}",
        "\\PC{0,4}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn streaming_shows_the_words_of_the_whole(text in text(), size in 1_usize..9) {
        let shown = streamed(&text, size);
        prop_assert_eq!(&shown, &Words::of(&text));
        prop_assert!(!shown.contains("<tool_code>") && !shown.contains("</tool_code>"));
        if let Ok(answer) = Answer::parse(&text) {
            prop_assert_eq!(shown, answer.words);
        }
    }

    #[test]
    fn never_panics(text: String) {
        let _ = Answer::parse(&text);
    }

    #[test]
    fn what_is_written_is_what_is_read(
        words in "[a-zA-Z0-9 äß<.\n]{0,40}", texts in proptest::collection::vec("\\PC{0,20}", 1..MAX_ACTIONS),
    ) {
        let words = words.trim().to_owned();
        let actions = texts
            .into_iter()
            .map(|text| Action { params: Object::from_iter([(text.clone(), json!([text]))]), ..hello() })
            .collect();
        let answer = Answer { words, actions };
        prop_assert_eq!(Answer::parse(&answer.to_string()), Ok(answer));
    }
}
