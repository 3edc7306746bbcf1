//! The models that servers list.

use super::apis::{ANTHROPIC, GEMINI, OLLAMA, OPENAI};
use super::*;

fn listed(name: &str, window: Option<u64>) -> Listed {
    Listed { name: name.to_owned(), window, ..Listed::default() }
}

#[tokio::test]
async fn the_models_are_listed_by_name() {
    let ollama = r#"{"models":[{"name":"qwen3:4b","modified_at":"2026-01-01T00:00:00Z","size":1},{"name":"llama3.1:8b"}]}"#;
    let vllm = r#"{"object":"list","data":[{"id":"qwen","object":"model","max_model_len":32768},{"id":"gpt"}]}"#;
    let anthropic = r#"{"data":[{"type":"model","id":"claude-b","display_name":"B"},{"id":"claude-a","max_input_tokens":200000}],"has_more":false}"#;
    let gemini = r#"{"models":[
        {"name":"models/gemini-2.5-flash","inputTokenLimit":1048576,"supportedGenerationMethods":["generateContent"]},
        {"name":"models/embedding-001","inputTokenLimit":2048,"supportedGenerationMethods":["embedContent"]}]}"#;
    let cases = [
        (OLLAMA, "/api/tags", ollama, vec![listed("llama3.1:8b", None), listed("qwen3:4b", None)]),
        (OPENAI, "/v1/models", vllm, vec![listed("gpt", None), listed("qwen", Some(32_768))]),
        (
            ANTHROPIC,
            "/v1/models?limit=1000",
            anthropic,
            vec![listed("claude-a", Some(200_000)), listed("claude-b", None)],
        ),
        (
            GEMINI,
            "/v1beta/models?pageSize=1000",
            gemini,
            vec![listed("gemini-2.5-flash", Some(1_048_576))],
        ),
    ];
    for (api, path, body, expected) in cases {
        let server = Server::described([], &[(path, body.to_owned())]).await;
        assert_eq!(endpoint(&api, &server).models().await, Ok(expected), "{}", api.name);
        for (wrong, words) in [("<html>", "\"<html>\""), ("{}", "\"{}\""), ("[1]", "\"[1]\"")] {
            let server = Server::described([], &[(path, wrong.to_owned())]).await;
            let error = endpoint(&api, &server).models().await.unwrap_err().to_string();
            let expected = format!("is not what {} sends ({words})", api.expected);
            assert!(error.contains(&expected), "{error}");
        }
        let server = Server::start([]).await;
        let error = endpoint(&api, &server).models().await.unwrap_err().to_string();
        assert!(error.contains("answered 404: {}; ask another"), "{error}");
    }
}

#[tokio::test]
async fn a_sole_model_tells_its_size_under_any_name() {
    let model = |name: &str| format!(r#"{{"id":"{name}","meta":{{"n_params":494000000}}}}"#);
    let (one, other) = (model("/models/x.gguf"), model("/models/y.gguf"));
    for (list, is_small) in [(one.clone(), true), (format!("{one},{other}"), false)] {
        let body = format!(r#"{{"data":[{list}]}}"#);
        let server = Server::described([], &[("/v1/models", body)]).await;
        let endpoint = endpoint(&OPENAI, &server);
        endpoint.describe().await;
        assert_eq!(endpoint.memo.is_small(), is_small, "{list}");
    }
}
