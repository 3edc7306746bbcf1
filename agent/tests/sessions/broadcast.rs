//! `_BROADCAST_MSG`: to whom it goes, and who is asked first.

use channel::{Outgoing, Receipt};
use protocol::{Code, Done, Object, Stopped};
use serde_json::{Value, json};

use crate::house::{House, house};

const SEND: &str = r#"/run _BROADCAST_MSG {"message": "Dinner.", "channels": ["telegram"]}"#;

fn permitted() -> Done {
    let result = json!({"permitted": true}).as_object().unwrap().clone();
    Done { result, ..Done::default() }
}

/// Has the owner send, and gives what the router is asked.
async fn sent(house: &mut House, answer: impl Into<protocol::Outcome>) -> Object {
    house.console.say("owner", "console:owner", SEND).await;
    let asked = house.answers(answer).await;
    assert_eq!(asked.action.as_str(), "PERMIT");
    asked.params
}

/// What the telegram channel is to send, with the channel's way to say what became of it.
async fn to_send(house: &mut House) -> (String, Receipt) {
    loop {
        if let (_, Outgoing::Broadcast { text, receipt }) = house.telegram.hear().await {
            return (text, receipt);
        }
    }
}

#[tokio::test]
async fn a_message_goes_to_the_channels_that_are_named_and_no_others() {
    let mut house = house();
    let asked = sent(&mut house, permitted()).await;
    assert_eq!((&asked["effect"], &asked["texts"]), (&json!("external"), &json!(["message"])));
    assert_eq!(asked["params"], json!({"message": "Dinner.", "channels": ["telegram"]}));
    let (text, receipt) = to_send(&mut house).await;
    assert_eq!(text, "Dinner.");
    receipt.taken();
    let heard = house.console.heard("owner").await;
    assert!(heard.contains("<_BROADCAST_MSG: ok, sent to telegram>"), "{heard}");
    assert!(!house.console.left().iter().any(|line| line.contains("!Dinner.")));
    assert_eq!(house.http.left(), Vec::<String>::new());
}

#[tokio::test]
async fn what_has_reached_nobody_was_not_sent() {
    let mut house = house();
    sent(&mut house, permitted()).await;
    let (_, receipt) = to_send(&mut house).await;
    receipt.failed("Telegram does not know the bot's token (401)");
    drop(receipt);
    let heard = house.console.heard("owner").await;
    let expected =
        "failed, it reached nobody: not to telegram: Telegram does not know the bot's token (401)";
    assert!(heard.contains(expected), "{heard}");
    // A channel that drops it has nobody to give it to.
    sent(&mut house, permitted()).await;
    drop(to_send(&mut house).await);
    let heard = house.console.heard("owner").await;
    assert!(heard.contains("it reached nobody: not to telegram: nobody is there"), "{heard}");
}

#[tokio::test(start_paused = true)]
async fn what_is_still_tried_is_not_said_to_be_sent() {
    let mut house = house();
    sent(&mut house, permitted()).await;
    let _trying = to_send(&mut house).await;
    let heard = house.console.heard("owner").await;
    assert!(heard.contains("has not taken the message within 10 s, and is still tried"), "{heard}");
}

#[tokio::test]
async fn a_person_is_asked_once_others_may_have_wanted_it() {
    let mut house = house();
    house.console.say("owner", "console:owner", "/run LOOK").await;
    house.answers(Done::default()).await;
    house.console.heard("owner").await;
    let approval = json!({"id": "q", "question": "_BROADCAST_MSG {}"});
    let pending = Stopped::new(Code::Approval, "it waits").with("approval", approval);
    let asked = sent(&mut house, pending).await;
    assert_eq!(asked["effect"], Value::from("external"));
    house.console.heard("owner").await;
    let heard = house.telegram.left();
    assert!(heard.contains(&"(owner) ?q _BROADCAST_MSG {}".to_owned()), "{heard:?}");
    assert!(!heard.iter().any(|line| line.contains("!Dinner.")), "{heard:?}");
}

#[tokio::test]
async fn a_guest_and_a_channel_that_is_not_on_are_told_so() {
    let mut house = house();
    house.telegram.say("telegram-1", "telegram:1", SEND).await;
    let heard = house.telegram.heard("telegram-1").await;
    assert!(heard.contains("only the owner's messages go to everybody"), "{heard}");
    let wrong = SEND.replace("telegram", "telegramm");
    house.console.say("owner", "console:owner", &wrong).await;
    let heard = house.console.heard("owner").await;
    assert!(heard.contains("is not on; these are: console, telegram, http"), "{heard}");
}
