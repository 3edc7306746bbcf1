//! What can go wrong between here and Telegram.

use channel::Outgoing;
use channel::telegram::{Client, Fault};
use settings::BaseUrl;
use testkit::{BOT_TOKEN, BotApi, TempHome, Trouble, wait_until};

use crate::house::{OWNER, house, house_of};

const CONFLICT: &str = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_is_kept_and_nothing_is_lost() {
    let mut house = house();
    house.api.meets("sendMessage", Trouble::Pause(1));
    house.api.meets("getUpdates", Trouble::Pause(1));
    house.api.says(OWNER, "hello");
    let asked = house.hears_text("hello").await;
    house.answer(&asked, "there");
    let _ = house.api.wait_for(OWNER, "there");
    assert_eq!(house.api.calls("sendMessage").len(), 2);
    assert_eq!(house.api.shown(OWNER).len(), 1);
}

/// The client waits ten seconds itself after each of these.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_in_trouble_is_waited_for() {
    let mut house = house();
    house.api.says(OWNER, "hello");
    let asked = house.hears_text("hello").await;
    house.api.meets("getUpdates", Trouble::BadGateway);
    house.api.meets("sendMessage", Trouble::BadGateway);
    house.answer(&asked, "there");
    let _ = house.api.wait_for(OWNER, "there");
    house.api.says(OWNER, "more");
    house.hears_text("more").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_connections_lose_nothing() {
    let mut house = house();
    house.api.meets("getMe", Trouble::Cut);
    house.api.meets("getUpdates", Trouble::Cut);
    house.api.meets("getUpdates", Trouble::CutAfter);
    house.api.says(OWNER, "hello");
    let asked = house.hears_text("hello").await;
    house.api.meets("sendMessage", Trouble::Cut);
    house.answer(&asked, "there");
    let _ = house.api.wait_for(OWNER, "there");
    assert_eq!(house.api.shown(OWNER).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_does_not_get_through_is_given_up_where_words_do() {
    let house = house();
    house.home.put("workspace/output/page.png", b"\x89PNG");
    let page = house.home.workspace().join("output/page.png");
    for _ in 0..3 {
        house.api.meets("sendDocument", Trouble::Cut);
        house.api.meets("sendPhoto", Trouble::Cut);
    }
    house.say("owner", Outgoing::File(page.clone()));
    let _ = house.api.wait_for(OWNER, "[the file can't be sent here: Telegram can't be reached");
    house.say("owner", Outgoing::Picture(page.clone()));
    let _ = house.api.wait_for(OWNER, "[the picture can't be shown here: Telegram can't be");
    // Nothing gets through for a while, and that is waited for.
    for _ in 0..3 {
        house.api.meets("sendDocument", Trouble::Cut);
    }
    house.api.meets("sendChatAction", Trouble::Cut);
    house.say("owner", Outgoing::File(page));
    let _ = house.api.wait_for(OWNER, "<document page.png>");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_poller_and_a_webhook_end_nothing() {
    let mut house = house();
    house.api.meets("getUpdates", Trouble::Refused(409, CONFLICT));
    let webhook =
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook";
    house.api.meets("getUpdates", Trouble::Refused(409, webhook));
    house.api.says(OWNER, "hello");
    house.hears_text("hello").await;
    assert_eq!(house.api.calls("deleteWebhook").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_that_is_closed_holds_up_nothing() {
    let mut house = house();
    let blocked = Trouble::Refused(403, "Forbidden: bot was blocked by the user");
    house.api.meets("sendMessage", blocked);
    house.api.says(OWNER, "one");
    let one = house.hears_text("one").await;
    house.answer(&one, "first");
    house.api.says(OWNER, "two");
    let two = house.hears_text("two").await;
    house.answer(&two, "second");
    let _ = house.api.wait_for(OWNER, "second");
    assert_eq!(house.api.texts(OWNER), ["second"]);
    wait_until("neither waits", || house.journal().contains("\"unanswered\": []"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_ends_the_channel_and_is_not_shown() {
    let mut working = house();
    working.api.says(OWNER, "hello");
    working.hears_text("hello").await;
    working.api.revoke();
    let api = working.api.clone();
    let failed = working.failed().await;
    insta::assert_snapshot!(failed, @"the telegram channel has failed: Telegram does not know the bot's token (401); get one from @BotFather and run `safeclaw agent config telegram`");
    let failed = house_of(api, TempHome::new()).failed().await;
    assert!(failed.to_string().contains("(401)"), "at the start: {failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_shows_the_token() {
    let api = BotApi::new();
    let address = BaseUrl::try_from(api.url()).unwrap();
    let nobody = BaseUrl::try_from("http://127.0.0.1:1".to_owned()).unwrap();
    let client = |address| Client::new(BOT_TOKEN.into(), Some(address)).unwrap();
    api.meets("getMe", Trouble::Cut);
    api.meets("getMe", Trouble::Refused(400, "Bad Request: 4711:this-is-the-tests-own-token"));
    let mut faults = vec![client(&nobody).me().await.unwrap_err()];
    for _ in 0..2 {
        faults.push(client(&address).me().await.unwrap_err());
    }
    assert!(matches!(faults[..], [Fault::Network(_), Fault::Network(_), Fault::Refused(_)]));
    for fault in faults {
        let shown = format!("{fault} {fault:?} {:?}", client(&address));
        assert!(!shown.contains("tests-own"), "{shown}");
        assert!(shown.len() > 60, "it says why: {shown}");
    }
}
