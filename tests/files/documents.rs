//! The files that the agent keeps, broken or edited by hand.

use super::*;

#[test]
fn a_memory_that_can_not_be_used_is_set_aside() {
    let huge = format!("{{\"a\": \"{}\"}}", "x".repeat(50 << 20));
    for (text, why) in [
        ("[1, 2]", "it is a list, not an object"),
        ("", "it is empty"),
        ("{\"name\": ", "it is no JSON"),
        ("7", "it is a number, not an object"),
        (&huge, "it is larger than"),
    ] {
        let home = TempHome::new();
        home.put("workspace/memory.json", text);
        let mut chat = chat(&home);
        chat.ask("/memory", "Nothing is remembered.");
        chat.expect_on_stderr(why);
        let [kept] = &set_aside(&home, "memory.json")[..] else { panic!("{}", chat.stderr()) };
        chat.expect_on_stderr(&format!("the old file is kept as {}", kept.display()));
        assert!(fs::read_to_string(kept).unwrap() == text, "it is kept as it was");
        chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        assert_eq!(json_in(&home, "workspace/memory.json"), json!({"name": "Frankie"}));
    }
}

#[test]
fn every_other_file_is_set_aside_as_well() {
    let home = TempHome::new();
    let names = [
        "input_history.json",
        "artifact.json",
        "agent_action.json",
        "router_actions.json",
        "SOUL.md",
    ];
    for name in names {
        home.put(format!("workspace/{name}"), b"[{\"half\xff");
    }
    let mut chat = chat(&home);
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    for name in names {
        chat.expect_on_stderr(&format!("{name} can't be used: it is no UTF-8 text"));
        let [kept] = &set_aside(&home, name)[..] else { panic!("{name}: {}", chat.stderr()) };
        assert_eq!(fs::read(kept).unwrap(), b"[{\"half\xff", "{name}");
    }
    chat.ask("/actions", "CREATE_POST");
}

#[test]
fn a_folder_in_the_place_of_a_file_is_set_aside_with_all_that_it_holds() {
    let home = TempHome::new();
    home.put("workspace/memory.json/mine.txt", "mine");
    let mut chat = chat(&home);
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    let kept = set_aside(&home, "memory.json").remove(0);
    assert_eq!(fs::read_to_string(kept.join("mine.txt")).unwrap(), "mine");
}

#[test]
fn what_somebody_added_by_hand_is_kept() {
    let home = TempHome::new();
    let mine = json!({"mine": {"deep": [1, null]}, "name": "Joe"});
    home.put("workspace/memory.json", mine.to_string());
    home.put(
        "workspace/input_history.json",
        r#"[{"user": "a", "response": "b", "mood": "good", "n": 3}]"#,
    );
    home.put("workspace/session.json", r#"{"taint": ""}"#);
    let mut chat = chat(&home);
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok, remembered");
    finish_turn(&mut chat);
    // While it runs, too.
    let mut memory = json_in(&home, "workspace/memory.json");
    assert_eq!(memory["mine"], mine["mine"]);
    memory["later"] = json!("by hand");
    home.put("workspace/memory.json", memory.to_string());
    chat.ask("Remember my city is Rome.", "_MEMORY_WRITE: ok");
    finish_turn(&mut chat);
    assert_eq!(
        json_in(&home, "workspace/memory.json"),
        json!({"mine": {"deep": [1, null]}, "name": "Frankie", "later": "by hand", "city": "Rome"})
    );
    assert_eq!(json_in(&home, "workspace/input_history.json")[0]["mood"], "good");
}

#[test]
fn an_action_that_has_no_code_is_told_at_the_start() {
    let home = TempHome::new();
    let card = json!([{"name": "_DANCE", "params": {}, "instruction": "Dance.", "examples": []}]);
    home.put("workspace/agent_action.json", card.to_string());
    let chat = chat(&home);
    chat.expect_on_stderr("agent_action.json describes _DANCE, which is no action of the agent's");
}
