//! What the pages ask for, on a folder of files and a model that is a script.

use std::fs;
use std::path::Path;

use async_trait::async_trait;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use storm::{Agent, AgentFile, Name, Spoken};
use storm_runner::{Hears, SpeakError, Speaks, Spoke};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tower::ServiceExt;

use super::*;

/// Models that say who speaks, once they may.
struct Scripted(Arc<Semaphore>);

struct Voice(Arc<Semaphore>);

#[async_trait]
impl Speaks for Voice {
    async fn speak(
        &self,
        agent: &Agent,
        _: &[Spoken],
        hear: &mut Hears<'_>,
    ) -> Result<Spoke, SpeakError> {
        hear(storm_runner::Heard::Piece("Hm. "));
        self.0.acquire().await.unwrap().forget();
        match agent.file.model() {
            "mute" => Err(SpeakError::Failed("it is busy (429)".to_owned())),
            _ => Ok(Spoke { text: format!("Hm. {} speaks", agent.name), tokens: 10 }),
        }
    }
}

impl Models for Scripted {
    fn speaks(&self) -> Box<dyn Speaks> {
        Box::new(Voice(Arc::clone(&self.0)))
    }

    fn fault(&self, agent: &Agent) -> Option<Told> {
        let why = || "its type is \"Claude\"".to_owned().into();
        (agent.file.service() == "Claude").then(why)
    }

    fn unreachable(&self, agent: &Agent) -> Option<Told> {
        let why = || Told::new("error.provider", "not set up").with("name", "Gemini");
        (agent.file.service() == "Gemini").then(why)
    }

    fn first(&self) -> Vec<Agent> {
        ["Artist", "Critic"]
            .map(|name| Agent {
                name: Name::new(name).unwrap(),
                file: AgentFile::new("OpenAI", "m", "x"),
            })
            .to_vec()
    }

    fn services(&self) -> Vec<Service> {
        vec![Service { name: "OpenAI", models: vec!["m".to_owned()] }]
    }
}

struct House {
    folder: TempDir,
    router: Router,
    may_speak: Arc<Semaphore>,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let may_speak = Arc::new(Semaphore::new(0));
        let models = Arc::new(Scripted(Arc::clone(&may_speak)));
        let shelf = Shelf::at(folder.path().join("AIStormSessions"));
        let storms = Storms::new(shelf, folder.path().join("personas"), models, 1000);
        Self { folder, router: storms.routes(), may_speak }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(Path::new(name))
    }

    async fn ask(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let request =
            Request::builder().method(method).uri(path).header("content-type", "application/json");
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let answer = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    async fn get(&self, path: &str) -> Value {
        let (status, value) = self.ask(Method::GET, path, Value::Null).await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    async fn done(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, value) = self.ask(method, path, body).await;
        assert!(status.is_success(), "{path}: {value}");
        value
    }

    async fn refused(&self, method: Method, path: &str, body: Value, told: &str) {
        let (status, value) = self.ask(method, path, body).await;
        let message = value["error"]["message"].as_str().unwrap_or_default();
        assert!(status.is_client_error() && message.contains(told), "{path}: {status} {value}");
    }

    async fn begun(&self) {
        let new = json!({"name": "weekend", "premise": "Ideas?"});
        self.done(Method::POST, "/v1/storms", new).await;
    }

    async fn events(&self) -> Events {
        let request = Request::builder().uri("/v1/storms/weekend/events");
        let answer =
            self.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        Events { body: answer.into_body().into_data_stream(), seen: String::new() }
    }
}

struct Events {
    body: axum::body::BodyDataStream,
    seen: String,
}

impl Events {
    /// Reads until an event of this kind has come, and gives it.
    async fn until(&mut self, kind: &str) -> Value {
        use futures::StreamExt as _;
        let head = format!("event: {kind}\n");
        loop {
            if let Some((_, rest)) = self.seen.split_once(&head)
                && let Some((event, later)) = rest.split_once("\n\n")
            {
                let value = serde_json::from_str(event.trim_start_matches("data:").trim()).unwrap();
                self.seen = later.to_owned();
                return value;
            }
            let piece = self.body.next().await.expect("the stream goes on").unwrap();
            self.seen.push_str(&String::from_utf8_lossy(&piece));
        }
    }
}

#[tokio::test]
async fn a_session_is_made_and_changes_until_something_was_said() {
    let house = House::new();
    assert_eq!(house.get("/v1/storms").await, json!({"sessions": []}));
    house.begun().await;
    let card = &house.get("/v1/storms").await["sessions"][0];
    assert_eq!(card["agents"], json!(["Artist", "Critic"]));
    assert_eq!((&card["messages"], &card["next"]), (&json!(0), &json!("Artist")));
    let first = house.get("/v1/storms/weekend").await["revision"].clone();
    let premise = |text: &str, of: &Value| json!({"premise": text, "revision": of});
    let path = "/v1/storms/weekend/premise";
    house.done(Method::PUT, path, premise("Others?", &first)).await;
    // Whoever has not seen what another tab has written does not write over it.
    house.refused(Method::PUT, path, premise("Mine?", &first), "is another by now").await;
    house.done(Method::DELETE, "/v1/storms/weekend/agents/Artist", Value::Null).await;
    house.done(Method::POST, "/v1/storms/weekend/agents", json!({"template": "Artist"})).await;
    house
        .refused(
            Method::POST,
            "/v1/storms/weekend/agents",
            json!({"template": "Artist"}),
            "already",
        )
        .await;
    house.done(Method::POST, "/v1/storms/weekend/say", json!({"text": "Mind the rain."})).await;
    let second = house.get("/v1/storms/weekend").await["revision"].clone();
    house.refused(Method::PUT, path, premise("Late?", &second), "something was said").await;
    let gone = "/v1/storms/weekend/agents/Critic";
    house.refused(Method::DELETE, gone, Value::Null, "something was said").await;
    let one = house.get("/v1/storms/weekend").await;
    assert_eq!((&one["premise"], &one["count"]), (&json!("Others?"), &json!(1)));
    assert_eq!(one["messages"][0]["person"], true);
    house.done(Method::DELETE, "/v1/storms/weekend", Value::Null).await;
    assert!(!house.path("AIStormSessions/weekend").exists());
}

#[tokio::test]
async fn an_agent_is_written_kept_whole_and_not_over_what_somebody_else_wrote() {
    let house = House::new();
    let first = house.get("/v1/agents").await;
    assert_eq!(first["agents"][0]["written"], false, "{first}");
    let file =
        "<aistorm type=\"OpenAI\" model=\"m\" mood=\"calm\" temperature=\"1\" />\n\nYou rhyme.\n";
    fs::create_dir_all(house.path("personas")).unwrap();
    fs::write(house.path("personas/Poet.md"), file).unwrap();
    let shown = house.get("/v1/agents/Poet").await;
    assert_eq!((&shown["temperature"], &shown["prompt"]), (&json!("1"), &json!("You rhyme.")));
    let form = |revision: &Value, service: &str| json!({"service": service, "model": "n", "prompt": "You rhyme.", "revision": revision, "sets": "web"});
    let saved = form(&shown["revision"], "Gemini");
    let put = house.done(Method::PUT, "/v1/agents/Poet", saved.clone()).await;
    let warning =
        json!({"text": "not set up", "key": "error.provider", "values": {"name": "Gemini"}});
    assert_eq!(put["warning"], warning);
    let text = fs::read_to_string(house.path("personas/Poet.md")).unwrap();
    let expected =
        "<aistorm type=\"Gemini\" model=\"n\" mood=\"calm\" sets=\"web\" />\n\nYou rhyme.\n";
    assert_eq!(text, expected);
    house.refused(Method::PUT, "/v1/agents/Poet", saved, "is another by now").await;
    let fresh = |service| form(&Value::Null, service);
    house.refused(Method::PUT, "/v1/agents/POET", fresh("OpenAI"), "an agent Poet already").await;
    house.refused(Method::PUT, "/v1/agents/Cook", fresh("Claude"), "its type is").await;
    house.refused(Method::PUT, "/v1/agents/Cook", fresh(" "), "has no type").await;
    house.refused(Method::PUT, "/v1/agents/..%2Fx", fresh("OpenAI"), "may hold no /").await;
    assert!(!house.path("x.md").exists());
    fs::write(house.path("personas/Broken.md"), "You are nobody.").unwrap();
    let fault = &house.get("/v1/agents").await["agents"][0]["fault"];
    assert_eq!(fault["key"], "error.agentTag");
    assert!(fault["text"].as_str().unwrap().contains("Broken.md can't be read: it has no line"));
    assert_eq!(house.get("/v1/agents/Broken").await["prompt"], "You are nobody.");
    house.done(Method::DELETE, "/v1/agents/Poet", Value::Null).await;
    house.refused(Method::DELETE, "/v1/agents/Poet", Value::Null, "no agent Poet").await;
}

#[tokio::test]
async fn a_storm_is_watched_while_agents_speak_and_a_person_in_between() {
    let house = House::new();
    house.begun().await;
    let mut events = house.events().await;
    assert_eq!(events.until("state").await["running"], false);
    house.done(Method::POST, "/v1/storms/weekend/next", json!({"count": 2})).await;
    assert_eq!(events.until("awaited").await["name"], "Artist");
    assert_eq!(events.until("piece").await["text"], "Hm. ");
    // Who opens the page now sees what was heard by now.
    let late = house.events().await.until("state").await;
    assert_eq!((&late["awaited"], &late["words"]), (&json!("Artist"), &json!("Hm. ")));
    house.refused(Method::POST, "/v1/storms/weekend/next", json!({}), "goes on already").await;
    house.refused(Method::DELETE, "/v1/storms/weekend", Value::Null, "goes on").await;
    house.done(Method::POST, "/v1/storms/weekend/say", json!({"text": "Mind the rain."})).await;
    assert_eq!(events.until("said").await["text"], "Mind the rain.");
    house.may_speak.add_permits(2);
    assert_eq!(events.until("said").await["from"], "Artist");
    assert_eq!(events.until("said").await["from"], "Critic");
    let ended = events.until("ended").await;
    assert_eq!((&ended["stopped"], &ended["next"]), (&json!(false), &json!("Artist")));
    let one = house.get("/v1/storms/weekend").await;
    let from = |message: &Value| message["from"].as_str().unwrap().to_owned();
    let said: Vec<String> = one["messages"].as_array().unwrap().iter().map(from).collect();
    assert_eq!(said, ["user", "Artist", "Critic"]);
}

#[tokio::test]
async fn it_stops_after_a_speaker_and_asked_again_at_once() {
    let house = House::new();
    house.begun().await;
    let mut events = house.events().await;
    let go = || house.done(Method::POST, "/v1/storms/weekend/next", json!({"count": 5}));
    let stop = || house.done(Method::POST, "/v1/storms/weekend/stop", json!({}));
    go().await;
    events.until("piece").await;
    stop().await;
    house.may_speak.add_permits(1);
    assert_eq!(events.until("said").await["from"], "Artist");
    assert_eq!(events.until("ended").await["stopped"], true);
    go().await;
    events.until("piece").await;
    stop().await;
    stop().await;
    let ended = events.until("ended").await;
    assert_eq!((&ended["stopped"], &ended["next"]), (&json!(true), &json!("Critic")));
    assert_eq!(house.get("/v1/storms/weekend").await["count"], 1, "nothing was added");
}

#[tokio::test]
async fn a_failure_and_an_edit_by_hand_are_told_to_whoever_watches() {
    let house = House::new();
    house.begun().await;
    let artist = house.path("AIStormSessions/weekend/Agents/Artist.md");
    fs::write(&artist, AgentFile::new("OpenAI", "mute", "x").write()).unwrap();
    let mut events = house.events().await;
    events.until("state").await;
    house.may_speak.add_permits(1);
    house.done(Method::POST, "/v1/storms/weekend/next", json!({})).await;
    let failed = events.until("failed").await;
    assert!(failed["text"].as_str().unwrap().contains("busy (429)"), "{failed}");
    assert_eq!(failed["next"], "Artist");
    let log = house.path("AIStormSessions/weekend/weekend.log.md");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replace("# weekend", "# Weekend, by hand")).unwrap();
    events.until("changed").await;
    house.done(Method::POST, "/v1/storms/weekend/next", json!({"tokens": 0})).await;
    assert_eq!(events.until("failed").await["limit"], 0);
}

#[tokio::test]
async fn what_leads_elsewhere_is_refused() {
    let house = House::new();
    fs::create_dir_all(house.path("secret")).unwrap();
    fs::write(house.path("secret/secret.ini.md"), "<aistorm />\n\nx\n").unwrap();
    for id in ["..%2Fsecret", "..", "%2Fetc", ".hidden", "a%5Cb"] {
        for (method, path) in [
            (Method::GET, format!("/v1/storms/{id}")),
            (Method::DELETE, format!("/v1/storms/{id}")),
            (Method::GET, format!("/v1/storms/{id}/events")),
            (Method::GET, format!("/v1/storms/{id}/export/md")),
            (Method::GET, format!("/v1/storms/x/agents/{id}")),
        ] {
            let (status, _) = house.ask(method, &path, Value::Null).await;
            assert!(status.is_client_error(), "{path}: {status}");
        }
    }
    assert!(house.path("secret/secret.ini.md").exists());
    let post = |body: Value| house.refused(Method::POST, "/v1/storms", body, "");
    post(json!({"name": "../x", "premise": "x"})).await;
    post(json!({"name": "x.md", "premise": "x"})).await;
    post(json!({"name": "x", "premise": " "})).await;
    post(json!({"name": "x", "premise": "x".repeat(200_000)})).await;
    post(json!({"name": "x", "premise": "x", "agents": ["Nobody"]})).await;
    post(json!({"name": "x", "premise": "x", "more": 1})).await;
    assert!(!house.path("AIStormSessions").exists());
}

#[tokio::test]
async fn exports_are_files_to_save_and_earlier_messages_come_in_pages() {
    let house = House::new();
    house.begun().await;
    for number in 0..130 {
        let words = json!({"text": format!("word {number}")});
        house.done(Method::POST, "/v1/storms/weekend/say", words).await;
    }
    let last = house.get("/v1/storms/weekend").await;
    assert_eq!((&last["first"], &last["count"]), (&json!(30), &json!(130)));
    let earlier = house.get("/v1/storms/weekend?before=30").await;
    assert_eq!((&earlier["first"], &earlier["messages"][0]["text"]), (&json!(0), &json!("word 0")));
    let request = Request::builder().uri("/v1/storms/weekend/export/html").body(Body::empty());
    let answer = house.router.clone().oneshot(request.unwrap()).await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/octet-stream");
    let named = answer.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert!(named.starts_with("attachment; filename=\"weekend.html\""), "{named}");
}

#[tokio::test]
async fn the_paths_of_the_seed_lead_to_the_pages() {
    let house = House::new();
    for path in ["/sessions", "/agent-editor/A%20b", "/session-editor", "/conversation/x"] {
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        let answer = house.router.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.headers()["location"].to_str().unwrap(), format!("/storm{path}"));
        let request = Request::builder().uri(format!("/storm{path}")).body(Body::empty()).unwrap();
        let answer = house.router.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
    }
}
