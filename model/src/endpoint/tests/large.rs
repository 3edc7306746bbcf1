//! Messages that are larger than the window: it grows where it can, and nobody reads half of a message.

use conversation::workspace::{Memory, OWNER};
use prompt::Rendered;
use protocol::SessionKey;
use serde_json::json;

use super::apis::{ALL, OLLAMA, OPENAI};
use super::learning::refuses;
use super::requests::says;
use super::*;
use crate::{Chain, Fit, Hearer, Link, TurnParts};

/// How long the rules are in the prompts here, in bytes.
const RULES: usize = 2_000;

/// Asks about `message`, with rules before it.
async fn about(model: &dyn Model, message: &str) -> (Told, Result<Completion, ModelError>) {
    let memory = Memory::default();
    let write = |_: Fit<'_>| Rendered {
        text: format!("{}\n{message}", "r".repeat(RULES)),
        stable: RULES,
        ..Rendered::default()
    };
    let turn = TurnParts {
        message,
        cards: [&[], &[]],
        so_far: &[],
        memory: &memory,
        history: crate::testing::no_history(),
        typed: &[],
    };
    let hearer = Hearer::of(&SessionKey::new(OWNER).unwrap());
    ask(model, &Ask::written(&write, turn).heard_by(&hearer)).await
}

fn paste() -> String {
    "a line of the log\n".repeat(200_000 / 18)
}

fn show(limit: u64) -> [(&'static str, String); 1] {
    [("/api/show", json!({"model_info": {"llama.context_length": limit}}).to_string())]
}

#[tokio::test]
async fn a_message_without_room_is_sent_to_nobody_and_the_next_one_is_answered() {
    for api in ALL.into_iter().filter(|api| matches!(api.name, "ollama" | "openai")) {
        let server = Server::start([says(&api, "{}")]).await;
        let endpoint = endpoint(&api, &server);
        let error = about(&endpoint, &paste()).await.1.unwrap_err();
        let words = error.to_string().replace(&server.address, "HOST");
        insta::allow_duplicates! {
            insta::assert_snapshot!(words, @"the message is too long: about 66666 tokens, and m at HOST has room for about 4862 in its window of 8192; say it in parts, or put it into a file in the workspace's output/ and ask for a summary of that");
        }
        assert!(!error.may_pass() && server.bodies().is_empty());
        about(&endpoint, "hello").await.1.unwrap();
    }
}

#[tokio::test]
async fn ollamas_window_grows_for_a_message_within_what_the_model_and_the_owner_allow() {
    for (limit, wish, asked) in [
        (131_072, None, Some(131_072)),
        (1 << 20, None, Some(131_072)),
        (65_536, None, None),
        (131_072, Some(131_072), Some(131_072)),
        (131_072, Some(65_536), None),
    ] {
        let server = Server::described([says(&OLLAMA, "{}")], &show(limit)).await;
        let endpoint = endpoint(&OLLAMA, &server).with_window(wish);
        let ended = about(&endpoint, &paste()).await.1;
        let window = server.bodies().first().map(|body| body["options"]["num_ctx"].clone());
        assert_eq!(window, asked.map(|asked| json!(asked)), "{limit} {wish:?}");
        let is_too_long = matches!(ended, Err(ModelError::TooLong { .. }));
        assert_eq!(is_too_long, asked.is_none(), "{limit} {wish:?}: {ended:?}");
    }
}

#[tokio::test]
async fn what_the_server_refuses_is_measured_anew() {
    let no = refuses("400 Bad Request", "This model's maximum context length is 2048 tokens.");
    let server = Server::start([no]).await;
    let error = about(&endpoint(&OPENAI, &server), &"x".repeat(10_000)).await.1.unwrap_err();
    assert!(matches!(error, ModelError::TooLong { window: 2_048, .. }), "{error}");
}

#[tokio::test]
async fn a_short_message_is_sent_whatever_else_there_is() {
    let server = Server::described([says(&OLLAMA, "{}")], &show(600)).await;
    about(&endpoint(&OLLAMA, &server), "hello").await.1.unwrap();
}

#[tokio::test]
async fn a_larger_model_of_the_chain_reads_what_the_first_has_no_room_for() {
    let small = Server::start([says(&OLLAMA, "{}")]).await;
    let large = Server::described([says(&OLLAMA, "{}")], &show(1 << 18)).await;
    let links = [&small, &large].map(|server| {
        let model: Arc<dyn Model> = Arc::new(endpoint(&OLLAMA, server));
        Arc::new(Link::new(model))
    });
    let chain = Chain::new(links.to_vec());
    let (told, ended) = about(&chain, &paste()).await;
    ended.unwrap();
    assert!(told.notices[0].starts_with("the message is too long: about "), "{told:?}");
    assert!(told.notices[0].contains("; asking m at "), "{told:?}");
    let (told, ended) = about(&chain, "hello").await;
    ended.unwrap();
    assert!(told.notices[0].ends_with(" answers again"), "{told:?}");
    assert_eq!((small.bodies().len(), large.bodies().len()), (1, 1));
}
