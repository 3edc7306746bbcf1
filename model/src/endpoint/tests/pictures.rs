//! Which models are shown a picture, and what is sent then.

use super::apis::{ALL, ANTHROPIC, Api, GEMINI, OLLAMA, OPENAI};
use super::learning::{refuses, remembering};
use super::requests::says;
use super::*;
use crate::Picture;

/// What stands for a JPEG.
const JPEG: [u8; 5] = [0xff, 0xd8, 0xff, 0xe0, 0];

/// The same in base64.
const BASE64: &str = "/9j/4AA=";

/// Asks about a text with a picture.
pub(super) async fn show(endpoint: &Endpoint) -> Result<Completion, ModelError> {
    let picture = Picture::jpeg(&JPEG, "Look at the picture.").unwrap();
    ask(endpoint, &Ask::plain("Sum this up.").with_picture(Some(&picture))).await.1
}

/// Whether each of the requests had the picture. One that has not says nothing of it.
pub(super) fn shown(server: &Server) -> Vec<bool> {
    let shown = |body: &serde_json::Value| {
        let body = body.to_string();
        assert_eq!(body.contains(BASE64), body.contains("Look at the picture."), "{body}");
        body.contains(BASE64)
    };
    server.bodies().iter().map(shown).collect()
}

/// Whether an endpoint of `api` whose server describes itself so is shown the picture.
async fn is_shown(api: &Api, described: &[(&'static str, String)], vision: Option<bool>) -> bool {
    let server = Server::described([says(api, "Well.")], described).await;
    show(&endpoint(api, &server).with_vision(vision)).await.unwrap();
    shown(&server)[0]
}

#[tokio::test]
async fn a_picture_in_the_words_of_every_provider() {
    for api in ALL {
        let server = Server::start([says(&api, "Well.")]).await;
        show(&endpoint(&api, &server).with_vision(Some(true))).await.unwrap();
        let body = serde_json::to_string_pretty(&server.bodies()[0]).unwrap();
        insta::assert_snapshot!(format!("{}_picture", api.name), body);
    }
}

#[tokio::test]
async fn who_sees_is_what_the_server_says() {
    let ollama = |can: &str| {
        let body = format!(
            r#"{{"model_info":{{"x.context_length":8192}},"capabilities":["completion"{can}]}}"#
        );
        [("/api/show", body)]
    };
    assert!(is_shown(&OLLAMA, &ollama(r#","vision""#), None).await);
    assert!(!is_shown(&OLLAMA, &ollama(""), None).await);
    assert!(!is_shown(&OLLAMA, &[], None).await);
    let llama_cpp = |sees: bool| {
        let body = format!(
            r#"{{"default_generation_settings":{{"n_ctx":8192}},"modalities":{{"vision":{sees}}}}}"#
        );
        [("/props", body)]
    };
    assert!(is_shown(&OPENAI, &llama_cpp(true), None).await);
    assert!(!is_shown(&OPENAI, &llama_cpp(false), None).await);
    let model = OPENAI.target("x:1").model;
    for (said, sees) in [
        (r#""architecture":{"input_modalities":["text","image"]}"#, true),
        (r#""architecture":{"input_modalities":["text"]}"#, false),
        (r#""capabilities":{"vision":true}"#, true),
        (r#""object":"model""#, false),
    ] {
        let list = format!(r#"{{"data":[{{"id":"{model}",{said}}}]}}"#);
        assert_eq!(is_shown(&OPENAI, &[("/v1/models", list)], None).await, sees, "{said}");
    }
    assert!(is_shown(&ANTHROPIC, &[], None).await && is_shown(&GEMINI, &[], None).await);
}

#[tokio::test]
async fn the_owners_word_counts_more_than_the_servers() {
    let blind = r#"{"model_info":{"x.context_length":8192},"capabilities":["completion"]}"#;
    assert!(is_shown(&OLLAMA, &[("/api/show", blind.to_owned())], Some(true)).await);
    for api in ALL {
        assert!(!is_shown(&api, &[], Some(false)).await, "{}", api.name);
    }
}

#[tokio::test]
async fn a_picture_that_is_refused_is_left_out_and_that_is_remembered() {
    for (api, status, words) in [
        (
            OLLAMA,
            "500 Internal Server Error",
            "this model is missing data required for image input",
        ),
        (
            OPENAI,
            "500 Internal Server Error",
            "image input is not supported - hint: you may need to provide the mmproj",
        ),
        (OPENAI, "404 Not Found", "No endpoints found that support image input for this model"),
        (ANTHROPIC, "400 Bad Request", "messages.0.content: Input should be a valid string"),
        (GEMINI, "400 Bad Request", "Image input modality is not enabled for models/gemma"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let script =
            [refuses(status, words), says(&api, "Well."), says(&api, "Well."), says(&api, "Well.")];
        let server = Server::start(script).await;
        let endpoint = remembering(&api, &server, folder.path()).with_vision(Some(true));
        assert_eq!(show(&endpoint).await.unwrap().text, "Well.", "{words}");
        show(&endpoint).await.unwrap();
        // The agent was started again, and the owner says nothing any more.
        show(&remembering(&api, &server, folder.path())).await.unwrap();
        assert_eq!(shown(&server), [true, false, false, false], "{words}");
    }
}

#[tokio::test]
async fn what_is_no_refusal_of_the_picture_is_not_taken_for_one() {
    for (status, words, tries) in [
        ("429 Too Many Requests", "too many images in this minute", 1),
        ("401 Unauthorized", "who are you, and what is this image", 1),
        ("500 Internal Server Error", "out of memory", 1),
        // What is refused without the picture as well was not refused for it.
        ("400 Bad Request", "nonsense", 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let script = (0..tries).map(|_| refuses(status, words)).chain([says(&ANTHROPIC, "Well.")]);
        let server = Server::start(script).await;
        show(&remembering(&ANTHROPIC, &server, folder.path())).await.unwrap_err();
        show(&remembering(&ANTHROPIC, &server, folder.path())).await.unwrap();
        let shown = shown(&server);
        assert_eq!((shown.len(), shown.last()), (tries + 1, Some(&true)), "{words}");
    }
}

#[tokio::test]
async fn a_picture_for_which_there_is_no_room_is_left_out_this_time() {
    let no = refuses("400 Bad Request", "the input length exceeds the context length");
    let server = Server::start([no, says(&OLLAMA, "Well."), says(&OLLAMA, "Well.")]).await;
    let endpoint = endpoint(&OLLAMA, &server).with_vision(Some(true));
    show(&endpoint).await.unwrap();
    show(&endpoint).await.unwrap();
    assert_eq!(shown(&server), [true, false, true]);
}
