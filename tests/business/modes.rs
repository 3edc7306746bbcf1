//! Chats that are off or silent, and how one is found.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::*;

/// Every file below a folder, with when it was changed and how long it is.
fn files(folder: &Path) -> BTreeMap<String, (SystemTime, u64)> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let Ok(known) = entry.metadata() else { continue };
        if known.is_dir() {
            all.extend(files(&entry.path()));
        } else {
            let path = entry.path().display().to_string();
            all.insert(path, (known.modified().unwrap(), known.len()));
        }
    }
    all
}

/// The same, once what was done before has been kept: nothing changes any more. Counts are kept once a second.
fn settled(folder: &Path) -> BTreeMap<String, (SystemTime, u64)> {
    let (mut last, mut since) = (files(folder), Instant::now());
    wait_until("nothing is written any more", || {
        let now = files(folder);
        if now != last {
            (last, since) = (now, Instant::now());
        }
        since.elapsed() > Duration::from_secs(2)
    });
    last
}

#[test]
fn a_chat_that_is_off_costs_no_byte_and_a_silent_one_is_kept() {
    let api = BotApi::new();
    let home = business_with(&api, json!({"customers": {"per_day": 20}}));
    let server = says("Hello.", 16);
    let mut chat = safeclaw(&home, &server);
    for person in [ANN, BOB, GUEST] {
        api.says(person, "hello");
        let _ = api.wait_for(person, "Hello.");
    }
    chat.ask("/mode silent telegram-9", "What P9 (telegram-9) writes is kept and not answered");
    api.says(BOB, "the parcel is green");
    api.says(BOB, "/help");
    wait_until("it is kept", || {
        let journal = home.text("workspace/sessions/telegram-9/journal.jsonl");
        journal.contains("the parcel is green") && journal.contains("/help")
    });
    // Those whom the owner allows may write faster than a disk does, and of a stranger so much is kept as would be answered.
    chat.ask("/mode silent telegram-7", "What P7 (telegram-7) writes is kept and not answered");
    for n in 0..60 {
        api.says(GUEST, &format!("parcel number {n} is red"));
        api.says(BOB, &format!("parcel number {n} is blue"));
    }
    let kept = |chat: i64| home.text(format!("workspace/sessions/telegram-{chat}/journal.jsonl"));
    wait_until("all of it is kept", || {
        let journal = kept(GUEST);
        (0..60).all(|n| journal.contains(&format!("parcel number {n} is red")))
    });
    api.wait_until_read();
    assert!(kept(BOB).matches("is blue").count() < 20, "{}", kept(BOB));
    chat.ask("/mode off", "Every chat but yours is off");
    chat.ask("/mode", "Every chat but yours is off");
    let kept = || home.text("workspace/telegram.json").contains("\"unanswered\": []");
    wait_until("all answers are noted", kept);
    api.wait_until_read();
    let before = settled(home.root());
    for person in [ANN, BOB, GUEST] {
        api.says(person, "are you there?");
        api.says(person, "/help");
        api.posts(person, json!({"sticker": {}, "text": "x", "forward_origin": {}}));
    }
    api.wait_until_read();
    assert_eq!(files(home.root()), before, "something was written");
    // The owner is answered all the same, in both places.
    chat.ask("hello", "Hello.");
    assert!(server.prompts().len() == 4);
    chat.say("/mode silent owner");
    chat.expect_on_stderr("your own conversation can't be silent or off");
    chat.ask("/mode default telegram-7", "no mode of its own any more");
    chat.ask("/mode business", "Each chat has its own mode.");
    api.says(ANN, "and now?");
    wait_until("the customer is answered", || api.texts(ANN).len() == 2);
    api.says(BOB, "and I?");
    api.says(GUEST, "and I?");
    wait_until("the guest is answered", || api.texts(GUEST).len() == 2);
    assert_eq!(api.texts(BOB), ["Hello."], "that chat is still silent");
    chat.ask("/mode business telegram-9", "is answered as a customer");
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn no_model_is_asked_about_a_silent_chat_until_somebody_is_answered_there() {
    let api = BotApi::new();
    let (home, server) = (home(&api, json!({})), says("Hello.", 40));
    let mut chat = safeclaw(&home, &server);
    api.says(GUEST, "hello");
    let _ = api.wait_for(GUEST, "Hello.");
    chat.ask("/mode silent telegram-7", "What P7 (telegram-7) writes is kept and not answered");
    for n in 0..12 {
        api.says(GUEST, &format!("parcel number {n} is red"));
    }
    wait_until("all of it is kept", || {
        let journal = home.text("workspace/sessions/telegram-7/journal.jsonl");
        (0..12).all(|n| journal.contains(&format!("parcel number {n} is red")))
    });
    for n in 0..10 {
        chat.ask(&format!("My fact number {n}."), "Hello.");
    }
    let noted = |word: &str| {
        let asked =
            |prompt: &String| prompt.contains("Write the note alone.") && prompt.contains(word);
        server.prompts().iter().any(asked)
    };
    // It began to wait after the silent chat did.
    wait_until("the owner's conversation is noted", || noted("My fact number 9."));
    assert!(!noted("parcel"));
    chat.ask("/mode default telegram-7", "no mode of its own any more");
    api.says(GUEST, "and now?");
    wait_until("the guest is answered", || api.texts(GUEST).len() == 2);
    wait_until("what was said meanwhile is noted", || noted("parcel number 11 is red"));
}

#[test]
fn a_chat_is_found_by_its_name_and_several_are_picked_by_number() {
    let api = BotApi::new();
    let (home, server) = (business(&api), says("Hello.", 2));
    let mut chat = safeclaw(&home, &server);
    for person in [ANN, BOB] {
        api.says(person, "hello");
        let _ = api.wait_for(person, "Hello.");
    }
    // The server calls them P8 and P9.
    let list = chat.ask("/mode off p", "Answer with the number.");
    let second = list.lines().find_map(|line| line.strip_prefix("2. ")).unwrap().to_owned();
    let (name, key) = second.split_once(", ").unwrap();
    let in_words = format!("{name} ({key})");
    chat.ask("2", &format!("What {in_words} writes is neither kept nor answered from now on."));
    let shown = chat.ask("/mode", &format!("{second}: off"));
    assert!(!shown.contains("Every chat"), "{shown}");
    chat.say("/mode off nobody");
    chat.expect_on_stderr("no chat is called \"nobody\"");
    chat.say("/mode loud");
    chat.expect_on_stderr("there is no mode \"loud\"");
}
