//! Who is heard, and what of them.

use channel::{Outgoing, Said};
use serde_json::json;
use testkit::wait_until;

use crate::house::{GROUP, GUEST, House, OWNER, STRANGER, house, house_for};

/// Everything that the bot has done in a chat.
fn done_in(house: &House, chat: i64) -> usize {
    let methods = ["sendMessage", "editMessageText", "sendChatAction", "answerCallbackQuery"];
    let calls = methods.iter().flat_map(|method| house.api.calls(method));
    calls.filter(|call| call.params["chat_id"] == chat).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_and_guests_have_sessions_of_their_own() {
    let mut house = house();
    house.api.says(OWNER, "hello");
    let heard = house.hears_text("hello").await;
    assert_eq!((heard.session.as_str(), heard.from.as_str()), ("owner", "telegram:42"));
    house.api.says(GUEST, "hi");
    let heard = house.hears_text("hi").await;
    assert_eq!((heard.session.as_str(), heard.from.as_str()), ("telegram-7", "telegram:7"));
    house.answer(&heard, "to the guest");
    let _ = house.api.wait_for(GUEST, "to the guest");
    assert_eq!(done_in(&house, OWNER), 0, "a guest's answer is in the guest's chat alone");
    house.elsewhere("console:owner", "what?", "to the owner");
    let _ = house.api.wait_for(OWNER, "to the owner");
    assert_eq!(house.api.texts(GUEST), ["to the guest"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_gets_nothing_at_all() {
    let mut house = house();
    house.api.says(STRANGER, "hello");
    house.api.says(STRANGER, "/start");
    house.api.sends_data(STRANGER, 1, "yes:x");
    house.api.posts(STRANGER, json!({"sticker": {}, "text": "x", "forward_origin": {}}));
    // In a group that nobody has allowed, the owner is a stranger, too.
    let group = json!({"id": -200, "type": "group", "title": "G"});
    house.api.posts(OWNER, json!({"text": "hello", "chat": group}));
    house.api.says(OWNER, "hello");
    let heard = house.hears_text("hello").await;
    assert_eq!(heard.session.as_str(), "owner");
    house.answer(&heard, "yes");
    let _ = house.api.wait_for(OWNER, "yes");
    assert_eq!((done_in(&house, STRANGER), done_in(&house, -200)), (0, 0));
    assert!(house.api.calls("answerCallbackQuery").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_is_one_session_and_gets_replies() {
    let mut house = house();
    let group = json!({"id": GROUP, "type": "group", "title": "G"});
    let id = house.api.posts(OWNER, json!({"text": "/status@safe_test_bot", "chat": group}));
    let heard = house.hears_text("/status").await;
    assert_eq!((heard.session.as_str(), heard.from.as_str()), ("telegram--100", "telegram:42"));
    house.answer(&heard, "well");
    let _ = house.api.wait_for(GROUP, "well");
    let sent = house.api.calls("sendMessage");
    assert_eq!(sent[0].params["reply_parameters"]["message_id"], id);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_read_is_said() {
    let mut house = house();
    let old = json!({"text": "pay now", "date": 1_000_000});
    let from = json!({"type": "hidden_user", "sender_user_name": "M", "date": 1_000_000});
    house.api.posts(OWNER, old);
    house.api.posts(OWNER, json!({"text": "pay M", "forward_origin": from}));
    let place = json!({"latitude": 1.0, "longitude": 1.0});
    house.api.posts(OWNER, json!({"location": place}));
    let chat = json!({"id": OWNER, "type": "private", "first_name": "P"});
    let user = json!({"id": OWNER, "is_bot": false, "first_name": "P"});
    house.api.update(json!({"edited_message":
        {"message_id": 3, "date": 1, "edit_date": 2, "chat": chat, "from": user, "text": "pay N"}}));
    house.api.update(json!({"message": {"message_id": 9, "no": "message"}}));
    house.api.says(OWNER, "last");
    house.hears_text("last").await;
    for part in [
        "nothing is done that is older than 10 s",
        "what others have written",
        "text, photos and files are read here, and nothing else",
    ] {
        let _ = house.api.wait_for(OWNER, part);
    }
    let _ = house.api.wait_for(OWNER, "what is changed afterwards is not read");
    let texts = house.api.texts(OWNER);
    assert_eq!(texts.len(), 4, "{texts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_kill_switch_comes_late_rather_than_never() {
    let mut house = house();
    house.api.posts(OWNER, json!({"text": "/stop", "date": 1_000_000}));
    house.hears_text("/stop").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_stops_what_runs() {
    let mut house = house();
    house.api.says(OWNER, "/cancel");
    let heard = house.hears_text("/cancel").await;
    house.answer(&heard, "nothing runs");
    let _ = house.api.wait_for(OWNER, "nothing runs");
    house.api.says(OWNER, "long");
    let long = house.hears_text("long").await;
    house.begin(&long);
    house.say("owner", Outgoing::Words("well".to_owned()));
    let _ = house.api.wait_for(OWNER, "well");
    house.api.says(OWNER, "/cancel");
    assert_eq!(house.hears().await.said, Said::Stop);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_offered() {
    let mut house = house();
    house.api.says(OWNER, "/start");
    house.hears_text("/help").await;
    let offered = &house.api.calls("setMyCommands")[0].params["commands"];
    let names: Vec<&str> =
        offered.as_array().unwrap().iter().map(|it| it["command"].as_str().unwrap()).collect();
    assert!(["help", "status", "stop"].iter().all(|name| names.contains(name)), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_is_a_customer_in_business_mode_and_hears_nothing_when_off() {
    let (api, home) = (testkit::BotApi::new(), testkit::TempHome::new());
    let mut house = house_for(api, home, business::BotMode::Business);
    house.api.says(STRANGER, "/start");
    let heard = house.hears_text("/start").await;
    assert_eq!((heard.session.as_str(), heard.from.as_str()), ("telegram-8", "telegram:8"));
    house.answer(&heard, "welcome");
    let _ = house.api.wait_for(STRANGER, "welcome");
    // An end without words is no message.
    house.api.says(STRANGER, "more");
    let heard = house.hears_text("more").await;
    let (ticket, text) = (heard.ticket, String::new());
    house.say("telegram-8", Outgoing::Aside { ticket, text });
    house.reception.set("telegram-8", Some(business::ChatMode::Off)).unwrap();
    house.say("telegram-8", Outgoing::Text("never".to_owned()));
    house.api.says(STRANGER, "hello?");
    house.api.says(OWNER, "last");
    house.hears_text("last").await;
    assert_eq!(house.api.texts(STRANGER), ["welcome"]);
    assert!(!house.journal().contains("hello?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customers_number_is_kept_and_what_is_not_read_counts_as_messages() {
    let (api, home) = (testkit::BotApi::new(), testkit::TempHome::new());
    let mut house = house_for(api, home, business::BotMode::Business);
    house.api.says(STRANGER, "4711");
    house.hears_text("4711").await;
    assert!(house.journal().contains("4711"), "a crash would lose it: {}", house.journal());
    for _ in 0..14 {
        let place = json!({"latitude": 1.0, "longitude": 1.0});
        house.api.posts(STRANGER, json!({"location": place}));
    }
    let _ = house.api.wait_for(STRANGER, "You write faster than I can answer.");
    house.api.says(OWNER, "last");
    house.hears_text("last").await;
    let texts = house.api.texts(STRANGER);
    let told = |part: &str| texts.iter().filter(|text| text.contains(part)).count();
    assert_eq!((told("only text is read here"), told("You write faster")), (10, 1), "{texts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_who_floods_costs_no_disk() {
    let (api, home) = (testkit::BotApi::new(), testkit::TempHome::new());
    let mut house = house_for(api, home, business::BotMode::Business);
    house.api.says(STRANGER, "first");
    let first = house.hears_text("first").await;
    assert!(house.journal().contains("first"));
    assert!((0..10).all(|_| house.reception.admit(&first.session, "") == business::Admitted::Yes));
    let before = house.journal();
    house.api.says(STRANGER, "flood");
    house.hears_text("flood").await;
    house.api.posts(STRANGER, json!({"location": {"latitude": 1.0, "longitude": 1.0}}));
    let _ = house.api.wait_for(STRANGER, "You write faster than I can answer.");
    assert_eq!(house.journal(), before);
    // A guest has no limit.
    house.api.says(GUEST, "last");
    house.hears_text("last").await;
    assert!(house.journal().contains("last") && !house.journal().contains("flood"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_sends_the_code_joins_at_once_and_who_guesses_is_told_five_times() {
    let mut house = house();
    house.api.says(STRANGER, "/start ABCD2345");
    house.api.wait_until_read();
    assert_eq!(done_in(&house, STRANGER), 0, "no code is open");
    let code = house.reception.invite();
    for left in [4, 3, 2, 1] {
        house.api.says(STRANGER, "/start mustache");
        let _ = house.api.wait_for(STRANGER, &format!("You may try it {left} more times."));
    }
    house.api.says(STRANGER, "/start mustache");
    let _ = house.api.wait_for(STRANGER, "no other one of yours is looked at");
    house.api.says(STRANGER, &format!("/start {code}"));
    house.api.says(STRANGER, "hello");
    house.api.wait_until_read();
    assert_eq!(house.api.texts(STRANGER).len(), 5, "it is heard no more");
    house.api.says(9, &format!("/start {code}"));
    let joined = house.hears_text(&format!("/start {code}")).await;
    assert_eq!(joined.session.as_str(), "telegram-9");
    house.api.says(10, &format!("/start {code}"));
    house.api.says(9, "hello");
    house.hears_text("hello").await;
    assert_eq!(done_in(&house, 10), 0, "it works once");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_unpaired_in_the_middle_of_a_turn_gets_nothing_more() {
    let mut house = house();
    house.api.says(GUEST, "hi");
    let heard = house.hears_text("hi").await;
    house.begin(&heard);
    house.say("telegram-7", Outgoing::Words("the first words".to_owned()));
    let _ = house.api.wait_for(GUEST, "the first words");
    assert_eq!(house.reception.unpair(&heard.session), Ok(true));
    house.say("telegram-7", Outgoing::Words(" and the rest".to_owned()));
    house.say("telegram-7", Outgoing::End);
    house.api.says(GUEST, "hello?");
    house.api.says(OWNER, "hello");
    let heard = house.hears_text("hello").await;
    house.answer(&heard, "to the owner");
    let _ = house.api.wait_for(OWNER, "to the owner");
    house.api.wait_until_read();
    wait_until("the guest's message counts as answered", || {
        house.journal().contains("\"unanswered\": []")
    });
    let api = house.ended().await.0;
    assert_eq!(api.texts(GUEST), ["the first words"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_becomes_a_supergroup_is_heard_under_its_new_id() {
    const NEW: i64 = -1_007;
    let mut house = house();
    let group = |id: i64, kind: &str| json!({"id": id, "type": kind, "title": "G"});
    let (old, new) = (group(GROUP, "group"), group(NEW, "supergroup"));
    house.api.posts(OWNER, json!({"chat": old, "migrate_to_chat_id": NEW}));
    house.api.posts(OWNER, json!({"chat": new, "migrate_from_chat_id": GROUP}));
    house.api.posts(GUEST, json!({"chat": new, "text": "hello"}));
    let heard = house.hears_text("hello").await;
    assert_eq!(heard.session.as_str(), "telegram--1007");
    house.answer(&heard, "there");
    let _ = house.api.wait_for(NEW, "there");
    let _ = house.api.wait_for(NEW, "[this group has another id at Telegram now");
    let texts = house.api.texts(NEW).join("\n");
    assert!(!texts.contains("only text is read"), "{texts}");
    // Nobody can move a group that the owner does not allow.
    house.api.posts(STRANGER, json!({"chat": group(-200, "group"), "migrate_to_chat_id": -201}));
    house.api.posts(STRANGER, json!({"chat": group(-201, "supergroup"), "text": "hello"}));
    house.api.says(OWNER, "last");
    house.hears_text("last").await;
    assert_eq!((house.api.texts(-201), house.api.texts(GROUP)), (vec![], vec![]));
}
