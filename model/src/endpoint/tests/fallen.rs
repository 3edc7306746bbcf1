//! What a server has refused, for how long that counts, and what people hear of it.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use document::Clock;
use protocol::Millis;

use super::apis::{ANTHROPIC, Api, OLLAMA, OPENAI};
use super::learning::{refuses, ways};
use super::pictures::{show, shown};
use super::requests::{says, told_turn, written};
use super::*;
use crate::{Learned, prove};

const MINUTES: u64 = 60_000;
pub(super) const HOURS: u64 = 60 * MINUTES;
pub(super) const JSON: Way = Way::Json;
pub(super) const NATIVE: Way = Way::Native;
pub(super) const FREE: Way = Way::ToolCode;

/// An agent's files and its clock.
pub(super) struct House {
    folder: tempfile::TempDir,
    now: Arc<AtomicU64>,
}

impl House {
    pub(super) fn new() -> Self {
        let now = Arc::new(AtomicU64::new(1_000 * HOURS));
        Self { folder: tempfile::tempdir().unwrap(), now }
    }

    pub(super) fn passes(&self, time: u64) {
        self.now.fetch_add(time, Ordering::SeqCst);
    }

    fn known(&self) -> Arc<Endpoints> {
        let now = Arc::clone(&self.now);
        let clock = Clock::new(move || Millis(now.load(Ordering::SeqCst)));
        Arc::new(Endpoints::at(self.folder.path()).with_clock(clock))
    }

    /// The model `m` there, as an agent that was just started asks it.
    pub(super) fn endpoint(&self, api: &Api, server: &Server) -> Endpoint {
        self.model("m", api, server)
    }

    fn model(&self, model: &str, api: &Api, server: &Server) -> Endpoint {
        let mut target = api.target(&server.address);
        target.model = model.to_owned();
        Endpoint::new(&target, &keys(), self.known()).unwrap()
    }
}

/// Says something, and gives what people hear beside the answer.
pub(super) async fn heard(endpoint: &Endpoint, server: &Server) -> Vec<String> {
    let (told, result) = told_turn(endpoint, &written).await;
    result.unwrap();
    told.notices.iter().map(|notice| notice.replace(&server.address, "HOST")).collect()
}

pub(super) fn no() -> Says {
    refuses("400 Bad Request", "failed to parse grammar")
}

/// A server that refuses the JSON way and takes the next, and then says these.
async fn refusing(says_then: impl IntoIterator<Item = Says>) -> Server {
    Server::start([no(), says(&OPENAI, "Hi")].into_iter().chain(says_then)).await
}

pub(super) fn ok() -> Says {
    says(&OPENAI, "{}")
}

#[tokio::test]
async fn a_way_that_is_refused_is_told_once_and_tried_again_after_a_day() {
    let house = House::new();
    let server = refusing([ok(), ok(), ok(), ok()]).await;
    let endpoint = house.endpoint(&OPENAI, &server);
    insta::assert_snapshot!(heard(&endpoint, &server).await.join("\n"), @"m at HOST is asked in another way for a day: json was answered with 400: failed to parse grammar; /model shows in which");
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    house.passes(23 * HOURS);
    // The agent was started again.
    let endpoint = house.endpoint(&OPENAI, &server);
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    house.passes(2 * HOURS);
    insta::assert_snapshot!(heard(&endpoint, &server).await.join("\n"), @"m at HOST is asked in the usual way again");
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    assert_eq!(ways(&server), [JSON, NATIVE, NATIVE, NATIVE, JSON, JSON]);
    let learned = house.known().recall(&server.address, "m");
    assert_eq!((learned.way, learned.way_refused), (None, None));
}

#[tokio::test]
async fn a_way_that_is_refused_day_after_day_is_no_news() {
    let house = House::new();
    let server = refusing([no(), ok(), ok()]).await;
    let endpoint = house.endpoint(&OPENAI, &server);
    assert_eq!(heard(&endpoint, &server).await.len(), 1);
    house.passes(25 * HOURS);
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    house.passes(23 * HOURS);
    assert_eq!(heard(&house.endpoint(&OPENAI, &server), &server).await, [""; 0]);
    assert_eq!(ways(&server), [JSON, NATIVE, JSON, NATIVE, NATIVE]);
}

#[tokio::test]
async fn a_way_in_which_none_answered_is_neither_learned_nor_told() {
    let house = House::new();
    let server = Server::start([no(), no(), no(), ok()]).await;
    let endpoint = house.endpoint(&OPENAI, &server);
    let (told, result) = told_turn(&endpoint, &written).await;
    assert!(result.is_err() && told.notices.is_empty(), "{told:?}");
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    assert_eq!(ways(&server), [JSON, NATIVE, FREE, JSON]);
}

#[tokio::test]
async fn what_one_model_can_not_is_not_held_against_the_others_of_its_server() {
    let house = House::new();
    let server = refusing([ok(), ok()]).await;
    assert_eq!(heard(&house.endpoint(&OPENAI, &server), &server).await.len(), 1);
    assert_eq!(heard(&house.model("other", &OPENAI, &server), &server).await, [""; 0]);
    assert_eq!(heard(&house.endpoint(&OPENAI, &server), &server).await, [""; 0]);
    assert_eq!(ways(&server), [JSON, NATIVE, JSON, NATIVE]);
}

#[tokio::test]
async fn a_schema_that_is_ignored_is_told_once_and_asked_for_after_a_day() {
    let house = House::new();
    let texts = ["Hi", "Hi", "Hi", "Hi", "Hi", "Hi", "{}"];
    let server = Server::start(texts.map(|text| says(&OLLAMA, text))).await;
    let endpoint = house.endpoint(&OLLAMA, &server);
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    insta::assert_snapshot!(heard(&endpoint, &server).await.join("\n"), @"m at HOST is asked in another way for a day: 2 answers in a row had another form than it was asked for; /model shows in which");
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    house.passes(25 * HOURS);
    // It still ignores it, which is nothing new.
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    house.passes(25 * HOURS);
    assert_eq!(heard(&endpoint, &server).await.len(), 1);
    assert_eq!(ways(&server), [JSON, JSON, FREE, JSON, JSON, FREE, JSON]);
}

#[tokio::test]
async fn a_model_that_is_chosen_anew_is_asked_anew() {
    let house = House::new();
    let server = refusing([says(&OPENAI, "ready"), no(), ok(), ok()]).await;
    // One that talks goes on to do so while the model is chosen elsewhere, as by `config llm`.
    let talking = house.endpoint(&OPENAI, &server);
    assert_eq!(heard(&talking, &server).await.len(), 1);
    prove(&house.endpoint(&OPENAI, &server), &mut |_| {}).await.unwrap();
    assert_eq!(house.known().recall(&server.address, "m").way, None);
    assert_eq!(heard(&talking, &server).await.len(), 1);
    assert_eq!(heard(&house.endpoint(&OPENAI, &server), &server).await, [""; 0]);
    let mut expected = vec![JSON, NATIVE, FREE, JSON, NATIVE, NATIVE];
    assert_eq!(ways(&server), expected);
    // One that does not answer has not been chosen.
    let server = refusing([refuses("500 Internal Server Error", "no"), ok()]).await;
    let endpoint = house.endpoint(&OPENAI, &server);
    heard(&endpoint, &server).await;
    prove(&endpoint, &mut |_| {}).await.unwrap_err();
    heard(&endpoint, &server).await;
    expected.truncate(3);
    expected.push(NATIVE);
    assert_eq!(ways(&server), expected);
}

#[tokio::test]
async fn what_others_forget_is_heard_from_the_server_again() {
    let house = House::new();
    let props = r#"{"default_generation_settings":{"n_ctx":4096}}"#.to_owned();
    let script = [ok(), says(&OPENAI, "ready"), ok()];
    let server = Server::described(script, &[("/props", props)]).await;
    let talking = house.endpoint(&OPENAI, &server);
    heard(&talking, &server).await;
    prove(&house.endpoint(&OPENAI, &server), &mut |_| {}).await.unwrap();
    heard(&talking, &server).await;
    assert_eq!(talking.memo.size(None).window, 4_096);
}

#[tokio::test]
async fn what_was_learned_of_other_versions_does_not_hold() {
    let ollama = |version: &str, pulled: &str| {
        let show =
            format!(r#"{{"model_info":{{"x.context_length":8192}},"modified_at":"{pulled}"}}"#);
        [("/api/version", format!(r#"{{"version":"{version}"}}"#)), ("/api/show", show)]
    };
    let llama_cpp = |build: &str, path: &str| {
        let props = format!(
            r#"{{"default_generation_settings":{{"n_ctx":8192}},"build_info":"{build}","model_path":"{path}"}}"#
        );
        [("/props", props), ("/nowhere", String::new())]
    };
    for (api, before, same, others) in [
        (OLLAMA, ollama("1", "a"), ollama("1", "a"), [ollama("2", "a"), ollama("1", "b")]),
        (
            OPENAI,
            llama_cpp("1", "a"),
            llama_cpp("1", "a"),
            [llama_cpp("2", "a"), llama_cpp("1", "b")],
        ),
    ] {
        for (after, expected) in [(&same, NATIVE), (&others[0], JSON), (&others[1], JSON)] {
            let house = House::new();
            let first = Server::described([no(), says(&api, "Hi")], &before).await;
            heard(&house.endpoint(&api, &first), &first).await;
            let second = Server::described([says(&api, "{}")], after).await;
            // It is the same address after the update, so what was learned at the first is known of it.
            let learned = house.known().recall(&first.address, "m");
            house.known().remember(&second.address, "m", learned);
            heard(&house.endpoint(&api, &second), &second).await;
            assert_eq!(ways(&second), [expected], "{} {after:?}", api.name);
        }
    }
}

#[tokio::test]
async fn half_of_the_versions_are_not_taken_for_others() {
    let show = r#"{"model_info":{"x.context_length":8192},"modified_at":"a"}"#.to_owned();
    let version = ("/api/version", r#"{"version":"1"}"#.to_owned());
    let house = House::new();
    let before = [version, ("/api/show", show.clone())];
    let first = Server::described([no(), says(&OLLAMA, "Hi")], &before).await;
    heard(&house.endpoint(&OLLAMA, &first), &first).await;
    let second = Server::described([says(&OLLAMA, "Hi")], &[("/api/show", show)]).await;
    let learned = house.known().recall(&first.address, "m");
    assert_eq!(learned.build.as_deref(), Some("1 a"));
    house.known().remember(&second.address, "m", learned.clone());
    heard(&house.endpoint(&OLLAMA, &second), &second).await;
    assert_eq!(ways(&second), [NATIVE]);
    assert_eq!(house.known().recall(&second.address, "m").build, learned.build);
}

#[tokio::test]
async fn a_server_says_what_it_is_each_hour_and_after_it_was_gone() {
    let house = House::new();
    let server = Server::start([ok(), ok(), Says::This(Vec::new()), ok()]).await;
    let endpoint = house.endpoint(&OPENAI, &server);
    heard(&endpoint, &server).await;
    assert!(!endpoint.memo.wants_description());
    house.passes(59 * MINUTES);
    assert!(!endpoint.memo.wants_description());
    house.passes(MINUTES);
    assert!(endpoint.memo.wants_description());
    heard(&endpoint, &server).await;
    assert!(!endpoint.memo.wants_description());
    told_turn(&endpoint, &written).await.1.unwrap_err();
    assert!(endpoint.memo.wants_description());
}

#[tokio::test]
async fn a_picture_that_was_refused_is_tried_again_after_a_day() {
    let house = House::new();
    let no = refuses("400 Bad Request", "Image input modality is not enabled");
    let well = || says(&ANTHROPIC, "Well.");
    let server = Server::start([no, well(), well(), well()]).await;
    let endpoint = house.endpoint(&ANTHROPIC, &server);
    show(&endpoint).await.unwrap();
    house.passes(23 * HOURS);
    show(&endpoint).await.unwrap();
    house.passes(2 * HOURS);
    show(&endpoint).await.unwrap();
    assert_eq!(shown(&server), [true, false, false, true]);
}

fn old(folder: &Path, server: &Server) {
    let entry = r#"{"way": "native", "window": 4096, "bytes_per_token": 4.5, "sees": false}"#;
    let text = format!(r#"{{"{} m": {entry}}}"#, server.address);
    std::fs::write(folder.join("endpoints.json"), text).unwrap();
}

#[tokio::test]
async fn what_was_learned_before_there_were_dates_is_asked_for_anew() {
    let house = House::new();
    let server = Server::start([no(), ok(), ok()]).await;
    old(house.folder.path(), &server);
    let endpoint = house.endpoint(&OPENAI, &server);
    let size = endpoint.memo.size(None);
    assert_eq!((size.window, size.bytes_per_token), (4_096, 4.5));
    assert_eq!(heard(&endpoint, &server).await, [""; 0]);
    assert_eq!(heard(&house.endpoint(&OPENAI, &server), &server).await, [""; 0]);
    assert_eq!(ways(&server), [JSON, NATIVE, NATIVE]);
    let server = Server::start([ok()]).await;
    old(house.folder.path(), &server);
    let notices = heard(&house.endpoint(&OPENAI, &server), &server).await;
    assert_eq!(notices, ["m at HOST is asked in the usual way again"]);
}

#[tokio::test]
async fn a_window_that_was_found_by_refusals_goes_with_the_version() {
    let house = House::new();
    let props = |build: &str| {
        // One that says its version and not its window.
        let props =
            format!(r#"{{"default_generation_settings":{{"n_ctx":0}},"build_info":"{build}"}}"#);
        [("/props", props)]
    };
    let server = Server::described([ok()], &props("2")).await;
    let refused = Some(crate::Refused { at: Millis(1), words: String::new() });
    let learned = Learned {
        window: Some(2_048),
        prompt_refused: refused,
        build: Some("1".to_owned()),
        ..Learned::default()
    };
    house.known().remember(&server.address, "m", learned);
    let endpoint = house.endpoint(&OPENAI, &server);
    assert_eq!(endpoint.memo.size(None).window, 2_048);
    heard(&endpoint, &server).await;
    assert_eq!(endpoint.memo.size(None).window, 8_192);
}
