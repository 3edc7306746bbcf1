//! The journal of a session: all that was said and done, with the bits, and nothing of another session.

use std::fs;

use channel::{Origin, Said};
use protocol::{Done, Taint};
use serde_json::Value;
use testkit::eventually;

use crate::house::{House, house, house_in};

/// The events of a session: role, source, text and bits.
fn events(house: &House, session: &str) -> Vec<[String; 4]> {
    let text = fs::read_to_string(house.session_files(session).join("journal.jsonl")).unwrap();
    let event = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        ["role", "from", "text", "bits"].map(|key| event[key].as_str().unwrap_or("").to_owned())
    };
    text.lines().map(event).collect()
}

#[tokio::test]
async fn what_is_said_and_done_is_written_down_in_order_with_the_bits() {
    let mut house = house();
    let looks = r#"say I look. <tool_code>[{"name": "LOOK", "params": {}}]</tool_code>"#;
    house.console.say("owner", "console:owner", looks).await;
    house.answers(Done::default()).await;
    house.console.heard("owner").await;
    let job = Origin::Clock(Taint { untrusted: false, private: true });
    house.console.tell_as(job, ("owner", "clock:job-1"), Said::Message("tea".to_owned())).await;
    house.console.heard("owner").await;
    house.telegram.say("telegram-1", "telegram:1", "hello").await;
    house.telegram.heard("telegram-1").await;
    for command in ["/approve 11aa K7QX", "/clear"] {
        house.console.say("owner", "console:owner", command).await;
        if command.starts_with("/approve") {
            house.answers(Done::default()).await;
        }
        house.console.heard("owner").await;
    }
    house.quit.cancel();
    (&mut house.serving).await.unwrap();
    let owner = events(&house, "owner").map_texts();
    let expected = [
        "user console:owner: I look. LOOK []",
        "action LOOK: LOOK: ok, done [T]",
        "assistant parrot: I look.\nDone. [T]",
        "clock clock:job-1: tea [TP]",
        "assistant parrot: tea? [TP]",
        "clear console:owner:  []",
    ];
    assert_eq!(owner, expected);
    assert_eq!(
        events(&house, "telegram-1").map_texts(),
        ["user telegram:1: hello []", "assistant parrot: hello? []"]
    );
    let logs: Vec<_> = fs::read_dir(house.session_files("owner").join("log")).unwrap().collect();
    let log = fs::read_to_string(logs[0].as_ref().unwrap().path()).unwrap();
    assert!(log.starts_with("### ") && log.contains(" [assistant]\ntea?\n\n### "), "{log}");
}

trait Texts {
    fn map_texts(self) -> Vec<String>;
}

impl Texts for Vec<[String; 4]> {
    /// One line for each event, without the tags of calls.
    fn map_texts(self) -> Vec<String> {
        let plain = |text: String| match text.split_once("<tool_code>") {
            Some((words, _)) => format!("{}LOOK", words.trim_start_matches("say ")),
            None => text,
        };
        let line = |[role, from, text, bits]: [String; 4]| {
            format!("{role} {from}: {} [{bits}]", plain(text))
        };
        self.into_iter().map(line).collect()
    }
}

#[tokio::test]
async fn what_was_left_unanswered_is_told_everywhere_but_on_telegram_which_tells_it_itself() {
    let first = house();
    first.telegram.say("owner", "telegram:42", "stuck").await;
    first.telegram.say("telegram-8", "telegram:8", "stuck").await;
    let kept = |session: &str| {
        let entered = first.session_files(session).join("session.json");
        fs::read_to_string(entered).is_ok_and(|text| text.contains("stuck"))
    };
    eventually("both are kept", async || kept("owner") && kept("telegram-8")).await;
    let mut second = house_in(first.home, 1);
    second.telegram.say("owner", "telegram:42", "hi").await;
    let told = "SafeClaw ended before your last message was answered";
    let heard = second.console.heard("owner").await;
    assert!(heard.contains(told), "{heard}");
    let heard = second.telegram.heard("owner").await;
    assert!(!heard.contains("SafeClaw ended"), "{heard}");
    second.telegram.say("telegram-8", "telegram:8", "hi").await;
    let heard = second.telegram.heard("telegram-8").await;
    assert!(!heard.contains("SafeClaw ended"), "{heard}");
}
