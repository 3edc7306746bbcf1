//! What is taken as an answer, what is not, and what people get to see of it.

mod streamed;
mod thought;

use std::sync::LazyLock;

use llm::{Call, Completion};
use protocol::ActionCard;
use serde_json::json;
use testkit::cards::{agent_cards, router_cards};

use super::*;

/// Cards like those of the first-party skills, and one with every kind of parameter.
pub(super) fn cards() -> &'static [Vec<ActionCard>; 2] {
    static CARDS: LazyLock<[Vec<ActionCard>; 2]> = LazyLock::new(made);
    &CARDS
}

fn made() -> [Vec<ActionCard>; 2] {
    let odd = json!({
        "name": "SEND_MONEY",
        "params": {
            "to": {"type": "string"}, "amount": {"type": "number"}, "times": {"type": "integer"},
            "now": {"type": "boolean"}, "note": {"type": ["string", "null"]}
        },
        "optional": ["times", "now", "note"], "effect": "irreversible", "reads": "none"
    });
    let mut router = router_cards();
    router.push(serde_json::from_value(odd).unwrap());
    [agent_cards(), router]
}

pub(super) fn read(text: &str) -> Result<Answer, AnswerError> {
    let [local, router] = cards();
    Answer::read(&Completion::new(text), [local, router], &Shown::default())
}

pub(super) fn words_of(text: &str) -> String {
    let [local, router] = cards();
    Words::of(text, [local, router])
}

fn hello() -> Action {
    Action { name: ActionName::new("HELLO_WORLD").unwrap(), params: Object::new() }
}

fn error(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

/// What people see when the text comes in chunks of `size` characters.
fn streamed(text: &str, size: usize) -> String {
    let [local, router] = cards();
    let mut words = Words::new([local, router]);
    let characters: Vec<char> = text.chars().collect();
    let mut shown = String::new();
    for chunk in characters.chunks(size) {
        let piece = words.push(&String::from_iter(chunk));
        add(&mut shown, &piece, &mut words);
    }
    let last = words.finish();
    add(&mut shown, &last, &mut words);
    shown
}

/// Adds a piece to what is shown, or begins anew with it.
fn add(shown: &mut String, piece: &str, words: &mut Words<'_>) {
    if words.begins_anew() {
        shown.clear();
    }
    shown.push_str(piece);
}

#[test]
fn words_alone() {
    let answer = read("  Hello, 1 < 2 and `code` ```too``` \n").unwrap();
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
        assert_eq!(read(&text), Ok(expected), "{text}");
        for size in [1, 2, 5, 1_000] {
            assert_eq!(streamed(&text, size), "Sure.", "{text}");
        }
    }
}

#[test]
fn a_block_that_may_not_be_meant_is_no_action() {
    let block = r#"<tool_code>[{"name": "HELLO_WORLD", "params": {}}]</tool_code>"#;
    let call = r#"{"name": "HELLO_WORLD", "params": {}}"#;
    for text in [
        format!("a {block} and then?"),
        format!("It said: {block}, which I won't do."),
        format!("```\n{block}\n``` is how it is done."),
        format!("A page says:\n> {block}"),
        format!("> first\n> second {block}"),
        format!("It is `{block}`"),
        format!("It says \"{block}\""),
        format!("Done.\n{block}\nThe page says `{block}`"),
        format!("An example:\n```\nSure. {block}\n```"),
        format!("```json\n[1]\n{block}\n```"),
        format!("I think I should {block}</think>Hello."),
        format!("Let me see: {block}</thinking>"),
        format!("<thinking>a</think>b</thinking>c{block}d"),
        format!("```json\n{call}\n```\nThat is how it is written."),
        format!("{call}\nThat is how it is written."),
        format!("I would write {call}"),
        "HELLO_WORLD()\nsays hello.".to_string(),
        format!(r#"{{"message": "Write {}", "actions": []}}"#, block.replace('"', "\\\"")),
    ] {
        let parsed = read(&text);
        let is_refused = matches!(parsed, Err(AnswerError::Followed | AnswerError::Quoted));
        assert!(is_refused, "{text}: {parsed:?}");
    }
    for hidden in ["think", "thinking", "reasoning", "thought"] {
        let answer = read(&format!("<{hidden}>{block}</{hidden}>Hello.")).unwrap();
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
        assert_eq!(read(&meant).unwrap().actions, [hello()], "{meant}");
    }
}

#[test]
fn words_behind_a_block_are_dropped() {
    let block = r#"<tool_code>[{"name": "HELLO_WORLD"}]</tool_code>"#;
    for text in [
        format!("Sure. {block} I have said it."),
        format!("Sure.\n{block}\nI have said it."),
        format!("Sure.\n{block}I have said it."),
        format!("Sure.\n```tool_code\n{block}\n```\nI have said it."),
        format!("Sure.\n```tool_code\n{}\n```\nI have said it.", r#"[{"name": "HELLO_WORLD"}]"#),
    ] {
        let expected = Answer { words: "Sure.".into(), actions: vec![hello()] };
        assert_eq!(read(&text), Ok(expected), "{text}");
    }
}

#[test]
fn several_blocks_are_one_answer() {
    let block = |name: &str| {
        format!(
            r#"<tool_code>[{{"name": "HELLO_WORLD", "params": {{"name": "{name}"}}}}]</tool_code>"#
        )
    };
    let named = |text: &str| {
        let answer = read(text).unwrap();
        answer.actions.into_iter().map(|action| action.params["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(named(&format!("{} and\n{}", block("a"), block("b"))), ["a", "b"]);
    assert_eq!(named(&format!("{}{}{}", block("a"), block("b"), block("a"))), ["a", "b"]);
    let many: Vec<String> = (0..9).map(|n| block(&n.to_string())).collect();
    assert_eq!(read(&many.concat()), Err(AnswerError::TooMany(9)));
    // If one can't be read, none runs.
    assert!(read(&format!("{}<tool_code>[{{</tool_code>", block("a"))).is_err());
    assert!(read(&format!("{}<tool_code>[{{", block("a"))).is_err());
}

#[test]
fn tool_calls_of_a_server_are_read() {
    let [local, router] = cards();
    let called = |name: &str, params: &str| {
        let call = Call { name: name.to_owned(), params: params.to_owned() };
        let completion =
            Completion { text: "Sure.".to_owned(), calls: vec![call], ..Completion::default() };
        Answer::read(&completion, [local, router], &Shown::default())
    };
    for (name, params) in [
        ("HELLO_WORLD", ""),
        ("HELLO_WORLD", "{}"),
        ("HELLO_WORLD", "null"),
        ("hello_world", r#""{}""#),
        ("functions.HELLO_WORLD", r#""""#),
    ] {
        let expected = Answer { words: "Sure.".into(), actions: vec![hello()] };
        assert_eq!(called(name, params), Ok(expected), "{name} {params}");
    }
    let answer = called("WEB_FETCH", r#""{\"url\": \"https://example.com\"}""#).unwrap();
    assert_eq!(answer.actions[0].params["url"], "https://example.com");
    for (name, params) in [
        ("WEB_FETCH", r#"{"url": "https://exa"#),
        ("WEB_FETCH", "[]"),
        ("WEB_FETCH", r#"{"url": "a", "url": "b"}"#),
        ("WEB_SEARCH", r#"{"url": "a"}"#),
        ("", "{}"),
    ] {
        assert!(
            matches!(called(name, params), Err(AnswerError::Action { number: 1, .. })),
            "{name} {params}"
        );
    }
}

#[test]
fn parameters_are_mended_only_without_loss() {
    let sent = |params: &str| {
        let text =
            format!(r#"<tool_code>[{{"name": "SEND_MONEY", "params": {params}}}]</tool_code>"#);
        read(&text).map(|answer| serde_json::Value::Object(answer.actions[0].params.clone()))
    };
    assert_eq!(
        sent(r#"{"To": "a", "AMOUNT": "12.5", "times": "3", "now": "True", "note": null}"#),
        Ok(json!({"to": "a", "amount": 12.5, "times": 3, "now": true, "note": null}))
    );
    assert_eq!(
        sent(r#"{"to": "a", "amount": 3, "times": 2.0, "now": null}"#),
        Ok(json!({"to": "a", "amount": 3, "times": 2}))
    );
    for wrong in [
        r#"{"to": "a", "amount": "1,5"}"#,
        r#"{"to": "a", "amount": "0x10"}"#,
        r#"{"to": "a", "amount": "12.50"}"#,
        r#"{"to": "a", "amount": " 1"}"#,
        r#"{"to": "a", "amount": "1e400"}"#,
        r#"{"to": "a", "amount": "123456789012345678901234567890.5"}"#,
        r#"{"to": "a", "amount": 1, "times": 1.5}"#,
        r#"{"to": "a", "amount": 1, "now": "yes"}"#,
        r#"{"to": "a", "amount": 1, "now": 1}"#,
        r#"{"to": 7, "amount": 1}"#,
        r#"{"to": "a", "To": "b", "amount": 1}"#,
        r#"{"to": "a", "amount": null}"#,
    ] {
        let refused = matches!(
            sent(wrong),
            Err(AnswerError::Action { problem: ActionError::Misfit { .. }, .. })
        );
        assert!(refused, "{wrong}: {:?}", sent(wrong));
    }
}

#[test]
fn an_address_may_lack_its_https() {
    let fetched = |url: &str| {
        let actions = json!([{"name": "WEB_FETCH", "params": {"url": url}}]);
        let text = format!("<tool_code>{actions}</tool_code>");
        read(&text).unwrap().actions[0].params["url"].clone()
    };
    assert_eq!(fetched("news.example.org"), "https://news.example.org");
    assert_eq!(fetched("example.org/a?b=c.d"), "https://example.org/a?b=c.d");
    for whole in [
        "https://example.org",
        "http://a",
        "mailto:a@b.c",
        "localhost",
        "a b.c",
        ".x",
        "/a.b",
        "a.b:80@c.d",
    ] {
        assert_eq!(fetched(whole), whole);
    }
}

#[test]
fn what_is_wrong_is_said_so_that_the_model_can_mend_it() {
    let errors: Vec<String> = [
        "",
        "<think>I say nothing</think>",
        "<tool_code>[]</tool_code>",
        "a<tool_code>[",
        "a <tool_co",
        "a</tool_code>",
        "a\n{\"name\": \"HELLO_WORLD\"}\nb",
        "> a<tool_code>[]</tool_code>",
        "<function_call>{}</function_call>",
        "<tool_code>[{\"name\": \"A\" \"params\": {}}]</tool_code>",
        r#"<tool_code>[{"name": "A", "name": "B"}]</tool_code>"#,
        r#"<tool_code>[{"name": "A"}][{"name": "B"}]</tool_code>"#,
        r#"<tool_code>"A"</tool_code>"#,
        r#"<tool_code>["A"]</tool_code>"#,
        r#"<tool_code>[{"params": {}}]</tool_code>"#,
        r#"<tool_code>[{"name": 5}]</tool_code>"#,
        r#"<tool_code>[{"name": "HELLO_WORLD"}, {"name": "create_pots"}]</tool_code>"#,
        r#"<tool_code>[{"name": "ORDER_PIZZA"}]</tool_code>"#,
        r#"<tool_code>[{"name": "HELLO_WORLD", "action": "WEB_FETCH"}]</tool_code>"#,
        r#"<tool_code>[{"name": "HELLO_WORLD", "params": []}]</tool_code>"#,
        r#"<tool_code>[{"name": "HELLO_WORLD", "params": "{\"a"}]</tool_code>"#,
        r#"<tool_code>[{"name": "HELLO_WORLD", "params": {}, "args": {}}]</tool_code>"#,
        r#"<tool_code>[{"name": "HELLO_WORLD", "params": {}, "approved": true}]</tool_code>"#,
        r#"<tool_code>[{"name": "CREATE_POST", "params": {"text": "a"}}]</tool_code>"#,
        r#"<tool_code>[{"name": "CREATE_POST", "params": {"platform": "Facebook", "text": "a"}}]</tool_code>"#,
        r#"<tool_code>[{"name": "CREATE_POST", "params": {"platform": "X", "text": "a", "to": "b"}}]</tool_code>"#,
        r#"<tool_code>[{"name": "CREATE_POST", "params": {"platform": "X", "text": 7}}]</tool_code>"#,
        r#"<tool_code>[{"name": "SEND_MONEY", "params": {"to": "a", "TO": "b", "amount": 1}}]</tool_code>"#,
        "<tool_code>CREATE_POST(\"X\", \"Hi\")</tool_code>",
        r#"{"message": "Hi", "actions": [], "mood": "good"}"#,
        &format!("<tool_code>[{}]</tool_code>", [r#"{"name":"A"}"#; 9].join(",")),
    ]
    .map(error)
    .into();
    insta::assert_snapshot!(errors.join("\n"));
    let [none, _] = [Vec::new(), Vec::<ActionCard>::new()];
    let lonely = Answer::read(
        &Completion::new("<tool_code>[{\"name\": \"A\"}]</tool_code>"),
        [&none, &none],
        &Shown::default(),
    );
    insta::assert_snapshot!(lonely.unwrap_err(), @r#"action 1: there is no action "A"; there are no actions at the moment; answer in words"#);
}

#[test]
fn an_error_stays_short_whatever_the_model_wrote() {
    let long = "x".repeat(10_000);
    for text in [
        format!(r#"<tool_code>[{{"name": "{long}"}}]</tool_code>"#),
        format!(r#"<tool_code>[{{"name": "CREATE_POST", "params": {{"{long}": 1}}}}]</tool_code>"#),
        format!(
            r#"<tool_code>[{{"name": "CREATE_POST", "params": {{"platform": "{long}"}}}}]</tool_code>"#
        ),
        format!(
            r#"<tool_code>[{{"name": "CREATE_POST", "params": {{}}, "{long}": 1}}]</tool_code>"#
        ),
    ] {
        assert!(error(&text).len() < 600, "{}", error(&text));
    }
}

#[test]
fn a_name_is_found_in_another_case_but_not_in_another_script() {
    for name in [
        "create_post",
        "Create Post",
        "create-post",
        "createPost",
        "CREATE\\\\_POST",
        "_CREATE_POST",
    ] {
        let text = format!(
            r#"<tool_code>[{{"name": "{name}", "params": {{"platform": "X", "text": "a"}}}}]</tool_code>"#
        );
        assert_eq!(read(&text).unwrap().actions[0].name.as_str(), "CREATE_POST", "{name}");
    }
    let local = r#"<tool_code>[{"name": "memory_write", "params": {"new_memory": {"a": "b"}}}]</tool_code>"#;
    assert_eq!(read(local).unwrap().actions[0].name.as_str(), "_MEMORY_WRITE");
    for name in
        ["СREATE_POST", "CREATE_POST\u{200b}", "ＣREATE_POST", "CREATE_P0ST", "../CREATE_POST", ""]
    {
        let text = format!("<tool_code>[{}]</tool_code>", json!({"name": name}));
        assert!(error(&text).contains("there is no action"), "{name}");
    }
}

#[test]
fn a_name_that_fits_two_actions_names_none() {
    let cards: Vec<ActionCard> =
        serde_json::from_value(json!([{"name": "GET_IT"}, {"name": "GETIT"}])).unwrap();
    let read = |name: &str| {
        let text = format!("<tool_code>[{}]</tool_code>", json!({"name": name}));
        Answer::read(&Completion::new(text), [&[], &cards], &Shown::default()).is_ok()
    };
    assert!(read("GET_IT") && read("GETIT") && !read("get_it") && !read("Get It"));
}
