//! What a small model is asked before it is asked about a message that is not English.

use conversation::observation::Observation;
use conversation::workspace::Memory;
use prompt::{Gloss, Rendered};
use serde_json::{Value, json};

use super::apis::{Api, OLLAMA, OPENAI};
use super::requests::{cards, says};
use super::*;
use crate::{Fit, TurnParts};

const GERMAN: &str = "Schreib etwas auf, das alle lesen";

/// An endpoint of the model of this name.
fn of(api: &Api, model: &str, server: &Server) -> Endpoint {
    let mut target = api.target(&server.address);
    target.model = model.to_owned();
    let known = Arc::new(Endpoints::at(tempfile::tempdir().unwrap().path()));
    let alone = Assist { talk: false, ..Assist::default() };
    Endpoint::new(&target, &keys(), known).unwrap().with_assist(alone)
}

/// Asks about the message; gives what people hear.
async fn ask_about(endpoint: &Endpoint, message: &str) -> (Told, Result<Completion, ModelError>) {
    let (cards, memory, so_far) = (cards(), Memory::default(), [] as [Observation; 0]);
    let turn = TurnParts {
        message,
        cards: [&cards[..1], &cards[1..]],
        so_far: &so_far,
        memory: &memory,
        history: crate::testing::no_history(),
        typed: &[],
    };
    let write = |fit: Fit<'_>| {
        let asked = match fit.gloss {
            Gloss::None => format!("say: {message}"),
            Gloss::Wanted => format!("translate: {message}"),
            Gloss::Is(gloss) => format!("say: {message} ({gloss})"),
        };
        Rendered { text: format!("rules\n{asked}"), stable: 6, ..Rendered::default() }
    };
    ask(endpoint, &Ask::written(&write, turn)).await
}

/// What the server was asked for, and which actions the answer may have.
fn asked(server: &Server) -> Vec<(String, Vec<String>)> {
    let body = |body: Value| {
        let messages = body["messages"].as_array().unwrap().clone();
        let schema = &body["response_format"]["json_schema"]["schema"];
        let branches = schema["$defs"]["action"]["anyOf"].as_array().cloned().unwrap_or_default();
        let name = |one: &Value| one["properties"]["name"]["enum"][0].as_str().unwrap().to_owned();
        let last = messages.last().unwrap()["content"].as_str().unwrap().to_owned();
        (last, branches.iter().map(name).collect())
    };
    server.bodies().into_iter().map(body).collect()
}

#[tokio::test]
async fn a_small_model_first_says_in_english_what_is_meant_and_once_a_message() {
    let gloss = json!({"english": "Publish a post for all"}).to_string();
    let answers = [gloss.as_str(), "{}", "{}"].map(|text| says(&OPENAI, text));
    let server = Server::start(answers).await;
    let endpoint = of(&OPENAI, "m-1b", &server);
    let (told, result) = ask_about(&endpoint, GERMAN).await;
    assert_eq!(result.unwrap().text, "{}");
    assert_eq!(told.pieces, ["{}"], "nobody sees the gloss");
    ask_about(&endpoint, GERMAN).await.1.unwrap();
    let answered = format!("say: {GERMAN} (Publish a post for all)");
    let post = || vec!["CREATE_POST".to_owned()];
    let expected = [
        (format!("translate: {GERMAN}"), Vec::new()),
        (answered.clone(), post()),
        (answered, post()),
    ];
    assert_eq!(asked(&server), expected);
}

#[tokio::test]
async fn who_is_large_or_asked_in_english_needs_none() {
    for (model, message) in [("m-8b", GERMAN), ("m-1b", "What is the capital of Australia?")] {
        let server = Server::start([says(&OPENAI, "{}")]).await;
        ask_about(&of(&OPENAI, model, &server), message).await.1.unwrap();
        assert_eq!(asked(&server).len(), 1, "{model}");
        assert_eq!(asked(&server)[0].0, format!("say: {message}"), "{model}");
    }
}

#[tokio::test]
async fn a_servers_count_says_more_than_a_name() {
    let show = |count: u64| json!({"model_info": {"general.parameter_count": count, "x.context_length": 8_192}});
    let props = |path| json!({"default_generation_settings": {"n_ctx": 4_096}, "model_path": path});
    let list = json!({"data": [{"id": "m-8b", "meta": {"n_params": 494_000_000}}]});
    let nothing = json!({"english": ""}).to_string();
    for (api, model, descriptions, glosses) in [
        (OLLAMA, "m", vec![("/api/show", show(494_000_000))], true),
        (OLLAMA, "m-1b", vec![("/api/show", show(8_000_000_000))], false),
        (OPENAI, "m", vec![("/props", props("/models/m-0.5b-q4.gguf"))], true),
        (OPENAI, "m-8b", vec![("/props", props("/models/m.gguf")), ("/v1/models", list)], true),
    ] {
        let descriptions: Vec<(&str, String)> =
            descriptions.into_iter().map(|(path, body)| (path, body.to_string())).collect();
        let answers = [says(&api, &nothing), says(&api, "{}")];
        let answers = answers.into_iter().skip(usize::from(!glosses));
        let server = Server::described(answers, &descriptions).await;
        ask_about(&of(&api, model, &server), GERMAN).await.1.unwrap();
        assert_eq!(server.bodies().len(), 1 + usize::from(glosses), "{} {model}", api.name);
    }
}

#[tokio::test]
async fn without_a_gloss_the_message_is_asked_about_as_it_is() {
    for first in [says(&OPENAI, "I won't."), super::fallen::no()] {
        let server = Server::start([first, says(&OPENAI, "{}")]).await;
        let (told, result) = ask_about(&of(&OPENAI, "m-1b", &server), GERMAN).await;
        assert_eq!(result.unwrap().text, "{}");
        assert_eq!(told.notices, [""; 0]);
        assert_eq!(asked(&server)[1].0, format!("say: {GERMAN}"));
    }
}

#[tokio::test]
async fn each_help_can_be_switched_off_alone() {
    let none =
        Assist { narrow: false, talk: false, gloss: false, examples: false, one_action: false };
    for (assist, asks) in [(Assist { gloss: true, ..none }, 2), (none, 1)] {
        let gloss = json!({"english": "Publish a post for all"}).to_string();
        let answers = [gloss.as_str(), "{}"].map(|text| says(&OPENAI, text));
        let server = Server::start(answers.into_iter().skip(2 - asks)).await;
        let small = of(&OPENAI, "m:0.5b", &server).with_assist(assist);
        ask_about(&small, GERMAN).await.1.unwrap();
        assert_eq!(server.bodies().len(), asks, "{assist:?}");
    }
    for (assist, most) in [(none, 4), (Assist { one_action: true, ..none }, 1)] {
        let server = Server::start([says(&OPENAI, "{}")]).await;
        let small = of(&OPENAI, "m:0.5b", &server).with_assist(assist);
        ask_about(&small, "Publish a post, and another one").await.1.unwrap();
        let body = server.bodies().remove(0);
        let shapes = body["response_format"]["json_schema"]["schema"]["anyOf"].clone();
        let last = shapes.as_array().unwrap().last().unwrap();
        assert_eq!(last["properties"]["actions"]["maxItems"], most, "{assist:?}");
    }
}
