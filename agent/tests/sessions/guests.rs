//! What guests may do, and what is put to the owner instead.

use std::sync::Arc;

use broker::Publisher;
use channel::{Outgoing, Receipt, Said};
use conversation::question::{Choice, Decision};
use protocol::{Code, Done, Event, EventKind, MessageId, Millis, Reply, Stopped};
use serde_json::json;
use testkit::eventually;

use crate::house::{House, house, key};

#[tokio::test]
async fn what_is_the_owners_alone_is_refused_to_guests() {
    let mut house = house();
    let mut said = Vec::new();
    for command in
        ["/stop", "/model", "/model offline", "/approvals", "/approve 11aa", "/deny 11aa"]
    {
        house.telegram.say("telegram-1", "telegram:1", command).await;
        said.push(house.telegram.heard("telegram-1").await);
    }
    let answer = Decision { id: "11aa".to_owned(), choice: Choice::Yes, code: None };
    house.telegram.tell("telegram-1", "telegram:1", Said::Answer(answer)).await;
    house.telegram.say("telegram-1", "telegram:1", "/help").await;
    said.push(house.telegram.heard("telegram-1").await);
    house.telegram.say("telegram-1", "telegram:1", "/status").await;
    let status = house.telegram.heard("telegram-1").await;
    assert!(!status.contains(house.home.root().to_str().unwrap()), "{status}");
    insta::assert_snapshot!(said.concat() + &status);
}

#[tokio::test]
async fn the_owner_answers_a_guests_question_and_the_guest_hears_what_became_of_it() {
    let mut house = house();
    house.telegram.say("telegram-1", "telegram:1", "/run POST").await;
    let approval = json!({"id": "11aa", "question": "POST {}", "seconds": 600, "message_id": "m1"});
    let pending = Stopped::new(Code::Approval, "it waits").with("approval", approval);
    house.answers(pending).await;
    let guest = house.telegram.heard("telegram-1").await;
    assert!(guest.contains("[the owner is asked whether this may run]"), "{guest}");
    // The owner is on Telegram as well.
    assert!(guest.contains("(owner) ?11aa POST {}") && !guest.contains("\n?11aa"), "{guest}");
    assert_eq!(house.console.left(), ["(owner) ?11aa POST {}"]);
    let yes = Decision { id: "11aa".to_owned(), choice: Choice::Yes, code: None };
    house.console.tell("owner", "console:owner", Said::Answer(yes)).await;
    let session = json!({"session": "telegram-1"}).as_object().unwrap().clone();
    let answer = house.answers(Done { result: session, ..Done::default() }).await;
    assert_eq!(answer.action.as_str(), "APPROVE");
    assert_eq!(answer.envelope.session.unwrap().as_str(), "owner");
    let (_, settled) = house.console.hear().await;
    let how = "question 11aa: console:owner said yes".to_owned();
    assert_eq!(settled, Outgoing::Settled { id: "11aa".to_owned(), how });
    let event = Event {
        event: EventKind::Result,
        session: key("telegram-1"),
        at: Millis(1),
        message_id: Some(MessageId::new("m1").unwrap()),
        text: None,
        reply: Some(Reply::new(None, "POST", Done::default().into()).fields),
    };
    house.publisher.event(&event).await;
    let (_, settled) = house.console.hear().await;
    assert!(matches!(&settled, Outgoing::Settled { id, .. } if id == "11aa"), "{settled:?}");
    assert!(house.telegram.left().contains(&"(telegram-1) <POST: ok, done>".to_owned()));
    // The owner waits for nothing, because it was not the owner's question.
    house.quit.cancel();
    house.serving.await.unwrap();
}

#[tokio::test]
async fn a_question_that_runs_out_is_settled_where_it_was_put() {
    let mut house = house();
    house.console.say("owner", "console:owner", "/run POST").await;
    let approval = json!({"id": "22bb", "question": "POST {}", "seconds": 600, "message_id": "m2"});
    let pending = Stopped::new(Code::Approval, "it waits").with("approval", approval);
    house.answers(pending).await;
    house.console.heard("owner").await;
    house.telegram.heard("owner").await;
    let late = Stopped::new(Code::Owner, "nobody answered in time");
    let reply: Option<protocol::Object> = Some(Reply::new(None, "POST", late.into()).fields);
    let event = Event {
        event: EventKind::Result,
        session: key("owner"),
        at: Millis(1),
        message_id: Some(MessageId::new("m2").unwrap()),
        text: None,
        reply,
    };
    house.publisher.event(&event).await;
    for end in [&mut house.console, &mut house.telegram] {
        end.hear().await;
        let how =
            "question 22bb is open no more: POST: refused, nobody answered in time".to_owned();
        assert_eq!(end.hear().await.1, Outgoing::Settled { id: "22bb".to_owned(), how });
    }
}

#[tokio::test]
async fn an_answer_counts_while_a_turn_runs() {
    let mut house = house();
    house.console.say("owner", "console:owner", "stuck").await;
    let yes = Decision { id: "11aa".to_owned(), choice: Choice::Yes, code: None };
    house.telegram.tell("owner", "telegram:42", Said::Answer(yes)).await;
    let answer = house.answers(Done::default()).await;
    assert_eq!(answer.envelope.principal.unwrap().as_str(), "telegram:42");
    let how = "question 11aa: telegram:42 said yes".to_owned();
    let settled = Outgoing::Settled { id: "11aa".to_owned(), how };
    while house.console.hear().await.1 != settled {}
    assert!(!house.console.left().contains(&"(owner) end".to_owned()), "the turn goes on");
    house.console.tell("owner", "console:owner", Said::Stop).await;
    assert!(house.console.heard("owner").await.contains("[stopped]"));
}

#[tokio::test]
async fn where_the_owners_models_are_and_what_mends_them_is_told_to_the_owner_alone() {
    let mut house = house();
    house.telegram.say("telegram-1", "telegram:1", "fail").await;
    let guest = house.telegram.heard("telegram-1").await;
    assert!(guest.contains("[no model can answer at the moment; ask again later]"), "{guest}");
    assert!(!guest.contains("10.0.0.7") && !guest.contains(".env"), "{guest}");
    house.console.say("owner", "console:owner", "fail").await;
    let owner = house.console.heard("owner").await;
    assert!(owner.contains("10.0.0.7:80 refuses the key (401); put it into `.env`"), "{owner}");
}

/// The clock goes to the next timer as soon as nothing else can be done.
#[tokio::test(start_paused = true)]
async fn a_guest_who_is_silent_keeps_nothing_awake_and_is_known_again() {
    let mut house = house();
    house.console.say("owner", "console:owner", "say hello").await;
    house.console.heard("owner").await;
    for chat in 1..=3 {
        let (session, guest) = (format!("telegram-{chat}"), format!("telegram:{chat}"));
        house.telegram.say(&session, &guest, "my cat is called Mimi").await;
        house.telegram.heard(&session).await;
    }
    assert_eq!(house.registry.awake(), 4);
    let asleep = async {
        while house.registry.awake() > 1 {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
    };
    // It would be half an hour, and longer, if a silent session kept what it takes.
    let minutes = std::time::Duration::from_secs(180);
    tokio::time::timeout(minutes, asleep).await.unwrap();
    house.shown();
    house.telegram.say("telegram-1", "telegram:1", "say hello").await;
    house.telegram.heard("telegram-1").await;
    assert!(house.shown().contains("my cat is called Mimi"));
}

/// The owner's reply, as it comes to the channel of its customer.
async fn reply(house: &mut House) -> Receipt {
    let said = "/reply telegram-8 It left.";
    house.console.say("owner", "console:owner", said).await;
    let heard = house.console.heard("owner").await;
    assert!(heard.contains("That goes to telegram-8, telegram-8."), "{heard}");
    loop {
        if let (session, Outgoing::Reminder { text, receipt, .. }) = house.telegram.hear().await {
            assert_eq!((session.as_str(), text.as_str()), ("telegram-8", "It left."));
            return receipt;
        }
    }
}

#[tokio::test]
async fn a_customers_question_is_open_until_the_reply_has_arrived() {
    let mut house = house();
    house.telegram.say("telegram-8", "telegram:8", "hello").await;
    house.telegram.heard("telegram-8").await;
    let reception = Arc::clone(&house.reception);
    let open = || -> Vec<String> {
        reception.escalations().all().iter().map(|open| open.question.clone()).collect()
    };
    let _ = reception.escalate(&key("telegram-8"), "Where is it?");
    reply(&mut house).await.failed("it is blocked");
    let told = loop {
        if let (_, Outgoing::Notice(told)) = house.console.hear().await {
            break told;
        }
    };
    assert_eq!(
        told,
        "telegram-8, telegram-8, has not got your reply, and no question is closed: it is blocked"
    );
    assert_eq!(open(), ["Where is it?"]);
    let receipt = reply(&mut house).await;
    let _ = reception.escalate(&key("telegram-8"), "And when?");
    receipt.taken();
    eventually("what was asked later alone is open", async || open() == ["And when?"]).await;
}
