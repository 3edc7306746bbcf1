//! Approvals on Telegram.

use channel::{Outgoing, Said};
use conversation::question::{Choice, Decision, Question};
use serde_json::json;
use testkit::{Trouble, wait_until};

use crate::house::{GUEST, House, OWNER, STRANGER, house};

fn ask(house: &House, session: &str, id: &str, code: bool) {
    let text = format!("CREATE_POST {{\"text\": \"{id} https://a.example\"}} Code: K7QX");
    let asked = json!({"id": id, "question": text, "code": code, "seconds": 600, "digest": "abc"});
    house.say(session, Outgoing::Question(Question::read(&asked).unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_answers_once_and_goes_when_that_is_settled() {
    let mut house = house();
    ask(&house, "owner", "0123456789", false);
    let asked = house.api.wait_for(OWNER, "May this run?");
    let words: Vec<&str> = asked.buttons.iter().map(|(on_it, _)| on_it.as_str()).collect();
    assert_eq!(words, ["Yes", "No"]);
    assert!(asked.text.contains("CREATE_POST {\"text\": \"0123456789 https://a.example\"}"));
    assert_eq!(asked.entities[0]["type"], "pre", "nothing in it becomes a link");
    assert!(!asked.buttons[0].1.contains("01234"), "its id is no secret");
    // Somebody else, who has got hold of what the button sends.
    house.api.sends_data(STRANGER, asked.id, &asked.buttons[0].1);
    house.api.sends_data(GUEST, asked.id, &asked.buttons[0].1);
    house.api.presses(OWNER, asked.id, "Yes");
    let yes = Decision { id: "0123456789".to_owned(), choice: Choice::Yes, code: None };
    let heard = house.hears().await;
    assert_eq!((heard.from.as_str(), heard.session.as_str()), ("telegram:42", "owner"));
    assert_eq!(heard.said, Said::Answer(yes));
    house.say("owner", Outgoing::Settled { id: "0123456789".into(), how: "yes by you".into() });
    let _ = house.api.wait_for(OWNER, "[yes by you]");
    // The same press again, as a copy of it would come.
    house.api.sends_data(OWNER, asked.id, &asked.buttons[0].1);
    house.api.says(OWNER, "last");
    house.hears_text("last").await;
    assert_eq!(house.api.wait_for(OWNER, "May this run?").buttons, []);
    wait_until("every press of one who may is answered", || {
        house.api.calls("answerCallbackQuery").len() == 3
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_elsewhere_has_no_buttons_any_more() {
    let house = house();
    ask(&house, "owner", "q", false);
    let asked = house.api.wait_for(OWNER, "May this run?");
    assert_eq!(asked.buttons.len(), 2);
    house.say("owner", Outgoing::Settled { id: "q".into(), how: "no by console:owner".into() });
    let _ = house.api.wait_for(OWNER, "[no by console:owner]");
    assert_eq!(house.api.wait_for(OWNER, "May this run?").buttons, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_typed() {
    let mut house = house();
    ask(&house, "owner", "q", true);
    let asked = house.api.wait_for(OWNER, "write the code that stands above");
    assert_eq!(asked.buttons.len(), 1, "No alone: {:?}", asked.buttons);
    house.api.says(GUEST, "K7QX");
    house.hears_text("K7QX").await;
    house.api.says(OWNER, "k7qx");
    let code = Some("K7QX".to_owned());
    let yes = Decision { id: "q".to_owned(), choice: Choice::Yes, code };
    assert_eq!(house.hears().await.said, Said::Answer(yes));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_sees_no_buttons() {
    let house = house();
    ask(&house, "telegram-7", "q", false);
    let asked = house.api.wait_for(GUEST, "May this run?");
    assert_eq!(asked.buttons, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_buttons_stand_below_the_last_part_of_a_long_question() {
    let mut house = house();
    let text = format!("CREATE_POST {{\"text\": \"{}END\"}}", "word ".repeat(1_500));
    let asked = Question::read(&json!({"id": "q", "question": text})).unwrap();
    house.say("owner", Outgoing::Question(asked));
    let last = house.api.wait_for(OWNER, "END");
    let shown = house.api.shown(OWNER);
    let with_buttons = shown.iter().filter(|message| !message.buttons.is_empty()).count();
    assert!(shown.len() == 2 && with_buttons == 1 && last.buttons.len() == 2, "{shown:?}");
    house.api.presses(OWNER, last.id, "No");
    assert!(matches!(house.hears().await.said, Said::Answer(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_of_an_earlier_agent_is_dead() {
    let first = house();
    ask(&first, "owner", "q", false);
    let asked = first.api.wait_for(OWNER, "May this run?");
    let (api, home) = first.killed().await;
    let mut second = crate::house::house_of(api, home);
    second.api.presses(OWNER, asked.id, "Yes");
    second.api.says(OWNER, "last");
    second.hears_text("last").await;
    wait_until("its buttons go", || second.api.shown(OWNER)[0].buttons.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pin_is_taken_away_however_old_it_is_and_however_it_is_given() {
    let mut house = house();
    let deleted = |house: &House| -> Vec<i64> {
        let calls = house.api.calls("deleteMessage").into_iter();
        calls.map(|call| call.params["message_id"].as_i64().unwrap()).collect()
    };
    let number = house.api.says(OWNER, "4711");
    house.hears_text("4711").await;
    let asked = json!({"id": "q", "question": "EXEC {}", "pin": true, "session": "owner", "principal": "telegram:42"});
    house.say("owner", Outgoing::Question(Question::read(&asked).unwrap()));
    let _ = house.api.wait_for(OWNER, "write your PIN here");
    house.api.meets("deleteMessage", Trouble::Cut);
    let old = house.api.posts(OWNER, json!({"text": "493817", "date": 1_000_000}));
    let _ = house.api.wait_for(OWNER, "nothing is done that is older than 10 s");
    let given = house.api.says(OWNER, "/approve q 493817");
    house.hears_text("/approve q 493817").await;
    let typed = house.api.says(OWNER, "493817");
    assert!(matches!(house.hears().await.said, Said::Answer(_)));
    wait_until("each is deleted, one of them at the second try", || deleted(&house).len() == 4);
    assert!([old, given, typed].iter().all(|id| deleted(&house).contains(id)));
    assert!(!deleted(&house).contains(&number), "no PIN was asked for");
    let journal = house.journal();
    assert!(!journal.contains("493817") && !journal.contains("\"4711\""), "{journal}");
}
