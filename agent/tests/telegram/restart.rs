//! What outlives a killed agent.

use serde_json::json;
use testkit::wait_until;

use crate::house::{OWNER, house, house_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_written_down_before_it_is_handed_on() {
    let mut house = house();
    house.api.says(OWNER, "hello");
    house.hears_text("hello").await;
    let journal = house.journal();
    assert!(journal.contains("\"offset\": 1001") && journal.contains("hello"), "{journal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_taken_twice_and_what_was_not_answered_is_told_once() {
    let mut first = house();
    first.api.says(OWNER, "one");
    let one = first.hears_text("one").await;
    first.answer(&one, "answered");
    wait_until("one is answered", || first.journal().contains("\"unanswered\": []"));
    let id = first.api.says(OWNER, "two");
    first.hears_text("two").await;
    let (api, home) = first.killed().await;
    let mut second = house_of(api, home);
    let _ = second.api.wait_for(OWNER, "it was not run again: two");
    let told = second.api.calls("sendMessage").pop().unwrap();
    assert_eq!(told.params["reply_parameters"]["message_id"], id);
    wait_until("that is written down", || second.journal().contains("\"unanswered\": []"));
    second.api.says(OWNER, "three");
    second.hears_text("three").await;
    let (api, home) = second.killed().await;
    let third = house_of(api, home);
    let _ = third.api.wait_for(OWNER, "it was not run again: three");
    let told = third.api.texts(OWNER);
    assert_eq!(told.iter().filter(|text| text.contains("two")).count(), 1, "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_sends_twice_and_in_any_order_is_put_right() {
    let mut house = house();
    let chat = json!({"id": OWNER, "type": "private", "first_name": "P"});
    let user = json!({"id": OWNER, "is_bot": false, "first_name": "P"});
    let update = |id: i64, text: &str| {
        let date = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        json!({"update_id": id, "message":
            {"message_id": id, "date": date.as_secs(), "chat": chat, "from": user, "text": text}})
    };
    house.api.update(update(5, "five"));
    house.hears_text("five").await;
    house.api.wait_until_read();
    house.api.updates([
        update(7, "seven"),
        update(5, "five"),
        update(6, "six"),
        update(7, "seven"),
    ]);
    house.hears_text("six").await;
    house.hears_text("seven").await;
    // Telegram has begun to count anew, as it does after a week without an update.
    house.api.wait_until_read();
    house.api.forgets_offsets();
    house.api.updates([update(7, "seven"), update(2, "two"), update(3, "three")]);
    house.hears_text("two").await;
    house.hears_text("three").await;
}
