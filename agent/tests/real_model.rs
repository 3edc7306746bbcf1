//! A real model server that a person names: `cargo xtask test --real-model URL`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use answer::{Answer, Shown};
use conversation::workspace::{AGENT_ACTIONS, Artifact, Entered, History, Memory, SOUL};
use futures::FutureExt;
use model::{ApiKeys, Ask, Endpoint, Endpoints, Model, Progress, TurnParts, Usage, Way};
use prompt::{Fence, Passages, Prompt, Sources, Step};
use protocol::{ActionCard, SessionKey, Taint};
use settings::{ProviderName, Target};
use testkit::TempHome;

/// The server's address, such as http://127.0.0.1:8080/v1.
const URL: &str = "SAFECLAW_REAL_MODEL";

/// The first model of the server, asked in this way.
async fn endpoint(home: &TempHome, way: Way) -> Endpoint {
    #[expect(
        clippy::disallowed_methods,
        reason = "what is tried is named by whoever starts the test"
    )]
    let url = std::env::var(URL).expect("cargo xtask test --real-model URL starts this");
    let known = Arc::new(Endpoints::at(home.root()));
    let target = |model: String| Target {
        provider: ProviderName::OpenAi,
        model,
        base_url: Some(url.clone()),
    };
    let endpoint = |model: String| {
        Endpoint::new(&target(model), &ApiKeys::default(), Arc::clone(&known)).unwrap()
    };
    let listed = endpoint("any".to_owned()).models().await.unwrap();
    endpoint(listed.first().expect("the server lists no model").name.clone()).with_way(Some(way))
}

fn cards() -> Vec<ActionCard> {
    serde_json::from_str(AGENT_ACTIONS).unwrap()
}

/// Says `message` after this history; the pieces, the words of the answer, and what it took.
async fn say(endpoint: &Endpoint, message: &str, history: &History) -> (usize, String, Usage) {
    let (cards, memory, artifact) = (cards(), Memory::default(), Artifact::default());
    let found = Passages::default();
    let prompt = Prompt::new(Fence::new(7)).unwrap();
    let session = SessionKey::new("owner".to_owned()).unwrap();
    let step = Step {
        session: &session,
        taint: Taint::CLEAN,
        soul: SOUL,
        cards: [&cards, &[]],
        memory: &memory,
        notes: None,
        artifact: &artifact,
        history,
        message,
        known: &found,
        so_far: &[],
        repair: None,
    };
    let sections = Sources::built_in().gather(&step, &mut Entered::nothing()).await;
    let turn = TurnParts {
        message,
        cards: [&cards, &[]],
        so_far: &[],
        memory: &memory,
        history: &History::default(),
        typed: &[],
    };
    let mut pieces = 0;
    let mut hear =
        |progress: Progress<'_>| pieces += usize::from(matches!(progress, Progress::Piece(_)));
    let completion =
        endpoint.complete(&Ask::turn(&prompt, &sections, turn), &mut hear).await.unwrap();
    // What a small model writes may ask for nothing that there is; here it only has to come.
    let words =
        Answer::read(&completion, [&cards, &[]], &Shown::default()).map(|answer| answer.words);
    assert!(!completion.text.is_empty() || !completion.calls.is_empty());
    (pieces, words.unwrap_or_default(), completion.usage)
}

#[tokio::test]
#[ignore = "it needs a model server"]
async fn a_message_is_answered_in_every_way_piece_by_piece() {
    let home = TempHome::new();
    for way in [Way::ToolCode, Way::Json, Way::Native] {
        let endpoint = endpoint(&home, way).await;
        let (pieces, _, usage) = say(&endpoint, "How are you today?", &History::default()).await;
        assert!(pieces > 1, "{way:?}: {pieces} pieces");
        assert!(usage.first_token.is_some() && usage.read.is_some(), "{way:?}: {usage:?}");
    }
}

#[tokio::test]
#[ignore = "it needs a model server"]
async fn what_was_read_is_not_read_again_in_the_next_turn() {
    let home = TempHome::new();
    let endpoint = endpoint(&home, Way::Json).await;
    let mut history = History::default();
    let (_, words, _) = say(&endpoint, "What is the capital of France?", &history).await;
    history.add("What is the capital of France?", words);
    let (_, _, usage) = say(&endpoint, "And of Spain?", &history).await;
    let (read, cached) =
        (usage.read.unwrap(), usage.cached.expect("the server counts what it knew"));
    assert!(2 * cached >= read, "{cached} of {read} tokens were known");
}

/// How much longer few words may take after others were stopped; a count to the end takes a hundred times as long.
const MOST: u32 = 4;

/// How many ask at once, at the most, on a server that was not told otherwise: llama.cpp's has four places.
const PLACES: usize = 4;

/// Asks for a long text, and stops once its first words are there.
async fn stop_in_the_middle(endpoint: &Endpoint) {
    let begun = tokio::sync::Notify::new();
    let mut hear = |progress: Progress<'_>| {
        if matches!(progress, Progress::Piece(_)) {
            begun.notify_one();
        }
    };
    let ask =
        Ask::plain("Count from one to five hundred in words, each number on a line of its own.");
    let mut counting = Box::pin(endpoint.complete(&ask, &mut hear)).fuse();
    tokio::select! {
        ended = &mut counting => panic!("it ended before it could be stopped: {ended:?}"),
        () = begun.notified() => {}
    }
}

/// How long an answer of a few tokens takes.
async fn time_of_few_words(endpoint: &Endpoint) -> Duration {
    let begun = Instant::now();
    let ask = Ask::plain("Answer with one word: what is the capital of France?");
    endpoint.complete(&ask, &mut |_| {}).await.unwrap();
    begun.elapsed()
}

#[tokio::test]
#[ignore = "it needs a model server"]
async fn who_is_stopped_leaves_the_server_free() {
    let home = TempHome::new();
    let endpoint = endpoint(&home, Way::ToolCode).await;
    // The first one pays for what a server does once.
    time_of_few_words(&endpoint).await;
    say(&endpoint, "Thanks.", &History::default()).await;
    let before = time_of_few_words(&endpoint).await;
    for _ in 0..PLACES {
        stop_in_the_middle(&endpoint).await;
    }
    // A server that counts on has no place free, or shares what it has among five.
    let after = time_of_few_words(&endpoint).await;
    assert!(after <= MOST * before, "{after:?} after it was stopped, {before:?} before");
}
