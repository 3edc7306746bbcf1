//! Chains of models that say what a test tells them.

use std::time::Duration;

use super::*;
use crate::model::scripted::{Scripted, busy, gone, hear, overrun, too_long, unknown};
use crate::model::{Offline, TurnParts};
use crate::workspace::Memory;

fn chain<const N: usize>(models: [&Scripted; N]) -> Chain {
    let link = |model: &Scripted| Arc::new(Link::new(Arc::new(model.clone())));
    Chain::new(models.into_iter().map(link).collect())
}

/// The same, with [`Offline`] at its end.
fn with_offline<const N: usize>(models: [&Scripted; N]) -> Chain {
    let mut chain = chain(models);
    chain.links.push(Arc::new(Link::offline(Arc::new(Offline::new("m")))));
    chain
}

/// What came of a message, and what was heard, further tries left out.
async fn say(chain: &Chain) -> (Result<Completion, ModelError>, Vec<String>) {
    let memory = Memory::default();
    let turn =
        TurnParts { message: "hello", cards: [&[], &[]], so_far: &[], memory: &memory, typed: &[] };
    let mut ask = Ask::plain("");
    ask.turn = Some(turn);
    told(chain, &ask).await
}

async fn told(chain: &Chain, ask: &Ask<'_>) -> (Result<Completion, ModelError>, Vec<String>) {
    let mut heard = Vec::new();
    let mut hear = hear(&mut heard);
    let completed = chain.complete(ask, &mut hear).await;
    drop(hear);
    heard.retain(|line| !line.contains("; try "));
    (completed, heard)
}

/// What was heard of one message that was answered.
async fn heard(chain: &Chain) -> Vec<String> {
    let (completed, heard) = say(chain).await;
    completed.unwrap();
    heard
}

/// How the answer of [`Offline`] begins, as a model would write it.
const WITHOUT: &str = r#"{"message": "I have no language model at the moment."#;

#[tokio::test(start_paused = true)]
async fn the_first_that_answers_wins_and_people_hear_of_it_before_its_words() {
    let first = Scripted::new("a", [Err(unknown("a"))]);
    let second = Scripted::new("b", [Err(unknown("b"))]);
    let third = Scripted::new("c", [Ok("from c")]);
    let chain = chain([&first, &second, &third]);
    let (completed, heard) = say(&chain).await;
    assert_eq!(completed.unwrap().usage.by, "c");
    insta::assert_snapshot!(heard.join("\n"), @r"
    a does not have the model m; fetch it with `ollama pull m`; b does not have the model m; fetch it with `ollama pull m`; c answers now
    from c
    ");
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_said_once_until_it_changes_and_so_is_the_return() {
    let missing = || Err(unknown("a"));
    let refused = || Err(gone("a"));
    // Who refuses a connection is tried three times at first.
    let says = [missing(), missing(), refused(), refused(), refused(), refused(), Ok("a"), Ok("a")];
    let first = Scripted::new("a", says);
    let chain = with_offline([&first]);
    let mut lines = Vec::new();
    for _ in 0..6 {
        let mut heard = heard(&chain).await;
        heard.retain(|line| !line.starts_with(WITHOUT));
        lines.push(heard.join(" | "));
    }
    insta::assert_snapshot!(lines.join("\n"), @r"
    a does not have the model m; fetch it with `ollama pull m`; answering without a language model

    nothing answers at a (connection refused); start it with `ollama serve`; answering without a language model

    a answers again | a
    a
    ");
}

#[tokio::test(start_paused = true)]
async fn what_was_said_at_the_start_is_not_said_again() {
    let first = Scripted::new("a", [Err(gone("a")), Ok("here")]);
    let chain = with_offline([&first]).after(&gone("a"));
    assert!(heard(&chain).await[0].starts_with(WITHOUT));
    assert_eq!(first.asked().len(), 1, "who was not there is asked once");
    assert_eq!(heard(&chain).await, ["a answers again", "here"]);
}

#[tokio::test(start_paused = true)]
async fn a_rest_is_said_and_the_primary_is_not_asked_until_it_is_over() {
    let first = Scripted::new("a", [Err(gone("a")), Err(gone("a")), Ok("here")]);
    let chain = with_offline([&first]).after(&gone("a"));
    for _ in 0..2 {
        heard(&chain).await;
    }
    assert_eq!(chain.name(), "offline");
    let resting = heard(&chain).await;
    insta::assert_snapshot!(resting[0], @"a is not asked for another 5 s after it failed 3 times: nothing answers at a (connection refused); start it with `ollama serve`; answering without a language model");
    assert!(heard(&chain).await[0].starts_with(WITHOUT), "once");
    assert_eq!(first.asked().len(), 2);
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(heard(&chain).await, ["a answers again", "here"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_words_is_final() {
    let first = Scripted::new("a", [Err(busy(None))]).beginning_with("Well, ");
    let second = Scripted::new("b", [Ok("from b")]);
    let (completed, heard) = say(&chain([&first, &second])).await;
    assert_eq!(heard, ["Well, "]);
    insta::assert_snapshot!(completed.unwrap_err(), @"the answer is cut off: a is busy (429: slow down); wait a little, or name another in llm.fallback");
    assert_eq!((first.asked().len(), second.asked().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_plain_ask_goes_to_another_language_model_and_never_to_offline() {
    let first = Scripted::new("a", [Err(unknown("a")), Err(unknown("a"))]);
    let second = Scripted::new("b", [Ok("from b"), Err(unknown("b")), Ok("again")]);
    let chain = with_offline([&first, &second]);
    let (completed, heard) = told(&chain, &Ask::plain("sum up")).await;
    assert_eq!(completed.unwrap().text, "from b");
    assert_eq!(heard, ["from b"], "nobody hears it");
    let (completed, heard) = told(&chain, &Ask::plain("sum up")).await;
    assert_eq!((completed, heard), (Err(unknown("a")), vec![unknown("b").to_string()]));
}

#[tokio::test(start_paused = true)]
async fn when_nobody_answers_all_are_told() {
    let first = Scripted::new("a", [Err(unknown("a"))]);
    let second = Scripted::new("b", [Err(unknown("b"))]);
    let (completed, heard) = say(&chain([&first, &second])).await;
    assert_eq!((completed, heard), (Err(unknown("a")), vec![unknown("b").to_string()]));
}

#[tokio::test(start_paused = true)]
async fn a_fallback_that_is_back_is_said() {
    let first = Scripted::new("a", [Err(unknown("a")), Err(unknown("a"))]);
    let second = Scripted::new("b", [Err(unknown("b")), Ok("from b")]);
    let chain = with_offline([&first, &second]);
    heard(&chain).await;
    assert_eq!(heard(&chain).await, ["b answers now", "from b"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_model_has_no_room_for_is_not_answered_as_if_there_were_none() {
    for too_much in [overrun(), too_long()] {
        let chain = with_offline([&Scripted::new("a", [Err(too_much.clone()), Ok("here")])]);
        assert_eq!(say(&chain).await, (Err(too_much), Vec::new()));
        assert_eq!(heard(&chain).await, ["here"]);
    }
}
