//! What people see of an answer.

use channel::{ActionLine, Outgoing, Receipt, Ticket};
use protocol::{ActionName, Status};
use serde_json::{Value, json};
use testkit::wait_until;

use crate::house::{OWNER, house};

#[tokio::test(flavor = "multi_thread")]
async fn words_grow_in_one_message() {
    let mut house = house();
    house.api.says(OWNER, "tell me");
    let asked = house.hears_text("tell me").await;
    house.begin(&asked);
    house.say("owner", Outgoing::Working("thinking".to_owned()));
    wait_until("it is typing", || !house.api.calls("sendChatAction").is_empty());
    house.say("owner", Outgoing::Words("Once **upon".to_owned()));
    let first = house.api.wait_for(OWNER, "Once **upon");
    for piece in [" a", " time**", " there"] {
        house.say("owner", Outgoing::Words(piece.to_owned()));
    }
    let grown = house.api.wait_for(OWNER, "Once **upon a time** there");
    assert_eq!((grown.id, grown.edits), (first.id, 1), "what comes at once is shown at once");
    assert_eq!(grown.entities, json!([{"type": "bold", "offset": 7, "length": 11}]));
    house.say(
        "owner",
        Outgoing::Action(ActionLine {
            action: ActionName::new("HELLO_WORLD").unwrap(),
            status: Status::Ok,
            line: "HELLO_WORLD: ok".to_owned(),
            told: "HELLO_WORLD: ok".to_owned(),
        }),
    );
    house.say("owner", Outgoing::Words("The end.".to_owned()));
    house.say("owner", Outgoing::End);
    let _ = house.api.wait_for(OWNER, "Once **upon a time** there\nHELLO_WORLD: ok\nThe end.");
    assert_eq!(house.api.shown(OWNER).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn telegram_reads_no_markup_and_fetches_nothing() {
    let mut house = house();
    house.api.says(OWNER, "go");
    let asked = house.hears_text("go").await;
    house.begin(&asked);
    house.say("owner", Outgoing::Words("see https://a.example/?q=secret ".to_owned()));
    let _ = house.api.wait_for(OWNER, "see");
    house.say("owner", Outgoing::Words("<b>x</b> [y](https://b.example)".to_owned()));
    house.say("owner", Outgoing::End);
    let _ = house.api.wait_for(OWNER, "<b>x</b> [y](https://b.example)");
    let calls = [house.api.calls("sendMessage"), house.api.calls("editMessageText")].concat();
    assert!(calls.len() >= 2);
    for call in calls {
        assert_eq!(call.params.get("parse_mode"), None);
        assert_eq!(call.params["link_preview_options"]["is_disabled"], true, "{call:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_cut_between_paragraphs() {
    let mut house = house();
    house.api.says(OWNER, "much");
    let asked = house.hears_text("much").await;
    let paragraph = "😀".repeat(900);
    house.answer(&asked, &[paragraph.as_str(); 7].join("\n\n"));
    let two = format!("{paragraph}\n\n{paragraph}");
    wait_until("all is there", || house.api.texts(OWNER).len() == 4);
    wait_until("its turn is over", || !house.journal().contains("\"chat\""));
    assert_eq!(house.api.texts(OWNER), [&*two, &*two, &*two, &*paragraph]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_elsewhere_is_shown_with_its_source() {
    let house = house();
    house.elsewhere("console:owner", "what is **this**?", "A test.");
    let _ = house.api.wait_for(OWNER, "console:owner> what is **this**?\nA test.");
    house.elsewhere("http:page", "and this?", "Another.");
    let _ = house.api.wait_for(OWNER, "http:page> and this?\nAnother.");
    assert_eq!(house.api.shown(OWNER).len(), 2);
    house.elsewhere("http:page", &"é".repeat(100_000), "A third.");
    let shown = house.api.wait_for(OWNER, "A third.").text;
    assert_eq!(shown, format!("http:page> {} …\nA third.", "é".repeat(1_000)));
    assert_eq!(house.api.shown(OWNER).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_gets_a_sign_of_life() {
    let mut house = house();
    let id = house.api.says(OWNER, "second");
    let ticket = house.hears_text("second").await.ticket;
    house.say("owner", Outgoing::Queued { ticket, ahead: 1 });
    let _ = house.api.wait_for(OWNER, "it is answered after 1 more message");
    let sent = house.api.calls("sendMessage");
    assert_eq!(sent[0].params["reply_parameters"]["message_id"], id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_refused_is_not_waited_for() {
    let mut house = house();
    house.api.says(OWNER, "much");
    let ticket = house.hears_text("much").await.ticket;
    house.say("owner", Outgoing::Refused { ticket, why: "too much waits".to_owned() });
    let _ = house.api.wait_for(OWNER, "too much waits");
    wait_until("it is no open message", || house.journal().contains("\"unanswered\": []"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_text_beside_the_answers_is_cut_as_they_are() {
    let mut house = house();
    let id = house.api.says(OWNER, "/status");
    let ticket = house.hears_text("/status").await.ticket;
    let text = format!("{}\nthe end", "word ".repeat(1_000));
    house.say("owner", Outgoing::Aside { ticket, text });
    let _ = house.api.wait_for(OWNER, "the end");
    let sent = house.api.calls("sendMessage");
    let replies: Vec<_> =
        sent.iter().map(|sent| sent.params["reply_parameters"]["message_id"].as_i64()).collect();
    assert_eq!(replies, [Some(id), None], "the first is a reply");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_to_all_stands_by_itself() {
    let mut house = house();
    house.api.says(OWNER, "go");
    let asked = house.hears_text("go").await;
    house.begin(&asked);
    house.say("owner", Outgoing::Words("one".to_owned()));
    let (receipt, mut reports) = Receipt::new();
    house.say("owner", Outgoing::Broadcast { text: "The **tea** is ready.".to_owned(), receipt });
    assert_eq!(reports.recv().await, Some(Ok(())));
    house.say("owner", Outgoing::Words(" two".to_owned()));
    house.say("owner", Outgoing::End);
    let _ = house.api.wait_for(OWNER, "one two");
    assert_eq!(house.api.texts(OWNER), ["The **tea** is ready.", "one two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_counts_as_had_once_telegram_has_it() {
    let house = house();
    let remind = |text: &str| {
        let (receipt, reports) = Receipt::new();
        let text = text.to_owned();
        house.say("owner", Outgoing::Reminder { ticket: Ticket::new(), text, receipt });
        reports
    };
    assert_eq!(remind("tea").recv().await, Some(Ok(())));
    assert_eq!(house.api.texts(OWNER), ["tea"]);
    house.api.meets("sendMessage", testkit::Trouble::Refused(403, "Forbidden: bot was blocked"));
    let report = remind("coffee").recv().await.unwrap();
    assert!(report.unwrap_err().contains("blocked"));
    house.api.meets("sendMessage", testkit::Trouble::Pause(3_600));
    let mut reports = remind("cake");
    let _ = house.ended().await;
    assert_eq!(reports.recv().await, None, "nobody has it");
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_photos_or_else_files() {
    let house = house();
    let path = house.home.workspace().join("output/page.png");
    house.home.put("workspace/output/page.png", b"\x89PNG");
    house.say("owner", Outgoing::Picture(path.clone()));
    let _ = house.api.wait_for(OWNER, "<photo page.png>");
    let too_high = testkit::Trouble::Refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS");
    house.api.meets("sendPhoto", too_high);
    house.say("owner", Outgoing::Picture(path));
    let _ = house.api.wait_for(OWNER, "<document page.png>");
    house.say("owner", Outgoing::Picture(house.home.workspace().join("output/gone.png")));
    let _ = house.api.wait_for(OWNER, "[the picture can't be shown here");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_somebody_removed_is_written_anew() {
    let mut house = house();
    house.api.says(OWNER, "go");
    let asked = house.hears_text("go").await;
    house.begin(&asked);
    house.say("owner", Outgoing::Words("one".to_owned()));
    let _ = house.api.wait_for(OWNER, "one");
    let gone = testkit::Trouble::Refused(400, "Bad Request: message to edit not found");
    house.api.meets("editMessageText", gone);
    house.say("owner", Outgoing::Words(" two".to_owned()));
    let anew = house.api.wait_for(OWNER, "one two");
    house.say("owner", Outgoing::Words(" three".to_owned()));
    house.say("owner", Outgoing::End);
    let whole = house.api.wait_for(OWNER, "one two three");
    assert_eq!(whole.id, anew.id);
    assert_eq!(
        house.api.calls("editMessageText").last().map(|it| it.params["message_id"].clone()),
        Some(Value::from(anew.id))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_words_are_still_said() {
    let mut house = house();
    house.api.says(OWNER, "go");
    let asked = house.hears_text("go").await;
    house.answer(&asked, "goodbye");
    let (api, home) = house.ended().await;
    assert_eq!(api.texts(OWNER), ["goodbye"]);
    assert!(home.text("workspace/telegram.json").contains("\"unanswered\": []"));
}
