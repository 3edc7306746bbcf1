//! Chains of models that say what a test tells them.

use std::time::Duration;

use conversation::workspace::{Memory, OWNER};
use llm::Target;
use protocol::SessionKey;

use super::*;
use crate::gate::Gate;
use crate::scripted::{Scripted, broken, busy, gone, hear_as, overrun, too_long, unknown};
use crate::{Offline, Trusted, TurnParts};

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

/// What came of a message of the owner's, and what was heard, further tries left out.
async fn say(chain: &Chain) -> (Result<Completion, ModelError>, Vec<String>) {
    say_in(chain, OWNER).await
}

/// The same in this session.
async fn say_in(chain: &Chain, session: &str) -> (Result<Completion, ModelError>, Vec<String>) {
    let memory = Memory::default();
    let turn = TurnParts {
        message: "hello",
        cards: [&[], &[]],
        so_far: &[],
        memory: &memory,
        history: crate::testing::no_history(),
        typed: &[],
    };
    let hearer = Hearer::of(&SessionKey::new(session).unwrap());
    let mut ask = Ask::plain("").heard_by(&hearer);
    ask.turn = Some(turn);
    told(chain, &ask).await
}

/// Whether it is shown to people, as it is in a turn.
fn is_seen(step: &Progress<'_>) -> bool {
    matches!(step, Progress::Piece(piece) if !piece.is_empty() && !piece.contains("\"thought\""))
}

async fn told(chain: &Chain, ask: &Ask<'_>) -> (Result<Completion, ModelError>, Vec<String>) {
    let mut heard = Vec::new();
    let mut hear = hear_as(&mut heard, ask.hearer.is_none_or(Hearer::is_owner));
    let mut see = |step: Progress<'_>| {
        if let Some(hearer) = ask.hearer.filter(|_| is_seen(&step)) {
            hearer.sees();
        }
        hear(step);
    };
    let completed = chain.complete(ask, &mut see).await;
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
async fn the_first_that_answers_wins_and_people_hear_of_each_when_the_next_is_asked() {
    let first = Scripted::new("a", [Err(unknown("a"))]);
    let second = Scripted::new("b", [Err(unknown("b"))]);
    let third = Scripted::new("c", [Ok("from c")]);
    let chain = chain([&first, &second, &third]);
    let (completed, heard) = say(&chain).await;
    assert_eq!(completed.unwrap().usage.by, "c");
    insta::assert_snapshot!(heard.join("\n"), @r"
    a does not have the model m; fetch it with `ollama pull m`; asking b
    b does not have the model m; fetch it with `ollama pull m`; asking c
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

    nothing answers at a (connection refused), after 3 tries; start it with `ollama serve`; answering without a language model

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
async fn a_rest_after_what_was_said_is_not_said_and_the_primary_is_not_asked_until_it_is_over() {
    let first = Scripted::new("a", [Err(gone("a")), Err(gone("a")), Ok("here")]);
    let chain = with_offline([&first]).after(&gone("a"));
    for _ in 0..4 {
        let heard = heard(&chain).await;
        assert!(heard[0].starts_with(WITHOUT), "{heard:?}");
    }
    assert_eq!((chain.name(), first.asked().len()), ("offline".to_owned(), 2));
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(heard(&chain).await, ["a answers again", "here"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_words_is_final() {
    let first = Scripted::new("a", [Err(busy(None)), Ok("again")]).beginning_with("Well, ");
    let second = Scripted::new("b", [Ok("from b")]);
    let (completed, heard) = say(&chain([&first, &second])).await;
    assert_eq!(heard, ["Well, "]);
    insta::assert_snapshot!(completed.unwrap_err(), @"the answer is cut off: a is busy (429: slow down); wait a little, or name another with `safeclaw agent config fallback`");
    assert_eq!((first.asked().len(), second.asked().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn who_fails_while_it_thinks_to_itself_is_tried_again_and_stood_in_for() {
    let cut = || Err(broken());
    let first = Scripted::new("a", [cut(), cut(), cut()]).beginning_with(r#"{"thought": "We"#);
    let second = Scripted::new("b", [Ok("from b")]);
    let (completed, mut heard) = say(&chain([&first, &second])).await;
    assert_eq!((completed.unwrap().text.as_str(), first.asked().len()), ("from b", 3));
    heard.retain(|line| !line.starts_with('{'));
    insta::assert_snapshot!(heard.join("\n"), @r"
    the model server at a answered 500: boom, after 3 tries; ask again, or another with `/model TARGET`; asking b
    from b
    ");
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
    let first = Scripted::new("a", [Err(unknown("a")), Err(unknown("a"))]);
    let second = Scripted::new("b", [Err(unknown("b")), Err(unknown("b"))]);
    let chain = chain([&first, &second]);
    let (completed, heard) = say(&chain).await;
    assert_eq!(completed, Err(unknown("b")));
    insta::assert_snapshot!(heard.join("\n"), @"a does not have the model m; fetch it with `ollama pull m`; asking b");
    // Nobody is told that nobody answers without being told why.
    let (completed, heard) = say(&chain).await;
    assert_eq!((completed, heard), (Err(unknown("a")), vec![unknown("b").to_string()]));
}

#[tokio::test(start_paused = true)]
async fn people_hear_who_is_asked_before_it_answers_and_see_who_thinks() {
    let first = Scripted::new("a", [Err(unknown("a"))]);
    let second = Scripted::new("b", [Err(busy(None)), Ok("from b")]).taking(Duration::from_secs(9));
    let (chain, began) = (chain([&first, &second]), tokio::time::Instant::now());
    let hearer = Hearer::of(&SessionKey::new(OWNER).unwrap());
    let mut seen = Vec::new();
    let mut see = |step: Progress<'_>| {
        let line = match step {
            Progress::Asked { by, number } => format!("{by} thinks, try {number}"),
            Progress::Notice(notice) => notice.to_string(),
            other => format!("{other:?}"),
        };
        // Chance has a part in the delay.
        let line = line.split(" in ").next().unwrap_or_default().to_owned();
        seen.push(format!("{} s: {line}", began.elapsed().as_secs() / 9 * 9));
    };
    chain.complete(&Ask::plain("").heard_by(&hearer), &mut see).await.unwrap();
    seen.retain(|line| !line.ends_with("(\"\")"));
    insta::assert_snapshot!(seen.join("\n"), @r#"
    0 s: a thinks, try 1
    0 s: a does not have the model m; fetch it with `ollama pull m`; asking b
    0 s: b thinks, try 1
    9 s: a is busy (429: slow down); try 2
    9 s: b thinks, try 2
    18 s: Piece("from b")
    "#);
}

#[tokio::test(start_paused = true)]
async fn one_that_rests_is_not_said_to_be_asked() {
    let first = Scripted::new("a", [Err(unknown("a"))]);
    let second = Scripted::new("b", []);
    let chain = with_offline([&first, &second]);
    for _ in 0..3 {
        chain.links()[1].seen(Some(&gone("b")));
    }
    let heard = heard(&chain).await;
    insta::assert_snapshot!(heard[0], @"a does not have the model m; fetch it with `ollama pull m`; nothing answers at b (connection refused), asked again in 5 s; start it with `ollama serve`; answering without a language model");
    assert!(heard[1].starts_with(WITHOUT), "{heard:?}");
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
async fn each_session_is_told_for_itself_and_guests_hear_no_address_and_no_command() {
    let refused = || Err(gone("a"));
    // Who refuses a connection is tried three times at first, and then once.
    let says = [refused(), refused(), refused(), refused(), Ok("here"), Ok("here"), Ok("here")];
    let chain = with_offline([&Scripted::new("a", says)]);
    let mut lines = Vec::new();
    for session in ["telegram-7", OWNER, OWNER, "telegram-7", "telegram-8"] {
        let (completed, mut heard) = say_in(&chain, session).await;
        completed.unwrap();
        heard.retain(|line| !line.starts_with(WITHOUT));
        lines.push(format!("{session}: {}", heard.join(" | ")));
    }
    insta::assert_snapshot!(lines.join("\n"), @r"
    telegram-7: the model does not answer; it is asked again | answering without a language model
    owner: nothing answers at a (connection refused), after 1 try; start it with `ollama serve`; answering without a language model
    owner: a answers again | here
    telegram-7: the model answers again | here
    telegram-8: here
    ");
}

#[tokio::test(start_paused = true)]
async fn what_was_said_at_the_start_was_said_to_the_owner_alone() {
    let chain = with_offline([&Scripted::new("a", [Err(gone("a"))])]).after(&gone("a"));
    let (_, heard) = say_in(&chain, "telegram-7").await;
    assert_eq!(heard[0], "answering without a language model");
}

#[tokio::test(start_paused = true)]
async fn what_a_model_has_no_room_for_is_not_answered_as_if_there_were_none() {
    for too_much in [overrun(), too_long()] {
        let chain = with_offline([&Scripted::new("a", [Err(too_much.clone()), Ok("here")])]);
        assert_eq!(say(&chain).await, (Err(too_much), Vec::new()));
        assert_eq!(heard(&chain).await, ["here"]);
    }
}

#[tokio::test(start_paused = true)]
async fn who_stands_in_from_outside_reads_nothing_private_until_that_is_trusted() {
    let first = Scripted::new("a", [Err(unknown("a")), Err(unknown("a")), Err(unknown("a"))]);
    let second = Scripted::new("b", [Ok("from b"), Ok("from b")]);
    let (target, trusted): (Target, _) = ("openai:b".parse().unwrap(), Trusted::default());
    let mut chain = chain([&first]);
    let outside = Some((target.clone(), trusted.clone()));
    let link = Link::behind(Gate::default(), outside, Arc::new(second.clone()));
    chain.links.push(Arc::new(link));
    let ask = |is_private| Ask::plain("").private(is_private);
    let (completed, heard) = told(&chain, &ask(true)).await;
    assert_eq!((completed.is_err(), second.asked().len()), (true, 0), "{heard:?}");
    assert!(heard.iter().any(|line| line.contains("/model trust lets it")), "{heard:?}");
    let (completed, _) = told(&chain, &ask(false)).await;
    assert_eq!(completed.unwrap().usage.by, "b");
    trusted.set(&[target]);
    let (completed, _) = told(&chain, &ask(true)).await;
    assert_eq!(completed.unwrap().usage.by, "b");
}
