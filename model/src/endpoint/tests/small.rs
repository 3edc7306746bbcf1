//! How a small model decides first, and then speaks or acts.

use answer::{Answer, Shown};
use conversation::observation::Observation;
use conversation::workspace::{Artifact, Entered, History, Memory, SOUL};
use prompt::{Fence, Passages, Prompt, Sources, Step};
use serde_json::{Value, json};

use super::apis::OPENAI;
use super::requests::{cards, says};
use super::*;
use crate::TurnParts;

const POST: &str = "Publish 'Hi' on X.";

/// What was said, which actions were asked for, and what the server was asked: system and last message.
struct Seen {
    pieces: Vec<String>,
    answer: Answer,
    asked: Vec<[String; 2]>,
}

/// Asks a model of a billion parameters, whose server answers so.
async fn ask_small(message: &str, so_far: &[Observation], answers: &[&str]) -> Seen {
    let server = Server::start(answers.iter().map(|text| says(&OPENAI, text))).await;
    let mut target = OPENAI.target(&server.address);
    target.model = "m-1b".to_owned();
    let known = Arc::new(Endpoints::at(tempfile::tempdir().unwrap().path()));
    let endpoint = Endpoint::new(&target, &keys(), known).unwrap();
    let (cards, mut history) = (cards(), History::default());
    history.add("Hello.", "Hello, Frankie.");
    let (memory, artifact, found) = (Memory::default(), Artifact::default(), Passages::default());
    let session = protocol::SessionKey::new("owner").unwrap();
    let step = Step {
        session: &session,
        taint: protocol::Taint::CLEAN,
        soul: SOUL,
        cards: [&cards[..1], &cards[1..]],
        memory: &memory,
        notes: None,
        artifact: &artifact,
        history: &history,
        known: &found,
        message,
        so_far,
        repair: None,
    };
    let sections = Sources::built_in().gather(&step, &mut Entered::nothing()).await;
    let prompt = Prompt::new(Fence::new(7)).unwrap();
    let turn = TurnParts {
        message,
        cards: step.cards,
        so_far,
        memory: &memory,
        history: &history,
        typed: &[],
    };
    let (told, result) = ask(&endpoint, &Ask::turn(&prompt, &sections, turn)).await;
    let answer = Answer::read(&result.unwrap(), step.cards, &Shown::default()).unwrap();
    let part = |message: &Value| message["content"].as_str().unwrap().to_owned();
    let asked = server.bodies().into_iter().map(|body| {
        let messages = body["messages"].as_array().unwrap().clone();
        [part(&messages[0]), part(messages.last().unwrap())]
    });
    Seen { pieces: told.pieces, answer, asked: asked.collect() }
}

#[tokio::test]
async fn what_nothing_connects_with_an_action_is_talked_about_at_once_without_any() {
    let seen = ask_small("Can you say what an egg is?", &[], &["It is round."]).await;
    assert_eq!((seen.answer.words.as_str(), seen.asked.len()), ("It is round.", 1));
    assert_eq!(seen.pieces.concat(), "It is round.");
    let [system, said] = &seen.asked[0];
    assert_eq!(said, "Can you say what an egg is?");
    assert!(system.starts_with(SOUL.trim()), "{system}");
    assert!(!system.contains("CREATE_POST") && !system.contains("{"), "{system}");
}

#[tokio::test]
async fn who_decides_to_act_acts_and_who_does_not_or_is_not_understood_talks() {
    let post = json!({"name": "CREATE_POST", "params": {"platform": "X", "text": "Hi"}});
    let act = json!({"thought": "t", "actions": [post]}).to_string();
    let seen = ask_small(POST, &[], &[&act]).await;
    assert_eq!((seen.answer.actions.len(), seen.asked.len()), (1, 1));
    assert_eq!(seen.pieces, [""; 0], "nobody reads the decision");
    for decision in [r#"{"thought": "t", "actions": []}"#, r#"{"thought": "t", "acti"#] {
        let seen = ask_small(POST, &[], &[decision, "Why on X?"]).await;
        assert_eq!((seen.answer.words.as_str(), seen.asked.len()), ("Why on X?", 2));
        assert_eq!((seen.answer.actions, seen.pieces.concat()), (Vec::new(), "Why on X?".into()));
    }
}

#[tokio::test]
async fn what_looks_like_a_call_in_talk_is_none() {
    let call = r#"[{"name": "CREATE_POST", "params": {"platform": "X", "text": "Hi"}}]"#;
    let seen = ask_small("Can you say what an egg is?", &[], &[call]).await;
    assert_eq!((seen.answer.words.as_str(), seen.answer.actions.len()), (call, 0));
}

#[tokio::test]
async fn after_a_deed_nobody_is_asked_again() {
    let done = Observation::of_local(
        protocol::ActionName::new("CREATE_POST").unwrap(),
        Ok(protocol::Done::default()),
    );
    let seen = ask_small(POST, &[done], &[]).await;
    assert_eq!((seen.answer, seen.asked.len()), (Answer::default(), 0));
}
