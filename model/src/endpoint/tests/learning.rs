//! What endpoints find out of their servers, and that they remember it.

use std::path::Path;

use prompt::Rendered;

use super::apis::{ALL, ANTHROPIC, Api, GEMINI, OLLAMA, OPENAI};
use super::requests::{ask_turn, says, written};
use super::server::chunked;
use super::*;
use crate::Fit;

/// An endpoint that keeps what it learns in `folder`.
pub(super) fn remembering(api: &Api, server: &Server, folder: &Path) -> Endpoint {
    let known = Arc::new(Endpoints::at(folder));
    Endpoint::new(&api.target(&server.address), &keys(), known).unwrap()
}

pub(super) fn refuses(status: &str, words: &str) -> Says {
    let body = serde_json::json!({"error": {"message": words}}).to_string();
    Says::This(chunked(status, &[body.as_bytes()], true))
}

/// The way in which a request asks.
fn way(body: &serde_json::Value) -> Way {
    let body = body.to_string();
    match (body.contains("\"tools\""), body.contains("\"thought\"")) {
        (true, _) => Way::Native,
        (_, true) => Way::Json,
        _ => Way::ToolCode,
    }
}

pub(super) fn ways(server: &Server) -> Vec<Way> {
    server.bodies().iter().map(way).collect()
}

/// As long as it may be, but not longer than `most`.
pub(super) fn as_long(most: usize) -> impl Fn(Fit<'_>) -> Rendered + Sync {
    move |fit: Fit<'_>| Rendered { text: "x".repeat(fit.bytes.min(most)), ..Rendered::default() }
}

#[tokio::test]
async fn each_is_asked_in_its_own_way_first() {
    for (api, expected) in
        [(OLLAMA, Way::Json), (OPENAI, Way::Json), (ANTHROPIC, Way::Native), (GEMINI, Way::Native)]
    {
        let server = Server::start([says(&api, "{}")]).await;
        ask_turn(&endpoint(&api, &server), &written).await.unwrap();
        assert_eq!(ways(&server), [expected], "{}", api.name);
    }
    let own = Endpoint::new(
        &"openai:gpt".parse().unwrap(),
        &keys(),
        Arc::new(Endpoints::at(tempfile::tempdir().unwrap().path())),
    );
    assert_eq!(own.unwrap().memo.way(), Way::Native);
}

#[tokio::test]
async fn a_way_that_is_refused_is_left_for_the_next_and_that_is_remembered() {
    for (status, words) in [
        ("400 Bad Request", "failed to parse grammar"),
        ("422 Unprocessable Entity", "extra inputs are not permitted"),
        ("501 Not Implemented", "This server does not do that"),
        ("500 Internal Server Error", "tools param requires --jinja flag"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let no = || refuses(status, words);
        let server = Server::start([
            no(),
            no(),
            says(&OPENAI, "Hi"),
            says(&OPENAI, "Hi"),
            says(&OPENAI, "Hi"),
        ]);
        let server = server.await;
        let endpoint = remembering(&OPENAI, &server, folder.path());
        ask_turn(&endpoint, &written).await.unwrap();
        ask_turn(&endpoint, &written).await.unwrap();
        // The agent was started again.
        ask_turn(&remembering(&OPENAI, &server, folder.path()), &written).await.unwrap();
        let free = Way::ToolCode;
        assert_eq!(ways(&server), [Way::Json, Way::Native, free, free, free], "{words}");
    }
}

#[tokio::test]
async fn a_way_that_is_set_is_kept_and_other_refusals_change_nothing() {
    let server = Server::start([refuses("400 Bad Request", "no grammar")]).await;
    let endpoint = endpoint(&OPENAI, &server).with_way(Some(Way::Json));
    assert!(ask_turn(&endpoint, &written).await.unwrap_err().to_string().contains("no grammar"));

    for (status, words) in [
        ("401 Unauthorized", "who are you"),
        ("404 Not Found", "no such model"),
        ("429 Too Many Requests", "tools are overloaded"),
        ("500 Internal Server Error", "out of memory"),
    ] {
        for api in ALL {
            let server = Server::start([refuses(status, words), says(&api, "{}")]).await;
            let endpoint = super::endpoint(&api, &server);
            ask_turn(&endpoint, &written).await.unwrap_err();
            ask_turn(&endpoint, &written).await.unwrap();
            let [first, second] = ways(&server)[..] else { panic!("{words}") };
            assert_eq!(first, second, "{words}");
        }
    }
}

#[tokio::test]
async fn a_server_that_ignores_the_schema_is_no_longer_asked_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let answers = ["{\"message\": \"Hi\"}", "Hi", "```json\n{}\n```", "Hi", "Hi", "Hi"];
    let server = Server::start(answers.map(|text| says(&OLLAMA, text))).await;
    let endpoint = remembering(&OLLAMA, &server, folder.path());
    for _ in answers {
        ask_turn(&endpoint, &written).await.unwrap();
    }
    let mut expected = vec![Way::Json; 5];
    expected.push(Way::ToolCode);
    assert_eq!(ways(&server), expected);
}

#[tokio::test]
async fn a_temperature_that_is_not_taken_is_left_out() {
    let words = "Unsupported value: 'temperature' does not support 0 with this model.";
    for api in ALL {
        let no = refuses("400 Bad Request", words);
        let server = Server::start([no, says(&api, "{}"), says(&api, "{}")]).await;
        let endpoint = endpoint(&api, &server);
        ask_turn(&endpoint, &written).await.unwrap();
        ask_turn(&endpoint, &written).await.unwrap();
        let has: Vec<bool> =
            server.bodies().iter().map(|body| body.to_string().contains("temperature")).collect();
        assert_eq!(has, [true, false, false], "{}", api.name);
        assert_eq!(ways(&server)[0], ways(&server)[1], "{}", api.name);
    }
}

#[tokio::test]
async fn the_window_is_the_one_that_the_server_tells_of() {
    let show =
        |limit: u64| serde_json::json!({"model_info": {"llama.context_length": limit}}).to_string();
    let props = r#"{"default_generation_settings":{"n_ctx":4096}}"#.to_owned();
    let list = r#"{"data":[{"id":"other","max_model_len":1},{"id":"m","max_model_len":16384}]}"#
        .to_owned();
    let gemini = r#"{"name":"models/m","inputTokenLimit":1048576}"#.to_owned();
    for (api, description, expected) in [
        (OLLAMA, ("/api/show", show(131_072)), 8_192),
        (OLLAMA, ("/api/show", show(2_048)), 2_048),
        (OLLAMA, ("/nowhere", String::new()), 8_192),
        (OPENAI, ("/props", props), 4_096),
        (OPENAI, ("/v1/models", list), 16_384),
        (OPENAI, ("/nowhere", String::new()), 8_192),
        (GEMINI, ("/v1beta/models/m", gemini), 1_048_576),
    ] {
        let server = Server::described([says(&api, "{}")], &[description]).await;
        let completion = ask_turn(&endpoint(&api, &server), &written).await.unwrap();
        assert_eq!(completion.usage.window, Some(expected), "{}", api.name);
        if api.name == "ollama" {
            assert_eq!(server.bodies()[0]["options"]["num_ctx"], expected);
        }
    }
}

#[tokio::test]
async fn the_owners_wish_holds_within_what_the_model_can() {
    let show = serde_json::json!({"model_info": {"llama.context_length": 32_768}}).to_string();
    for (wish, expected) in [(4_096, 4_096), (16_384, 16_384), (1 << 40, 32_768)] {
        let description = [("/api/show", show.clone())];
        let server = Server::described([says(&OLLAMA, "{}")], &description).await;
        let endpoint = endpoint(&OLLAMA, &server).with_window(Some(wish));
        ask_turn(&endpoint, &written).await.unwrap();
        assert_eq!(server.bodies()[0]["options"]["num_ctx"], expected);
    }
}

#[tokio::test]
async fn ollamas_window_doubles_for_what_can_not_be_shorter_and_stays() {
    let show = serde_json::json!({"model_info": {"llama.context_length": 131_072}}).to_string();
    let answers = [says(&OLLAMA, "{}"), says(&OLLAMA, "{}"), says(&OLLAMA, "{}")];
    let server = Server::described(answers, &[("/api/show", show)]).await;
    let endpoint = endpoint(&OLLAMA, &server);
    // What can be cut does not let it grow.
    ask_turn(&endpoint, &as_long(usize::MAX)).await.unwrap();
    ask(&endpoint, &Ask::plain(&"x".repeat(60_000))).await.1.unwrap();
    ask_turn(&endpoint, &written).await.unwrap();
    let windows: Vec<_> =
        server.bodies().iter().map(|body| body["options"]["num_ctx"].clone()).collect();
    assert_eq!(windows, [8_192, 32_768, 32_768]);
}

#[tokio::test]
async fn a_window_for_which_ollama_has_no_memory_is_taken_back() {
    let show = serde_json::json!({"model_info": {"llama.context_length": 131_072}}).to_string();
    let full = "model requires more system memory (5.6 GiB) than is available (4.1 GiB)";
    // What can't be cut, in bytes, and the windows that are asked for; the largest has no room.
    for (needed, expected) in [
        (vec![60_000], vec![32_768, 8_192]),
        (vec![3_000, 60_000, 3_000, 60_000], vec![8_192, 32_768, 8_192, 8_192, 8_192]),
        (vec![30_000, 60_000, 30_000, 60_000], vec![16_384, 32_768, 16_384, 16_384, 16_384]),
    ] {
        let answer = |window: &u64| match window {
            32_768.. => refuses("500 Internal Server Error", full),
            _ => says(&OLLAMA, "{}"),
        };
        let script: Vec<Says> = expected.iter().map(answer).collect();
        let server = Server::described(script, &[("/api/show", show.clone())]).await;
        let endpoint = endpoint(&OLLAMA, &server);
        for bytes in needed {
            let text = "x".repeat(bytes);
            let write = |_: Fit<'_>| Rendered { text: text.clone(), ..Rendered::default() };
            ask_turn(&endpoint, &write).await.unwrap();
        }
        let bodies = server.bodies();
        let windows: Vec<_> =
            bodies.iter().filter_map(|body| body["options"]["num_ctx"].as_u64()).collect();
        assert_eq!(windows, expected);
    }
}

#[tokio::test]
async fn the_smallest_window_and_one_that_the_owner_wishes_for_are_not_taken_back() {
    let show = serde_json::json!({"model_info": {"llama.context_length": 131_072}}).to_string();
    for wish in [None, Some(16_384)] {
        let no = refuses("500 Internal Server Error", "CUDA error: out of memory");
        let server = Server::described([no], &[("/api/show", show.clone())]).await;
        let endpoint = endpoint(&OLLAMA, &server).with_window(wish);
        let error = ask_turn(&endpoint, &written).await.unwrap_err();
        assert!(error.to_string().contains("out of memory"), "{error}");
    }
}

#[tokio::test]
async fn the_servers_count_moves_what_fits() {
    let folder = tempfile::tempdir().unwrap();
    for api in ALL {
        let server = Server::start([says(&api, "{}"), says(&api, "{}"), says(&api, "{}")]).await;
        let endpoint = remembering(&api, &server, folder.path());
        let fits = std::sync::Mutex::new(Vec::new());
        // The server counts 1,000 tokens in 6,000 bytes.
        let write = |fit: Fit<'_>| {
            fits.lock().unwrap().push(fit.bytes);
            Rendered { text: "x".repeat(6_000), ..Rendered::default() }
        };
        ask_turn(&endpoint, &write).await.unwrap();
        ask_turn(&endpoint, &write).await.unwrap();
        ask_turn(&remembering(&api, &server, folder.path()), &write).await.unwrap();
        let [first, second, third] = fits.lock().unwrap()[..] else { panic!() };
        assert!(first < second && second <= third, "{}: {first} {second} {third}", api.name);
    }
}

#[tokio::test]
async fn an_overrun_teaches_the_window_and_is_asked_once_more() {
    let says_it = |window: u64| match window {
        0 => "prompt exceeds the context window".to_owned(),
        window => format!("This model's maximum context length is {window} tokens. However, no"),
    };
    for (said, learned) in [(2_048, 2_048), (0, 4_096)] {
        let folder = tempfile::tempdir().unwrap();
        let no = refuses("400 Bad Request", &says_it(said));
        let server = Server::start([no, says(&OPENAI, "{}"), says(&OPENAI, "{}")]).await;
        let endpoint = remembering(&OPENAI, &server, folder.path());
        let completion = ask_turn(&endpoint, &as_long(usize::MAX)).await.unwrap();
        assert_eq!(completion.usage.window, Some(learned));
        let again = remembering(&OPENAI, &server, folder.path());
        let completion = ask_turn(&again, &as_long(usize::MAX)).await.unwrap();
        assert_eq!(completion.usage.window, Some(learned));
        let sizes: Vec<usize> =
            server.requests().iter().map(|request| request.matches("xx").count()).collect();
        assert!(sizes[1] < sizes[0], "{sizes:?}");
    }
    let no = || refuses("400 Bad Request", &says_it(0));
    let server = Server::start([no(), no()]).await;
    let error = ask_turn(&endpoint(&OPENAI, &server), &as_long(usize::MAX)).await.unwrap_err();
    assert!(matches!(error, ModelError::Overrun { .. }), "{error}");
}

#[tokio::test]
async fn an_overrun_of_ollama_keeps_the_window_and_writes_less() {
    let no = refuses("400 Bad Request", "the input length exceeds the context length");
    let server = Server::start([no, says(&OLLAMA, "{}")]).await;
    ask_turn(&endpoint(&OLLAMA, &server), &as_long(usize::MAX)).await.unwrap();
    let bodies = server.bodies();
    assert_eq!(bodies[0]["options"]["num_ctx"], bodies[1]["options"]["num_ctx"]);
    let length = |body: &serde_json::Value| body["messages"][0]["content"].as_str().unwrap().len();
    assert_eq!(length(&bodies[0]), 2 * length(&bodies[1]));
}

#[tokio::test]
async fn a_server_that_cuts_the_prompt_without_a_word_is_told_of() {
    let full = r#"{"message":{"content":"Hi"},"done":true,"prompt_eval_count":8192}"#;
    let full = Says::This(chunked("200 OK", &[full.as_bytes()], true));
    let server = Server::start([full, says(&OLLAMA, "{}")]).await;
    let endpoint = endpoint(&OLLAMA, &server);
    let usage = ask_turn(&endpoint, &as_long(usize::MAX)).await.unwrap().usage;
    assert_eq!(usage.cut, ["a part of the prompt, by the server, because it was too long"]);
    let usage = ask_turn(&endpoint, &as_long(usize::MAX)).await.unwrap().usage;
    assert!(usage.cut.is_empty());
    let bodies = server.requests();
    assert!(bodies[1].len() < bodies[0].len() * 2 / 3);
}

#[tokio::test]
async fn a_server_that_reads_more_than_was_assumed_has_the_larger_window() {
    for (read, window) in [(8_192, 8_192), (12_000, 12_000)] {
        let done = OPENAI.done().replace("1000", &read.to_string());
        let stream = [OPENAI.text("{}"), done].concat();
        let full = Says::This(chunked("200 OK", &[stream.as_bytes()], true));
        let server = Server::start([full, says(&OPENAI, "{}")]).await;
        let endpoint = endpoint(&OPENAI, &server);
        let usage = ask_turn(&endpoint, &as_long(usize::MAX)).await.unwrap().usage;
        assert!(usage.read == Some(read) && usage.cut.is_empty(), "{usage:?}");
        assert_eq!(endpoint.memo.size(None).window, window);
    }
}

#[tokio::test]
async fn a_plain_text_that_could_never_fit_teaches_nothing_of_tokens() {
    let words = "This model's maximum context length is 8192 tokens. However, no";
    let server = Server::start([refuses("400 Bad Request", words)]).await;
    let endpoint = endpoint(&OPENAI, &server);
    let error = ask(&endpoint, &Ask::plain(&"x".repeat(100_000))).await.1.unwrap_err();
    assert!(matches!(error, ModelError::Overrun { .. }), "{error}");
    assert_eq!(endpoint.memo.size(None).bytes_per_token, measure::BYTES_PER_TOKEN);
}
