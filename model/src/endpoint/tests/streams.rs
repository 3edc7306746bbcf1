//! The streams that the pages of each API show.

use serde_json::{Value, json};

use super::apis::{ALL, ANTHROPIC, Api, GEMINI, OLLAMA, OPENAI};
use super::server::chunked;
use super::*;
use crate::Call;

/// What is made of a stream, given in chunks of a size that fits no frame.
async fn completion(api: &Api, stream: &str) -> Completion {
    let chunks: Vec<&[u8]> = stream.as_bytes().chunks(37).collect();
    let server = Server::start([Says::This(chunked("200 OK", &chunks, true))]).await;
    let completion = ask(&endpoint(api, &server), &Ask::plain("hi")).await.1.unwrap();
    assert!(completion.usage.first_token.is_some());
    assert_eq!(completion.usage.by, format!("m at {}", server.address));
    completion
}

fn calls(calls: &[(&str, &str)]) -> Vec<Call> {
    let call =
        |(name, params): &(&str, &str)| Call { name: (*name).into(), params: (*params).into() };
    calls.iter().map(call).collect()
}

fn counts(usage: &Usage) -> [Option<u64>; 3] {
    [usage.read, usage.cached, usage.written]
}

#[tokio::test]
async fn what_it_took_is_counted_alike() {
    for api in ALL {
        let stream = [api.text("Hi"), api.done()].concat();
        let usage = completion(&api, &stream).await.usage;
        let cached = Some(900).filter(|_| api.name != "ollama");
        assert_eq!(counts(&usage), [Some(1_000), cached, Some(7)], "{}", api.name);
    }
}

#[tokio::test]
async fn ollamas_stream() {
    let stream = r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}
{"model":"m","message":{"role":"assistant","content":"Here."},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"A","arguments":{"x":1}}},{"function":{"name":"B","arguments":{}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"A","arguments":{"x":2}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"total_duration":4883583458,"load_duration":1334875,"prompt_eval_count":26,"prompt_eval_duration":342546000,"eval_count":282,"eval_duration":4535599000}
"#;
    let completion = completion(&OLLAMA, stream).await;
    assert_eq!(completion.text, "Here.");
    assert_eq!(completion.calls, calls(&[("A", "{\"x\":1}"), ("B", "{}"), ("A", "{\"x\":2}")]));
    assert_eq!(counts(&completion.usage), [Some(26), None, Some(282)]);
    assert_eq!(completion.usage.window, Some(8_192));
}

#[tokio::test]
async fn openais_stream() {
    let stream = r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"Here."},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"A","arguments":""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"B","arguments":"{}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":null}

data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":16,"audio_tokens":0}}}

data: [DONE]

"#;
    let completion = completion(&OPENAI, stream).await;
    assert_eq!(completion.text, "Here.");
    assert_eq!(completion.calls, calls(&[("A", "{\"x\":1}"), ("B", "{}")]));
    assert_eq!(counts(&completion.usage), [Some(19), Some(16), Some(10)]);
}

#[tokio::test]
async fn llama_cpps_stream_and_one_that_is_none() {
    let stream = r#"data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":"Hm."}}]}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":"Hi"}}]}

data: {"choices":[{"finish_reason":"stop","index":0,"delta":{}}]}

data: {"choices":[],"usage":{"completion_tokens":2,"prompt_tokens":30,"total_tokens":32},"timings":{"cache_n":25,"prompt_n":5,"predicted_n":2}}

data: [DONE]

"#;
    let streamed = completion(&OPENAI, stream).await;
    assert_eq!(
        (streamed.text.as_str(), counts(&streamed.usage)),
        ("Hi", [Some(30), Some(25), Some(2)])
    );
    let whole = r#"{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}"#;
    assert_eq!(completion(&OPENAI, whole).await.text, "Hi");
}

#[tokio::test]
async fn anthropics_stream() {
    let stream = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":0,"cache_read_input_tokens":2000,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Here."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"A","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" 1}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_2","name":"B","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

"#;
    let completion = completion(&ANTHROPIC, stream).await;
    assert_eq!(completion.text, "Here.");
    assert_eq!(completion.calls, calls(&[("A", "{\"x\": 1}"), ("B", "")]));
    assert_eq!(counts(&completion.usage), [Some(2_025), Some(2_000), Some(89)]);
    assert_eq!(completion.usage.window, Some(8_192), "a server on this machine");
}

#[tokio::test]
async fn geminis_stream() {
    let stream = "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"**Hm**\",\"thought\": true}],\"role\": \"model\"},\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 68,\"totalTokenCount\": 80,\"thoughtsTokenCount\": 12},\"modelVersion\": \"gemini-2.5-flash\"}\r\n\r\n\
        data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Here.\"},{\"functionCall\": {\"name\": \"A\",\"args\": {\"x\": 1}},\"thoughtSignature\": \"EjQ\"}],\"role\": \"model\"},\"index\": 0}]}\r\n\r\n\
        data: {\"candidates\": [{\"content\": {\"parts\": [{\"functionCall\": {\"name\": \"B\"}}],\"role\": \"model\"},\"finishReason\": \"STOP\",\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 68,\"cachedContentTokenCount\": 60,\"candidatesTokenCount\": 20,\"totalTokenCount\": 100}}\r\n\r\n";
    let completion = completion(&GEMINI, stream).await;
    assert_eq!(completion.text, "Here.");
    assert_eq!(completion.calls, calls(&[("A", "{\"x\":1}"), ("B", "")]));
    assert_eq!(counts(&completion.usage), [Some(68), Some(60), Some(20)]);
}

#[tokio::test]
async fn an_answer_that_ends_before_its_first_word_is_no_answer() {
    for (api, stream, words) in [
        (
            OPENAI,
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n",
            "content_filter",
        ),
        (
            ANTHROPIC,
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n",
            "refusal",
        ),
        (GEMINI, "data: {\"candidates\":[{\"finishReason\":\"RECITATION\"}]}\n\n", "RECITATION"),
        (GEMINI, "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n", "(SAFETY)"),
    ] {
        let error = error(&api, chunked("200 OK", &[stream.as_bytes()], true)).await;
        assert!(error.contains("does not answer this") && error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn calls_without_an_end_are_stopped() {
    let ollama = "{\"message\":{\"tool_calls\":[{\"function\":{}}]}}\n";
    let openai = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"X\"}}]}}]}\n\n";
    let openai = openai.replace('X', &"x".repeat(10_000));
    for (api, frame) in [(OLLAMA, ollama), (OPENAI, openai.as_str())] {
        let error = error(&api, chunked("200 OK", &[frame.repeat(300).as_bytes()], true)).await;
        assert!(error.contains("was stopped after 1048576 bytes"), "{error}");
    }
}

/// Every value that `frame` becomes when one part of it, or each of its numbers, is something else.
fn spoilt(frame: &Value) -> Vec<Value> {
    let most = Value::from(u64::MAX);
    let others =
        [json!(null), json!(true), json!(-1), most.clone(), json!("ü"), json!([]), json!({})];
    let mut all = others.to_vec();
    let mut in_place = |at: &dyn Fn(&mut Value) -> &mut Value, part: &Value| {
        for other in spoilt(part) {
            let mut whole = frame.clone();
            *at(&mut whole) = other;
            all.push(whole);
        }
    };
    for (name, part) in frame.as_object().into_iter().flatten() {
        in_place(&|whole| &mut whole[name], part);
    }
    for (place, part) in frame.as_array().into_iter().flatten().enumerate() {
        in_place(&|whole| &mut whole[place], part);
    }
    all.push(serde_json::from_str(&numbers(&frame.to_string(), &most.to_string())).unwrap());
    all
}

/// The JSON with `most` for each number.
fn numbers(json: &str, most: &str) -> String {
    let number = regex::Regex::new(r"([:\[,])\d+").unwrap();
    number.replace_all(json, format!("${{1}}{most}")).into_owned()
}

#[test]
fn whatever_a_server_says_is_read_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    for api in ALL {
        let known = Arc::new(Endpoints::at(folder.path()));
        let endpoint = Endpoint::new(&api.target("127.0.0.1:1"), &keys(), known).unwrap();
        let call = json!({"message": {"tool_calls": [{"function": {"name": "A", "arguments": {}}}]},
            "choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "A"}}]}}],
            "candidates": [{"content": {"parts": [{"functionCall": {"name": "A", "args": {}}}]}}]});
        let error =
            json!([{"error": {"message": "x", "details": [{"reason": "x", "retryDelay": "1s"}]}}]);
        for frame in api.frames().iter().chain([&call, &error]).flat_map(spoilt) {
            endpoint.server.try_frame(&frame);
        }
    }
}
