//! A disk that is full or read-only, and what a crash left on it.

use super::*;

const READ_ONLY_WORKSPACE: &str =
    "mount --bind workspace workspace; mount -o remount,bind,ro workspace";

#[test]
fn a_fresh_workspace_that_is_read_only() {
    let home = TempHome::new();
    fs::create_dir(home.workspace()).unwrap();
    let mut chat = chat_where(&home, READ_ONLY_WORKSPACE);
    chat.ask("/status", "workspace:");
    chat.expect_on_stderr(
        "agent.lock (it is read-only: mount it writable, or choose another home with --home)",
    );
    chat.expect_on_stderr("PROMPT.md (it is read-only");
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: failed");
    chat.ask("/memory", "name: Frankie");
    assert_eq!(chat.end().code(), Some(0));
    assert_eq!(fs::read_dir(home.workspace()).unwrap().count(), 0);
}

#[test]
fn what_the_last_turn_could_not_keep_is_told_before_the_end() {
    let home = TempHome::new();
    fs::create_dir(home.workspace()).unwrap();
    let mut chat = chat_where(&home, READ_ONLY_WORKSPACE);
    chat.say("Remember my name is Ann.");
    assert_eq!(chat.end().code(), Some(0));
    let told = "[what was said and done can't be kept: can't write ";
    assert!(chat.stderr().contains(told), "{}", chat.stderr());
    assert!(chat.stderr().contains("session.json (it is read-only"), "{}", chat.stderr());
}

#[test]
fn what_a_killed_agent_left_behind_is_removed() {
    let home = TempHome::new();
    home.put("workspace/.draft-abc.tmp", "half");
    let mut chat = chat(&home);
    chat.ask("/status", "workspace:");
    assert!(!home.workspace().join(".draft-abc.tmp").exists());
}

#[test]
fn a_workspace_that_has_become_read_only_is_read() {
    let home = TempHome::new();
    let mut first = chat(&home);
    first.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    first.end();
    let before = home.text("workspace/memory.json");
    let mut second = chat_where(&home, READ_ONLY_WORKSPACE);
    second.ask("/memory", "name: Frankie");
    second.ask("Remember my name is Ann.", "_MEMORY_WRITE: failed");
    second.ask("/memory", "name: Ann");
    assert_eq!(second.end().code(), Some(0));
    assert_eq!(home.text("workspace/memory.json"), before);
}

#[test]
fn a_whole_home_that_is_read_only() {
    let read_only = "here=$PWD; mount --bind $here $here; mount -o remount,bind,ro $here";
    let home = TempHome::greeting();
    let mut fresh = chat_where(&home, read_only);
    assert_eq!(fresh.wait().code(), Some(1));
    fresh.expect_on_stderr(
        "config.json (it is read-only: mount it writable, or choose another home",
    );
    let mut inhabited = chat(&home);
    inhabited.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    inhabited.end();
    // What can't be written down is not run, so there is no router, and the chat goes on.
    let mut frozen = chat_where(&home, read_only);
    frozen.ask("/memory", "name: Frankie");
    frozen.expect_on_stderr("error: no router: can't lock");
    frozen.ask("Say hello to Ann.", "HELLO_WORLD: failed, the router has ended");
    assert_eq!(frozen.end().code(), Some(0));
}

#[test]
fn a_disk_that_is_full_while_writing() {
    let home = TempHome::new();
    fs::create_dir(home.workspace()).unwrap();
    let mut chat = chat_where(&home, "mount -t tmpfs -o size=1m tmpfs workspace");
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    // The folder as the process sees it.
    let inside = format!("/proc/{}/root{}", chat.pid(), home.workspace().display());
    let filler = PathBuf::from(&inside).join("filler");
    let mut filling = fs::File::create(&filler).unwrap();
    while filling.write_all(&[0; 4096]).is_ok() {}
    let memory = || fs::read_to_string(PathBuf::from(&inside).join("memory.json")).unwrap();
    let before = memory();
    chat.ask("Remember my city is Rome.", "_MEMORY_WRITE: failed");
    chat.expect("there is no space left: free some and try again");
    assert_eq!(memory(), before, "whole or not at all");
    chat.ask("/memory", "name: Frankie\ncity: Rome");
    drop(filling);
    fs::remove_file(&filler).unwrap();
    chat.ask("Remember my pet is Rex.", "_MEMORY_WRITE: ok");
    let saved: Value = serde_json::from_str(&memory()).unwrap();
    assert_eq!(saved, json!({"name": "Frankie", "city": "Rome", "pet": "Rex"}));
    assert_eq!(chat.end().code(), Some(0));
}
