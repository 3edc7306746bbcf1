//! What the lenient reader takes and what it refuses.

use proptest::prelude::*;
use protocol::json;
use serde_json::json;

use super::*;

fn whole(text: &str) -> Result<Value, &'static str> {
    let read = value(text, true);
    read.problem.map_or(Ok(read.value), Err)
}

#[test]
fn what_has_one_meaning_is_read() {
    let expected = json!([{"a": true, "b": [1, null], "c": "it's", "d-e": "x\ny"}]);
    for text in [
        r#"[{"a": true, "b": [1, null], "c": "it's", "d-e": "x\ny"}]"#,
        "[{'a': True, 'b': [1, None], 'c': 'it\\'s', 'd-e': 'x\\ny'}]",
        "[{'a': True, 'b': [1, None], 'c': 'it's', 'd-e': 'x\ny'}]",
        "[{a: true, b: [1, null,], c: \"it's\", d-e: 'x\\ny',},]",
        "[{“a”: true, “b”: [1, null], “c”: “it's”, „d-e“: ‘x\ny’}]",
        "[{ // one\n\"a\": true, # two\n\"b\": [1, /* , */ null], c: \"it's\", 'd-e': '''x\ny'''}]",
        r#"[{"a": true, "b": [1, null], "c": "it's", "d-e": "x\ny""#,
        r#"[{"a": true, "b": [1, null], "c": "it's", "d-e": "x\ny"]"#,
        r#"[{"a": true, "b": [1, null], "c": "it's", "d-e": "x\ny"}}] "#,
    ] {
        assert_eq!(whole(text), Ok(expected.clone()), "{text}");
    }
    assert_eq!(whole(r#"["\ud83d\ude00", "ü"]"#), Ok(json!(["😀", "ü"])));
}

#[test]
fn what_could_mean_two_things_is_refused() {
    for text in [
        r#"{"a": 1, "a": 2}"#,
        r#"{"a": 1, 'a': 2}"#,
        r#"{"a": "he said "hi" to me"}"#,
        r#"{"a": 1 "b": 2}"#,
        r#"{"a": hello}"#,
        r#"{"a": NaN}"#,
        r#"{"a": 1e999}"#,
        r#"{"a": "\d"}"#,
        r#"{"a": "\ud83d"}"#,
        r#"{"a": "open}"#,
        r#"{"a": 'open}"#,
        r#"{"a""#,
        r#"{"a":"#,
        r#"{"a": [}, "b": 1}"#,
        r"{: 1}",
        "{\"a\": \"\u{7}\"}",
        "[1, /* ]",
        "",
    ] {
        assert!(whole(text).is_err(), "{text}: {:?}", whole(text));
    }
    assert!(whole(&"[".repeat(100_000)).is_err());
    assert!(whole(&"{a:".repeat(100_000)).is_err());
}

#[test]
fn a_text_that_may_be_cut_off_is_not_completed() {
    let text = r#"[{"name": "A", "params": {"a": 12, "b": ["x"]}}]"#;
    for end in 1..text.len() {
        assert!(value(&text[..end], false).problem.is_some(), "{}", &text[..end]);
    }
    let read = value(&format!("{text} and more"), false);
    assert_eq!((read.problem, read.length), (None, text.len()));
}

#[test]
fn arguments_are_read_as_python_writes_them() {
    let read = arguments(r#"platform="X", text='it's', n=[1,], ok=True) # done"#);
    assert_eq!(read.problem, None);
    let expected = json!({"platform": "X", "text": "it's", "n": [1], "ok": true});
    assert_eq!(Value::Object(read.named), expected);
    assert_eq!(arguments("\"a\", b=1)").positional, [json!("a")]);
    for bad in ["a=1, a=2)", "a=1, 2)", "a=f(1))", "a=x)", "a=1", "a=\"1", "\"a\" + \"b\")"] {
        assert!(arguments(bad).problem.is_some(), "{bad}");
    }
}

proptest! {
    #[test]
    fn strict_json_means_the_same_to_both(text in "[\\[\\]{}:,\"a1 \\\\n.e-]{0,24}", is_whole: bool) {
        if let Ok(strict) = json::parse(text.as_bytes()) && !strict.is_number() {
            prop_assert_eq!(value(&text, is_whole).problem, None);
            prop_assert_eq!(value(&text, is_whole).value, strict);
        }
    }

    #[test]
    fn never_panics(text: String, pieces in proptest::collection::vec("[\\[\\]{}:,\"'a1 \\\\un/*#“”()=]{0,8}", 0..8)) {
        let _ = (value(&text, true), arguments(&text));
        let text = pieces.concat();
        let _ = (value(&text, true), value(&text, false), arguments(&text), blank(&text));
    }
}
