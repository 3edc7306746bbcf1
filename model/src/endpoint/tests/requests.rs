//! What is sent, for every provider and way.

use conversation::workspace::Memory;
use llm::{Message, Role};
use prompt::Rendered;
use protocol::ActionCard;
use serde_json::{Value, json};

use super::apis::{ALL, Api};
use super::server::chunked;
use super::*;
use crate::{Choice, Fit, TurnParts};

/// Two actions with what schemas are made of.
pub(super) fn cards() -> Vec<ActionCard> {
    let cards = json!([
        {
            "name": "_MEMORY_WRITE", "instruction": "Remember facts.", "effect": "local", "reads": "none",
            "params": {"new_memory": {"type": "object", "description": "fact: value"}},
        },
        {
            "name": "CREATE_POST", "instruction": "Publish a post.", "effect": "external", "reads": "none",
            "params": {
                "platform": {"type": "string", "enum": ["X", "LinkedIn"]},
                "text": {"type": "string", "maxLength": 3000, "pattern": "^.+$"},
                "tags": {"type": "array", "items": {"type": "string", "minLength": 1}},
            },
            "optional": ["tags"],
        },
    ]);
    serde_json::from_value(cards).unwrap()
}

/// Asks about a user's message; the prompt is what `write` makes of the fit.
pub(super) async fn ask_turn(
    endpoint: &Endpoint,
    write: &(dyn Fn(Fit<'_>) -> Rendered + Sync),
) -> Result<Completion, ModelError> {
    told_turn(endpoint, write).await.1
}

/// The same, with what was told meanwhile.
pub(super) async fn told_turn(
    endpoint: &Endpoint,
    write: &(dyn Fn(Fit<'_>) -> Rendered + Sync),
) -> (Told, Result<Completion, ModelError>) {
    let (cards, memory) = (cards(), Memory::default());
    let turn = TurnParts {
        message: "hi",
        cards: [&cards[..1], &cards[1..]],
        so_far: &[],
        memory: &memory,
        history: crate::testing::no_history(),
        typed: &[],
    };
    ask(endpoint, &Ask::written(write, turn)).await
}

/// Rules, then the message.
pub(super) fn written(_: Fit<'_>) -> Rendered {
    Rendered {
        text: "You are SafeClaw.\nThe user says: hi".to_owned(),
        stable: 18,
        ..Rendered::default()
    }
}

/// A good answer.
pub(super) fn says(api: &Api, text: &str) -> Says {
    let stream = [api.text(text), api.done()].concat();
    Says::This(chunked("200 OK", &[stream.as_bytes()], true))
}

#[tokio::test]
async fn requests_of_every_provider_and_way() {
    for api in ALL {
        for way in [Way::ToolCode, Way::Json, Way::Native] {
            let server = Server::start([says(&api, "{}")]).await;
            let endpoint = endpoint(&api, &server).with_way(Some(way));
            ask_turn(&endpoint, &written).await.unwrap();
            let request = &server.requests()[0];
            let line = request.lines().next().unwrap();
            let body = serde_json::to_string_pretty(&server.bodies()[0]).unwrap();
            insta::assert_snapshot!(format!("{}_{way:?}", api.name), format!("{line}\n{body}"));
        }
    }
}

#[tokio::test]
async fn a_plain_text_is_one_message_without_any_form() {
    for api in ALL {
        let server = Server::start([says(&api, "Well.")]).await;
        ask(&endpoint(&api, &server), &Ask::plain("Sum this up.\nText")).await.1.unwrap();
        let body = server.bodies()[0].to_string();
        assert_eq!(body.matches("Sum this up.\\nText").count(), 1, "{body}");
        for form in ["system", "tools", "format", "schema"] {
            assert!(!body.contains(form), "{body}");
        }
    }
}

#[test]
fn openai_itself_makes_demands_that_others_do_not() {
    let endpoint = Endpoint::new(
        &"openai:gpt".parse().unwrap(),
        &keys(),
        Arc::new(Endpoints::at(tempfile::tempdir().unwrap().path())),
    );
    let endpoint = endpoint.unwrap();
    let body = |cards: &[ActionCard]| {
        let memory = Memory::default();
        let turn = TurnParts {
            message: "hi",
            cards: [cards, &[]],
            so_far: &[],
            memory: &memory,
            history: crate::testing::no_history(),
            typed: &[],
        };
        let plan = Plan::new(&Ask::written(&written, turn), Way::Json, None, &endpoint.knows());
        let sent = endpoint.server.sends(&plan.request());
        serde_json::from_str::<Value>(sent.split_once('\n').unwrap().1).unwrap()
    };
    assert_eq!(endpoint.memo.size(None).window, 128_000);
    let body = body(&cards());
    assert_eq!(body["max_completion_tokens"], 2_048 + 8_192);
    assert_eq!(body["response_format"]["json_schema"]["strict"], false);
}

#[tokio::test]
async fn a_conversation_goes_in_messages_of_its_own_roles() {
    let message = |role, text: &str| Message { role, text: text.to_owned() };
    let earlier = [message(Role::User, "Hi."), message(Role::Assistant, "Hello.")];
    for api in ALL {
        let server = Server::start([says(&api, "Well.")]).await;
        let chat = Ask::chat("Be brief.", &earlier, "And now?").with_temperature(0.7);
        ask(&endpoint(&api, &server), &chat).await.1.unwrap();
        let body = server.bodies()[0].to_string();
        let role = if api.name == "gemini" { "\"model\"" } else { "\"assistant\"" };
        let said = ["\"Hi.\"", role, "\"Hello.\"", "\"And now?\""];
        let places = said.map(|text| body.find(text).unwrap_or_else(|| panic!("{text} in {body}")));
        assert!(places.is_sorted(), "{body}");
        assert!(body.contains("\"Be brief.\"") && body.contains("\"temperature\":0.7"), "{body}");
    }
}

#[tokio::test]
async fn a_choice_is_one_of_its_words_wherever_the_server_can_be_told_so() {
    let choice = Choice::new("Sort it.", &["tea", "milk"], &[("green leaves", "tea")]);
    for api in ALL {
        let server = Server::start([says(&api, r#"{"choice": "milk"}"#)]).await;
        let answer = ask(&endpoint(&api, &server), &choice.ask("white and fat")).await.1.unwrap();
        assert_eq!(choice.read(&answer.text), Some("milk"));
        let body = server.bodies()[0].to_string();
        // Who is asked by schemas is bound to the words, and the others are told by the examples alone.
        let is_bound = ["ollama", "openai"].contains(&api.name);
        assert_eq!(body.contains(r#"["tea","milk"]"#), is_bound, "{body}");
        assert!(body.contains("green leaves") && body.contains("white and fat"), "{body}");
    }
}
