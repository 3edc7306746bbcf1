//! Answers that end because they may not be longer, in each server's word for it.

use super::apis::{ALL, ANTHROPIC, Api, GEMINI, OLLAMA, OPENAI};
use super::requests::says;
use super::server::chunked;
use super::*;
use crate::Ended;

/// The end of a stream for that reason, with 2,048 tokens written.
fn end(api: &Api, reason: &str) -> String {
    match api.name {
        "ollama" => format!(
            "{{\"message\":{{\"content\":\"\"}},\"done\":true,\"done_reason\":\"{reason}\",\"eval_count\":2048}}\n"
        ),
        "anthropic" => format!(
            "data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}},\"usage\":{{\"output_tokens\":2048}}}}\n\n"
        ),
        "gemini" => format!(
            "data: {{\"candidates\":[{{\"finishReason\":\"{reason}\"}}],\"usageMetadata\":{{\"candidatesTokenCount\":2048}}}}\n\n"
        ),
        _ => format!(
            "data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}],\"usage\":{{\"completion_tokens\":2048}}}}\n\ndata: [DONE]\n\n"
        ),
    }
}

fn streamed(parts: &[String]) -> Says {
    Says::This(chunked("200 OK", &[parts.concat().as_bytes()], true))
}

async fn ended(api: &Api, reason: &str) -> (Ended, Option<String>) {
    let server = Server::start([streamed(&[api.text("Well"), end(api, reason)])]).await;
    let completion = ask(&endpoint(api, &server), &Ask::plain("hi")).await.1.unwrap();
    assert_eq!(completion.text, "Well");
    (completion.ended.clone(), completion.cut())
}

#[tokio::test]
async fn an_answer_that_is_as_long_as_it_may_be_says_so() {
    for (api, reason) in [
        (OLLAMA, "length"),
        (OPENAI, "length"),
        (ANTHROPIC, "max_tokens"),
        (ANTHROPIC, "model_context_window_exceeded"),
        (GEMINI, "MAX_TOKENS"),
    ] {
        let after = Some("after 2048 tokens".to_owned());
        assert_eq!(ended(&api, reason).await, (Ended::AtLimit, after), "{} {reason}", api.name);
    }
}

#[tokio::test]
async fn an_answer_that_says_the_same_without_end_is_cut_off() {
    for api in ALL {
        let server =
            Server::start([streamed(&vec![api.text("half a cup of flour, "); 4_000])]).await;
        let completion = ask(&endpoint(&api, &server), &Ask::plain("hi")).await.1.unwrap();
        assert_eq!(completion.ended, Ended::Repeating, "{}", api.name);
        assert_eq!(completion.cut().as_deref(), Some("in an endless repetition"));
        assert!(completion.text.len() < 3_000, "{}: {} bytes", api.name, completion.text.len());
    }
}

#[tokio::test]
async fn an_answer_that_ends_otherwise_is_whole() {
    for (api, reason) in
        [(OLLAMA, "stop"), (OPENAI, "stop"), (ANTHROPIC, "end_turn"), (GEMINI, "STOP")]
    {
        assert_eq!(ended(&api, reason).await, (Ended::OfItself, None), "{}", api.name);
    }
    for (api, reason) in [(OPENAI, "tool_calls"), (ANTHROPIC, "tool_use")] {
        let word = Ended::ForTools(reason.to_owned());
        assert_eq!(ended(&api, reason).await, (word, None), "{}", api.name);
    }
    for (api, reason) in
        [(OPENAI, "content_filter"), (ANTHROPIC, "refusal"), (GEMINI, "RECITATION")]
    {
        let (ended, cut) =
            (Ended::ByServer(reason.to_owned()), format!("by its server ({reason})"));
        assert_eq!(self::ended(&api, reason).await, (ended, Some(cut)), "{}", api.name);
    }
    for api in ALL {
        let server = Server::start([streamed(&[api.text("Well"), api.done()])]).await;
        let completion = ask(&endpoint(&api, &server), &Ask::plain("hi")).await.1.unwrap();
        assert_eq!(completion.cut(), None, "{}", api.name);
    }
}

/// What Ollama says of a model with these abilities.
fn shown(abilities: &str) -> String {
    format!(
        r#"{{"model_info":{{"x.context_length":32768}},"capabilities":["completion"{abilities}]}}"#
    )
}

/// How many tokens an answer might have, by what was posted at last.
fn most(server: &Server) -> u64 {
    let bodies = server.bodies();
    let body = bodies.last().unwrap();
    let [ollama, other] = [&body["options"]["num_predict"], &body["max_tokens"]];
    ollama.as_u64().or(other.as_u64()).unwrap()
}

#[tokio::test]
async fn a_model_that_thinks_by_ollamas_word_has_room_for_it() {
    for (abilities, expected) in [("", 2_048), (",\"thinking\"", 8_192 - 1_125 - 200)] {
        let server =
            Server::described([says(&OLLAMA, "Hi")], &[("/api/show", shown(abilities))]).await;
        // 3,000 bytes are 1,000 tokens, and an eighth more to be sure.
        ask(&endpoint(&OLLAMA, &server), &Ask::plain(&"x".repeat(3_000))).await.1.unwrap();
        assert_eq!(most(&server), expected);
    }
}

#[tokio::test]
async fn a_model_that_was_seen_to_think_has_room_for_it_from_then_on() {
    for thoughts in [OPENAI.thought("hm"), OPENAI.text("<think>hm</think>")] {
        let first = streamed(&[thoughts, OPENAI.text("Hi"), OPENAI.done()]);
        let server = Server::start([first, says(&OPENAI, "Hi")]).await;
        let endpoint = endpoint(&OPENAI, &server);
        ask(&endpoint, &Ask::plain("hi")).await.1.unwrap();
        assert_eq!(most(&server), 2_048);
        ask(&endpoint, &Ask::plain("hi")).await.1.unwrap();
        assert_eq!(most(&server), 8_192 - 1 - 200);
    }
}

#[tokio::test]
async fn where_the_room_for_thoughts_is_fixed_nothing_is_asked_twice() {
    let only = streamed(&[GEMINI.thought("hm"), end(&GEMINI, "MAX_TOKENS")]);
    let server = Server::start([only, says(&GEMINI, "Hi")]).await;
    let error = ask(&endpoint(&GEMINI, &server), &Ask::plain("hi")).await.1.unwrap_err();
    assert!(error.to_string().contains("tokens on thoughts and said nothing"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn thoughts_that_use_up_everything_are_given_room_once_and_then_told() {
    for (api, reason) in [(OLLAMA, "length"), (OPENAI, "length"), (ANTHROPIC, "max_tokens")] {
        let only = || streamed(&[api.thought("hm"), end(&api, reason)]);
        let server = Server::start([only(), says(&api, "Hi"), only()]).await;
        let endpoint = endpoint(&api, &server);
        let (told, result) = ask(&endpoint, &Ask::plain("hi")).await;
        assert_eq!((result.unwrap().text.as_str(), told.notices.len()), ("Hi", 0), "{}", api.name);
        let error = ask(&endpoint, &Ask::plain("hi")).await.1.unwrap_err();
        assert!(!error.may_pass());
        let set = if api.name == "ollama" { "set a larger llm.window, " } else { "" };
        assert_eq!(
            error.to_string().replace(&server.address, "HOST"),
            format!(
                "m at HOST used up its 2048 tokens on thoughts and said nothing; ask for less at once, {set}or \
                 take a model that thinks less with `/model`"
            )
        );
        assert_eq!(server.requests().len(), 3);
    }
}
