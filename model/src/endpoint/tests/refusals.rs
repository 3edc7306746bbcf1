//! What servers say instead of an answer, in their own words.

use std::time::Duration;

use super::apis::{ALL, ANTHROPIC, Api, GEMINI, OLLAMA, OPENAI};
use super::server::chunked;
use super::*;

/// The error for a status and a body.
async fn refused(api: &Api, status: &str, body: &str) -> ModelError {
    let server = Server::start([Says::This(chunked(status, &[body.as_bytes()], true))]).await;
    ask(&endpoint(api, &server), &Ask::plain("hi")).await.1.unwrap_err()
}

#[tokio::test]
async fn a_prompt_that_is_too_long_in_the_words_of_each() {
    for (api, status, body) in [
        (OLLAMA, "400", r#"{"error":"the input length exceeds the context length"}"#),
        (
            OLLAMA,
            "400",
            r#"{"error":{"code":400,"message":"request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
        ),
        (
            OPENAI,
            "400",
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        ),
        (
            OPENAI,
            "400",
            r#"{"error":{"code":400,"message":"request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9412,"n_ctx":8192}}"#,
        ),
        (
            OPENAI,
            "400",
            r#"{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 2500 tokens (2000 in the messages, 500 in the completion).","type":"BadRequestError","param":null,"code":400}"#,
        ),
        (OPENAI, "413", r#"{"error":"Payload too large"}"#),
        (
            ANTHROPIC,
            "400",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        ),
        (
            ANTHROPIC,
            "413",
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        ),
        (
            GEMINI,
            "400",
            r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
        ),
        (
            GEMINI,
            "400",
            r#"[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed 1048576.","status":"INVALID_ARGUMENT"}}]"#,
        ),
    ] {
        let error = refused(&api, &format!("{status} Bad Request"), body).await;
        assert!(matches!(error, ModelError::Overrun { .. }), "{body}: {error}");
    }
}

#[tokio::test]
async fn an_overrun_before_the_first_token_of_a_stream_is_one_too() {
    let frame = "data: {\"error\":{\"code\":400,\"message\":\"request (9 tokens) exceeds the available context \
                 size (8 tokens)\",\"type\":\"exceed_context_size_error\",\"n_ctx\":8}}\n\n";
    let error = refused(&OPENAI, "200 OK", frame).await;
    assert!(matches!(error, ModelError::Overrun { .. }), "{error}");
    let begun = format!("{}{frame}", OPENAI.text("Well"));
    let error = refused(&OPENAI, "200 OK", &begun).await;
    assert!(matches!(error, ModelError::Server { .. }), "{error}");
}

#[tokio::test]
async fn a_model_that_is_not_there_in_the_words_of_each() {
    let other = "choose one that it has with `safeclaw agent config llm`";
    for (api, status, body, mend) in [
        (
            OLLAMA,
            "404 Not Found",
            r#"{"error":"model 'm' not found"}"#,
            "fetch it with `ollama pull m`",
        ),
        (
            OPENAI,
            "404 Not Found",
            r#"{"error":{"message":"The model `m` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
            other,
        ),
        (
            OPENAI,
            "404 Not Found",
            r#"{"object":"error","message":"The model `m` does not exist.","type":"NotFoundError","param":null,"code":404}"#,
            other,
        ),
        (
            OPENAI,
            "400 Bad Request",
            r#"{"error":{"message":"m is not a valid model ID","code":400}}"#,
            other,
        ),
        (
            ANTHROPIC,
            "404 Not Found",
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#,
            other,
        ),
        (
            GEMINI,
            "404 Not Found",
            r#"{"error":{"code":404,"message":"models/m is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models.","status":"NOT_FOUND"}}"#,
            other,
        ),
    ] {
        let error = refused(&api, status, body).await.to_string();
        assert!(error.ends_with(&format!(" does not have the model m; {mend}")), "{error}");
    }
    for api in ALL {
        let error = refused(&api, "404 Not Found", "").await.to_string();
        assert!(error.contains("answered 404: no reason; ask another"), "{error}");
    }
}

#[tokio::test]
async fn a_key_that_is_wrong_is_told_by_its_variable() {
    let cases = [
        (
            OPENAI,
            r#"{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            "OPENAI_API_KEY",
        ),
        (
            ANTHROPIC,
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
            "ANTHROPIC_API_KEY",
        ),
        (
            GEMINI,
            r#"{"error":{"code":403,"message":"Permission denied","status":"PERMISSION_DENIED"}}"#,
            "GOOGLE_API_KEY",
        ),
    ];
    for (api, body, variable) in cases {
        for status in ["401 Unauthorized", "403 Forbidden"] {
            let error = refused(&api, status, body).await.to_string();
            let mend = format!("; put the right one into {variable}, in .env or the environment");
            assert!(error.contains(" refuses the key (40") && error.ends_with(&mend), "{error}");
        }
    }
    let gemini = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#;
    let error = refused(&GEMINI, "400 Bad Request", gemini).await.to_string();
    assert!(error.contains("refuses the key (400)"), "{error}");
}

#[tokio::test]
async fn servers_that_are_busy_say_when_to_come_again() {
    let date = |seconds| {
        httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(seconds))
    };
    for api in ALL {
        for status in ["429 Too Many Requests", "503 Service Unavailable", "529 Overloaded"] {
            let body = r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#;
            let waits = async |wait: &str| {
                let status = format!("{status}\r\nretry-after: {wait}");
                let error = refused(&api, &status, body).await;
                assert!(matches!(error, ModelError::Busy { .. }), "{error}");
                assert!(error.to_string().contains(": Overloaded)"), "{error}");
                error.retry_after()
            };
            assert_eq!(waits("17").await, Some(Duration::from_secs(17)));
            let wait = waits(&date(3_600)).await.unwrap();
            // A date has no parts of a second, and the test takes a moment.
            assert!((3_500..=3_600).contains(&wait.as_secs()), "{wait:?}");
            assert_eq!(waits("Wed, 21 Oct 2015 07:28:00 GMT").await, Some(Duration::ZERO));
            assert_eq!(waits("soon").await, None);
        }
    }
}

#[tokio::test]
async fn other_failures_are_told_in_the_servers_words() {
    for api in ALL {
        let body = r#"{"error":{"message":"model requires more system memory"}}"#;
        let what = refused(&api, "500 Internal Server Error", body).await.what();
        assert!(what.ends_with("answered 500: model requires more system memory"), "{what}");
        let what = refused(&api, "500 Internal Server Error", "no disk; none").await.what();
        assert!(what.ends_with("answered 500: no disk; none"), "{what}");
    }
}

#[tokio::test]
async fn gemini_says_in_the_body_when_to_come_again() {
    let body = r#"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36.5s"}]}}"#;
    let error = refused(&GEMINI, "429 Too Many Requests", body).await;
    assert_eq!(error.retry_after(), Some(Duration::from_millis(36_500)));
}
