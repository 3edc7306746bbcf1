//! Nothing of one session is seen in another.

use broker::Responder;
use protocol::Done;
use serde_json::json;

use crate::house::{End, House, house};

const NOTE: &str = r#"say <tool_code>[{"name": "_MEMORY_WRITE", "params": {"new_memory": {"pin": "pin-4711"}}}]</tool_code>"#;
const PAGE: &str = r#"say <tool_code>[{"name": "_PAGE", "params": {}}]</tool_code>"#;
const SECRETS: [&str; 4] = ["pin-4711", "evil-page", "typed.example", "dear diary"];

/// Says to a session all that could be seen elsewhere: something to remember, a page, an address, words.
async fn live(end: &mut End, router: &mut broker::pipe::PipeResponder, who: (&str, &str)) {
    let (session, from) = who;
    for text in [NOTE, PAGE, "dear diary", "see https://typed.example/a"] {
        end.say(session, from, text).await;
        end.heard(session).await;
    }
    end.say(session, from, r#"say <tool_code>[{"name": "LOOK", "params": {}}]</tool_code>"#).await;
    let request = router.receive().await.unwrap();
    let page = json!({"page": "evil-page"}).as_object().unwrap().clone();
    request.reply(Done { result: page, ..Done::default() });
    end.heard(session).await;
}

/// Looks for anything of another session in all that one can see, and that nothing of it is said here.
async fn sees_nothing(house: &mut House, session: &str) {
    let (end, from) = match session {
        "owner" => (&mut house.console, "console:owner"),
        "http-bob" => (&mut house.http, "http:bob"),
        _ => (&mut house.telegram, "telegram:2"),
    };
    assert_eq!(end.left(), Vec::<String>::new(), "{session} heard something of another");
    house.model.prompts.lock().unwrap().clear();
    end.say(session, from, "hello").await;
    let mut seen = end.heard(session).await;
    for command in ["/memory", "/memory --quarantined", "/status"] {
        end.say(session, from, command).await;
        seen.push_str(&end.heard(session).await);
    }
    let summary = r#"/run _LLM_SUMMARY {"content": "page.txt"}"#;
    end.say(session, from, summary).await;
    let read = end.heard(session).await;
    assert!(read.contains("there is no file"), "{session}: {read}");
    end.say(session, from, "/run POST").await;
    let request = house.router.receive().await.unwrap();
    let envelope = request.command().unwrap().envelope.clone();
    request.reply(Done::default());
    end.heard(session).await;
    assert_eq!(envelope.session.unwrap().as_str(), session);
    assert_eq!(String::from(envelope.taint), "", "{session}");
    seen.push_str(&envelope.typed.join(" "));
    seen.push_str(&house.shown());
    for name in ["memory.json", "artifact.json", "input_history.json", "output/prompt_cache.txt"] {
        seen.push_str(
            &std::fs::read_to_string(house.session_files(session).join(name)).unwrap_or_default(),
        );
    }
    for secret in SECRETS {
        assert!(!seen.contains(secret), "{session} sees {secret}: {seen}");
    }
}

#[tokio::test]
async fn nothing_of_a_guest_is_seen_by_the_owner_or_another_guest() {
    let mut house = house();
    live(&mut house.telegram, &mut house.router, ("telegram-1", "telegram:1")).await;
    for session in ["owner", "telegram-2", "http-bob"] {
        sees_nothing(&mut house, session).await;
        house.telegram.left();
    }
}

#[tokio::test]
async fn nothing_of_the_owner_is_seen_by_a_guest() {
    let mut house = house();
    live(&mut house.console, &mut house.router, ("owner", "console:owner")).await;
    // The owner is on Telegram, too.
    assert!(house.telegram.left().iter().any(|line| line.contains("dear diary")));
    for session in ["telegram-2", "http-bob"] {
        sees_nothing(&mut house, session).await;
    }
}

#[tokio::test]
async fn each_session_keeps_its_own_and_knows_it_again() {
    let mut house = house();
    live(&mut house.telegram, &mut house.router, ("telegram-1", "telegram:1")).await;
    house.telegram.say("telegram-1", "telegram:1", "what do you know?").await;
    house.telegram.heard("telegram-1").await;
    let shown = house.shown();
    for own in SECRETS {
        assert!(shown.contains(own), "{own} is gone: {shown}");
    }
    house.telegram.say("telegram-1", "telegram:1", "/run POST").await;
    let command = house.answers(Done::default()).await;
    assert_eq!(String::from(command.envelope.taint), "T");
    assert_eq!(command.envelope.typed, ["https://typed.example/a"]);
    house.telegram.heard("telegram-1").await;
    house.quit.cancel();
    house.serving.await.unwrap();
    let written = std::fs::read_dir(house.home.workspace().join("sessions/telegram-1")).unwrap();
    let mut names: Vec<String> =
        written.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "artifact.json",
            "input_history.json",
            "journal.jsonl",
            "log",
            "memory.json",
            "output",
            "outputs.json",
            "session.json"
        ]
    );
}
