//! The template of the prompt, broken or missing.

use super::*;

#[test]
fn one_that_can_not_be_used_is_told_and_kept_and_the_built_in_one_is_used() {
    let home = TempHome::new();
    let mut chat = chat(&home);
    chat.ask("/status", "workspace:");
    let file = "workspace/PROMPT.md";
    for (number, (text, told)) in [
        (
            "{{SOUL_CONTENT}}\n",
            "{{USER_MESSAGE}} is missing, so the model would not see the message",
        ),
        (
            "a\n{{MEMRY_CONTENT}} {{USER_MESSAGE}}",
            "line 2: {{MEMRY_CONTENT}} is no placeholder; the nearest is {{MEMORY_CONTENT}}",
        ),
        ("{{USER_MESSAGE", "line 1: the braces can't be read"),
        ("{{#each x}}{{USER_MESSAGE}}{{/each}}", "line 1: only plain placeholders"),
        ("", "{{USER_MESSAGE}} is missing"),
    ]
    .into_iter()
    .enumerate()
    {
        home.put(file, text);
        chat.ask(&format!("Remember my number is {number}."), "_MEMORY_WRITE: ok");
        finish_turn(&mut chat);
        chat.expect_on_stderr(told);
        assert_eq!(home.text(file), text, "the owner mends it");
        let prompt = home.text("workspace/output/prompt_cache.txt");
        assert!(prompt.contains("# How to answer"), "{prompt}");
    }
    assert!(chat.stderr().contains("the built-in one is used until it is mended"));
}

#[test]
fn one_without_some_placeholder_is_used_and_that_is_told() {
    let home = TempHome::new();
    home.put("workspace/PROMPT.md", "Mine alone.\n{{USER_MESSAGE}}\n");
    let mut chat = chat(&home);
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    finish_turn(&mut chat);
    chat.expect_on_stderr("PROMPT.md leaves out {{MEMORY_CONTENT}}, so the model does not see it");
    let prompt = home.text("workspace/output/prompt_cache.txt");
    assert!(prompt.starts_with("Mine alone."), "{prompt}");
}

#[test]
fn one_that_is_missing_is_replaced_at_once_and_written_at_the_next_start() {
    let home = TempHome::new();
    let mut first = chat(&home);
    first.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    finish_turn(&mut first);
    let built_in = home.text("workspace/PROMPT.md");
    fs::remove_file(home.workspace().join("PROMPT.md")).unwrap();
    first.ask("Remember my name is Ann.", "_MEMORY_WRITE: ok");
    first.expect_on_stderr("PROMPT.md is gone; the built-in text is used");
    first.end();
    chat(&home).ask("/status", "workspace:");
    assert_eq!(home.text("workspace/PROMPT.md"), built_in);
}
