//! Answers that end because they may not be longer, in each server's word for it.

use super::apis::{ALL, ANTHROPIC, Api, GEMINI, OLLAMA, OPENAI};
use super::server::chunked;
use super::*;
use crate::model::Ended;

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
async fn an_answer_that_ends_otherwise_is_whole() {
    for (api, reason) in
        [(OLLAMA, "stop"), (OPENAI, "stop"), (ANTHROPIC, "end_turn"), (GEMINI, "STOP")]
    {
        assert_eq!(ended(&api, reason).await, (Ended::OfItself, None), "{}", api.name);
    }
    for (api, reason) in [(OPENAI, "tool_calls"), (ANTHROPIC, "tool_use")] {
        let word = Ended::Otherwise(reason.to_owned());
        assert_eq!(ended(&api, reason).await, (word, None), "{}", api.name);
    }
    for api in ALL {
        let server = Server::start([streamed(&[api.text("Well"), api.done()])]).await;
        let completion = ask(&endpoint(&api, &server), &Ask::plain("hi")).await.1.unwrap();
        assert_eq!(completion.cut(), None, "{}", api.name);
    }
}
