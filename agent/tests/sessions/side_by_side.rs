//! Sessions run side by side, and none holds up another.

use std::time::Duration;

use channel::{Outgoing, Said};
use testkit::eventually;

use crate::house::{house, house_of};

#[tokio::test]
async fn two_hundred_sessions_think_at_the_same_time() {
    let mut house = house_of(200);
    for chat in 0..200 {
        house.telegram.say(&format!("telegram-{chat}"), &format!("telegram:{chat}"), "meet").await;
    }
    // None of them is answered before all of them are asked.
    let mut ends = 0;
    while ends < 200 {
        let (session, outgoing) = house.telegram.hear().await;
        match outgoing {
            Outgoing::Words(words) => assert_eq!(words, "met", "{session}"),
            Outgoing::End => ends += 1,
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_session_that_is_stuck_and_flooded_holds_up_nobody() {
    let mut house = house();
    house.telegram.say("telegram-1", "telegram:1", "stuck").await;
    for n in 0..40 {
        house.telegram.say("telegram-1", "telegram:1", &format!("say {n}")).await;
    }
    house.telegram.say("telegram-2", "telegram:2", "say hello").await;
    house.console.say("owner", "console:owner", "say hello").await;
    assert_eq!(house.console.heard("owner").await, "console:owner> say hello\nhello\nend\n");
    let heard = house.telegram.heard("telegram-2").await;
    assert!(heard.ends_with("telegram:2> say hello\nhello\nend\n"), "{heard}");
    // Every message is told what has become of it.
    let mut heard = heard + &house.telegram.left().join("\n");
    let (mut queued, mut refused) =
        (heard.matches("queued").count(), heard.matches("refused").count());
    while queued + refused < 40 {
        let (_, outgoing) = house.telegram.hear().await;
        queued += usize::from(matches!(outgoing, Outgoing::Queued { .. }));
        refused += usize::from(matches!(outgoing, Outgoing::Refused { .. }));
    }
    assert!(queued >= 16 && refused >= 8, "{queued} wait, {refused} are refused");
    house.telegram.tell("telegram-1", "telegram:1", Said::Stop).await;
    heard = house.telegram.heard("telegram-1").await;
    assert!(heard.contains("[stopped]"), "{heard}");
    assert!(house.telegram.heard("telegram-1").await.contains("telegram:1> say 0\n0\nend\n"));
}

#[tokio::test]
async fn all_of_the_owners_channels_hear_the_owner_with_the_source() {
    let mut house = house();
    house.telegram.say("owner", "telegram:42", "say hello").await;
    for end in [&mut house.console, &mut house.telegram] {
        assert_eq!(end.heard("owner").await, "telegram:42> say hello\nhello\nend\n");
    }
    assert_eq!(house.http.left(), Vec::<String>::new(), "only guests are there");
}

#[tokio::test]
async fn a_channel_speaks_only_in_sessions_of_its_own() {
    let mut house = house();
    for session in ["owner", "telegram-1", "httpbob"] {
        house.http.say(session, "http:bob", "say I am in").await;
    }
    house.http.say("http-bob", "http:bob", "say hello").await;
    assert_eq!(house.http.heard("http-bob").await, "http:bob> say hello\nhello\nend\n");
    assert_eq!(house.model.prompts.lock().unwrap().len(), 1);
    assert_eq!(house.console.left(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_guests_task_closes_after_a_while_and_opens_again_with_what_was_said() {
    let mut house = house();
    house.telegram.say("telegram-1", "telegram:1", "the first word").await;
    house.telegram.heard("telegram-1").await;
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    house.shown();
    for n in 0..10 {
        house.telegram.say("telegram-1", "telegram:1", &format!("say {n}")).await;
    }
    for n in 0..10 {
        let heard = house.telegram.heard("telegram-1").await;
        assert!(heard.contains(&format!("{n}\nend\n")), "{heard}");
    }
    assert!(house.shown().contains("the first word"));
    assert_eq!(*house.subscribed.lock().unwrap(), ["telegram-1", "telegram-1"]);
}

#[tokio::test]
async fn who_ends_it_lets_every_turn_come_to_its_end() {
    let mut house = house_of(2);
    house.telegram.say("telegram-1", "telegram:1", "meet").await;
    house.console.say("owner", "console:owner", "say hello").await;
    house.console.heard("owner").await;
    eventually("it thinks", async || house.model.prompts.lock().unwrap().len() == 2).await;
    house.quit.cancel();
    // Nobody is heard any more, and the turn that waits for another one goes on.
    eventually("the registry takes nothing more", async || house.console.line.incoming.is_closed())
        .await;
    assert!(!house.serving.is_finished());
    house.serving.abort();
}
