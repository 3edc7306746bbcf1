//! Reasoning whose beginning stands in the model's template.

use super::*;

#[test]
fn what_stands_before_a_lone_end_of_reasoning_is_no_part_of_the_answer() {
    let block = r#"<tool_code>[{"name": "HELLO_WORLD", "params": {}}]</tool_code>"#;
    for end in ["</think>", "</thinking>", "</reasoning>", "</thought>", "[/THINK]"] {
        for thought in ["They greet me.", "First:\n```sh\nls\n```\n> quoted\nSo {this", ""] {
            let text = format!("{thought}\n{end}\n\nSure.\n{block}");
            let expected = Answer { words: "Sure.".into(), actions: vec![hello()] };
            assert_eq!(read(&text), Ok(expected), "{text}");
            assert_eq!(words_of(&text), "Sure.");
            for size in [1, 2, 5, 1_000] {
                assert_eq!(streamed(&text, size), "Sure.", "{text}");
            }
        }
    }
    // Who speaks of the tag has not thought before.
    for told in [
        "It ends with `</think>`, see?",
        "```\n</think>\n``` is how it ends.",
        "> </think>\nIt is.",
    ] {
        assert!(words_of(told).contains(&told.chars().next().unwrap().to_string()), "{told}");
        assert!(words_of(told).len() > 8, "{told}");
    }
    for told in [
        "Use `<think>` to begin and `</think>` to end. Done.",
        "```\n<think>a</think>\n```\nThat is how it looks.",
        "It begins with `<think>`.",
    ] {
        assert_eq!(words_of(told), told);
        assert_eq!(streamed(told, 3), told);
    }
    // What is no tag may be a page's there.
    assert_eq!(read("a</think>{\"message\": \"Hi\", \"actions\": []}").unwrap().words, "Hi");
}

#[test]
fn reasoning_that_is_expected_is_held_back_until_it_ends() {
    let [local, router] = cards();
    let begin = || Words::new([local, router]).behind_thought(true);
    let mut words = begin();
    assert_eq!([words.push("They "), words.push("gre"), words.push("et me.</thi")], ["", "", ""]);
    assert_eq!([words.push("nk>Hel"), words.push("lo. "), words.finish()], ["Hel", "lo.", ""]);
    for (text, shown) in [("{\"message\": \"Hi", "Hi"), ("<think>a</think>Hi", "Hi"), ("Hi", "")] {
        let mut words = begin();
        assert_eq!(words.push(text), shown, "{text}");
        assert_eq!(format!("{shown}{}", words.finish()), "Hi", "nothing is lost");
    }
}
