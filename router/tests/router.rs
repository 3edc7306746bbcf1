//! The router's loop on the memory transport, with a sandbox that does what a test tells it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use broker::pipe::{PipePublisher, PipeRequester};
use broker::{Feed, Publisher, Requester, memory};
use protocol::{
    ActionName, Code, Command, Done, Envelope, Event, MessageId, Millis, Object, Outcome,
    Principal, Reply, SessionKey, Stopped,
};
use router::approval::{Approvals, PATIENCE};
use router::catalog::Catalog;
use router::config::{RouterConfig, SkillConfig};
use router::policy::{Approved, Policy, Rules};
use router::sandbox::Sandbox;
use router::{Audit, Router, Secrets};
use serde_json::{Value, json};
use testkit::{TempHome, eventually};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

const LONG: Duration = Duration::from_secs(3_600);

/// Counts what runs, and lets each run end only when it is given leave.
#[derive(Clone)]
struct Watched {
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    ran: Arc<AtomicUsize>,
    leave: Arc<Semaphore>,
}

/// Takes one from the count of what runs, also when the run is dropped.
struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Sandbox for Watched {
    async fn run(&self, approved: Approved, _: Millis) -> Result<Object, Stopped> {
        let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        let _running = Running(Arc::clone(&self.running));
        self.most.fetch_max(now, Ordering::SeqCst);
        self.leave.acquire().await.unwrap().forget();
        self.ran.fetch_add(1, Ordering::SeqCst);
        let params = approved.call().command.params.clone();
        if params.get("text") == Some(&json!("fail")) {
            return Err(Stopped::new(Code::SkillFailed, "failed with hunter2hunter2"));
        }
        Ok(Object::from_iter([("said".to_owned(), json!(params))]))
    }
}

/// A publisher whose clock is ahead.
struct Ahead {
    publisher: PipePublisher,
    ahead: Duration,
}

#[async_trait]
impl Publisher for Ahead {
    async fn catalog(&self, catalog: &protocol::Catalog) {
        self.publisher.catalog(catalog).await;
    }

    async fn event(&self, event: &Event) {
        self.publisher.event(event).await;
    }

    fn now(&self) -> Millis {
        self.publisher.now().after(self.ahead)
    }
}

struct House {
    home: TempHome,
    agent: Arc<PipeRequester>,
    sandbox: Watched,
    router: tokio::task::JoinHandle<()>,
    shutdown: CancellationToken,
}

fn skill(home: &TempHome, name: &str, effect: &str, more: &str) {
    let folder = home.router_skills().join(name);
    home.put(
        folder.join("skill.toml").strip_prefix(home.root()).unwrap(),
        format!(
            "name = {:?}\ninstruction = \"Test.\"\neffect = {effect:?}\ncommand = [\"./run\"]\n{more}\n\
             [params]\ntext = {{ type = \"string\", maxLength = 20, optional = true }}\n",
            name.to_ascii_uppercase()
        ),
    );
    home.put(folder.join("run").strip_prefix(home.root()).unwrap(), "#!/bin/sh\n");
    std::fs::set_permissions(folder.join("run"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn house() -> House {
    house_with(|_| {}, 8)
}

fn house_with(prepare: impl FnOnce(&TempHome), parallel: usize) -> House {
    house_ahead(prepare, parallel, Duration::ZERO)
}

/// A house whose router's clock is ahead of that of its queue.
fn house_ahead(prepare: impl FnOnce(&TempHome), parallel: usize, ahead: Duration) -> House {
    let home = TempHome::new();
    skill(&home, "look", "none", "summary = \"looked at {text} and {nothing}\"");
    skill(&home, "post", "external", "");
    skill(&home, "wipe", "irreversible", "");
    skill(
        &home,
        "tokened",
        "external",
        "[net]\nhosts = [\"api.x.com\"]\n[secrets.MISSING]\nhost = \"api.x.com\"\nheader = \"Authorization\"",
    );
    skill(&home, "off", "none", "");
    std::fs::create_dir_all(home.router_audit()).unwrap();
    prepare(&home);
    let off = SkillConfig { enabled: false, ..SkillConfig::default() };
    let config =
        RouterConfig { skills: [("OFF".to_owned(), off)].into(), ..RouterConfig::default() };
    let secrets = Secrets::new([("TOKEN", "hunter2hunter2")]);
    let shutdown = CancellationToken::new();
    let (agent, responder, publisher) = memory::pair(shutdown.clone());
    let count = || Arc::new(AtomicUsize::new(0));
    let sandbox = Watched {
        running: count(),
        most: count(),
        ran: count(),
        leave: Arc::new(Semaphore::new(0)),
    };
    let reload = config.clone();
    let router = Router {
        catalog: Catalog::watched(home.router_skills(), &config, move || reload.clone()),
        policy: Policy::new(Rules::read(Path::new("/nonexistent/policy.toml")).unwrap()),
        approvals: Approvals::default(),
        sandbox: Box::new(sandbox.clone()),
        audit: Audit::open(&home.router_audit(), secrets.clone()).unwrap(),
        secrets,
        publisher: Arc::new(Ahead { publisher, ahead }),
    };
    let router = tokio::spawn(router.run(responder, parallel, LONG));
    House { home, agent: Arc::new(agent), sandbox, router, shutdown }
}

fn command(id: &str, action: &str, params: Value) -> Command {
    Command {
        message_id: MessageId::new(id).unwrap(),
        action: ActionName::new(action).unwrap(),
        params: params.as_object().unwrap().clone(),
        envelope: Envelope {
            session: Some(SessionKey::new("owner").unwrap()),
            principal: Some(Principal::new("console:owner").unwrap()),
            ..Envelope::current()
        },
    }
}

impl House {
    async fn ask(&self, action: &str, params: Value) -> Reply {
        let id = uuid::Uuid::now_v7().to_string();
        self.agent.request(command(&id, action, params), LONG).await.unwrap()
    }

    fn asking(&self, id: &str, action: &str) -> tokio::task::JoinHandle<Reply> {
        let (agent, command) = (Arc::clone(&self.agent), command(id, action, json!({})));
        // Longer than the grace, so that whoever waits sees its end.
        tokio::spawn(async move { agent.request(command, 2 * LONG).await.unwrap() })
    }

    fn let_run(&self, runs: usize) {
        self.sandbox.leave.add_permits(runs);
    }

    fn running(&self) -> usize {
        self.sandbox.running.load(Ordering::SeqCst)
    }

    fn ran(&self) -> usize {
        self.sandbox.ran.load(Ordering::SeqCst)
    }

    async fn events(&self) -> mpsc::Receiver<Event> {
        self.agent.events(&SessionKey::new("owner").unwrap()).await
    }

    fn audit(&self) -> String {
        self.home.text("router/audit/router-1.jsonl")
    }
}

fn stopped(reply: &Reply) -> &Stopped {
    match &reply.outcome {
        Outcome::Stopped(stopped) => stopped,
        Outcome::Done(done) => panic!("it ran: {done:?}"),
    }
}

fn done(reply: &Reply) -> &Done {
    match &reply.outcome {
        Outcome::Done(done) => done,
        Outcome::Stopped(stopped) => panic!("it did not run: {stopped:?}"),
    }
}

/// The question in a `pending` reply.
fn question(reply: &Reply) -> (String, String) {
    assert_eq!(stopped(reply).code, Code::Approval);
    let text = |key: &str| reply.fields["approval"][key].as_str().unwrap().to_owned();
    (text("id"), text("question"))
}

#[tokio::test]
async fn what_runs_has_a_row_before_and_a_row_after_and_its_words() {
    let house = house();
    house.let_run(1);
    let reply = house.ask("LOOK", json!({"text": "it"})).await;
    assert_eq!(done(&reply).text.as_deref(), Some("looked at it and {nothing}"));
    let audit = house.audit();
    let rows: Vec<Value> = audit.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!((&rows[0]["row"], &rows[0]["rule"]), (&json!("intent"), &json!("effects.none")));
    assert_eq!((&rows[1]["row"], &rows[1]["status"]), (&json!("outcome"), &json!("ok")));
}

#[tokio::test]
async fn what_does_not_run_says_why() {
    let house = house();
    for (action, params, code, words) in [
        ("LOK", json!({}), Code::UnknownAction, "did you mean LOOK?"),
        ("LOOK", json!({"text": 5}), Code::BadParams, "text: 5 is not of type \"string\""),
        ("LOOK", json!({"more": 5}), Code::BadParams, "Additional properties"),
        ("LOOK", json!({"text": "x".repeat(21)}), Code::BadParams, "longer than 20"),
        ("OFF", json!({}), Code::Disabled, "router/config.json"),
        ("_LOOK", json!({}), Code::UnknownAction, "no skill _LOOK"),
    ] {
        let reply = house.ask(action, params).await;
        let stopped = stopped(&reply);
        assert_eq!(stopped.code, code, "{action}");
        assert!(stopped.message.contains(words), "{}", stopped.message);
    }
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn what_comes_after_its_deadline_is_not_run() {
    // What is late already when it is taken from the queue is answered there; this one is late when it is judged.
    let house = house_ahead(|_| {}, 8, 2 * LONG);
    house.let_run(1);
    assert_eq!(stopped(&house.ask("LOOK", json!({})).await).code, Code::Deadline);
    eventually("it is written down", async || house.audit().contains("\"code\":\"deadline\""))
        .await;
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn a_missing_secret_makes_a_dry_run_that_needs_no_question() {
    let house = house();
    house.let_run(1);
    let reply = house.ask("TOKENED", json!({})).await;
    assert!(done(&reply).dry_run);
    let text = done(&reply).text.clone().unwrap();
    assert!(text.starts_with("nothing was sent: MISSING is not set in router/.env"), "{text}");
}

#[tokio::test]
async fn no_secret_leaves_in_an_error() {
    let house = house();
    house.let_run(1);
    let reply = house.ask("LOOK", json!({"text": "fail"})).await;
    assert_eq!(stopped(&reply).message, "failed with [secret]");
    assert!(!house.audit().contains("hunter2"));
}

#[tokio::test]
async fn what_is_seen_elsewhere_runs_only_after_a_persons_yes() {
    let house = house();
    let mut events = house.events().await;
    for action in ["POST", "WIPE"] {
        house.let_run(1);
        let before = house.ran();
        let reply = house.ask(action, json!({"text": "Grüße\u{202e}"})).await;
        let (id, shown) = question(&reply);
        assert_eq!(
            shown,
            format!("{action} {{\n  \"text\": \"Gr\\u{{fc}}\\u{{df}}e\\u{{202e}}\"\n}}")
        );
        assert_eq!(house.ran(), before);
        let answer = house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
        assert!(matches!(answer.outcome, Outcome::Done(_)), "{answer:?}");
        let event = events.recv().await.unwrap();
        let result = Reply::from_fields(event.reply.unwrap());
        assert_eq!(done(&result).result["said"]["text"], "Grüße\u{202e}");
        assert_eq!(result.message_id, reply.message_id);
        assert!(house.audit().contains("approved by console:owner"));
        let again = house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
        assert_eq!(stopped(&again).code, Code::BadParams, "an answer counts once");
    }
}

#[tokio::test]
async fn a_no_is_a_no() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "no"})).await;
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert_eq!(stopped(&result).code, Code::Owner);
    assert_eq!(house.ran(), 0);
}

#[tokio::test(start_paused = true)]
async fn no_answer_is_a_no() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    let asked = tokio::time::Instant::now();
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert_eq!(stopped(&result).code, Code::Owner);
    assert!(asked.elapsed() >= PATIENCE);
    let late = house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    assert_eq!(stopped(&late).code, Code::BadParams);
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn an_answer_counts_only_from_the_session_that_asked_and_in_a_name() {
    let house = house();
    let (id, _) = question(&house.ask("POST", json!({})).await);
    let answer = || command("a1", "APPROVE", json!({"id": id, "answer": "yes"}));
    let mut foreign = answer();
    foreign.envelope.session = Some(SessionKey::new("guest").unwrap());
    let mut nobody = answer();
    nobody.envelope.principal = None;
    for answer in [foreign, nobody] {
        let reply = house.agent.request(answer, LONG).await.unwrap();
        assert_eq!(stopped(&reply).code, Code::Owner);
    }
    for params in [
        json!({}),
        json!({"id": id}),
        json!({"id": "x", "answer": "yes"}),
        json!({"id": id, "answer": true}),
    ] {
        assert_eq!(stopped(&house.ask("APPROVE", params).await).code, Code::BadParams);
    }
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn a_session_can_not_pile_up_questions() {
    let house = house();
    for _ in 0..3 {
        question(&house.ask("POST", json!({})).await);
    }
    assert_eq!(stopped(&house.ask("POST", json!({})).await).code, Code::Budget);
}

#[tokio::test]
async fn what_can_not_be_written_down_is_not_run() {
    let house = house_with(
        |home| symlink("/dev/full", home.router_audit().join("router-1.jsonl")).unwrap(),
        8,
    );
    house.let_run(1);
    let reply = house.ask("LOOK", json!({})).await;
    assert_eq!(stopped(&reply).code, Code::Internal);
    assert!(stopped(&reply).message.contains("so nothing was run"), "{reply:?}");
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn what_is_taken_back_is_stopped() {
    let house = house();
    let asked = house.asking("m1", "LOOK");
    eventually("it runs", async || house.running() == 1).await;
    house.agent.cancel(&MessageId::new("m1").unwrap()).await;
    assert_eq!(stopped(&asked.await.unwrap()).code, Code::Cancelled);
    assert_eq!(house.running(), 0);
}

#[tokio::test]
async fn as_many_run_side_by_side_as_there_are_slots_and_the_others_wait() {
    let house = house_with(|_| {}, 2);
    let asked: Vec<_> = (0..5).map(|n| house.asking(&format!("m{n}"), "LOOK")).collect();
    eventually("two run", async || house.running() == 2).await;
    house.let_run(5);
    for reply in asked {
        done(&reply.await.unwrap());
    }
    assert_eq!(house.sandbox.most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn closing_finishes_what_runs_and_begins_nothing_more() {
    let mut house = house_with(|_| {}, 1);
    let runs = house.asking("m1", "LOOK");
    eventually("it runs", async || house.running() == 1).await;
    let waits = house.asking("m2", "LOOK");
    house.shutdown.cancel();
    assert_eq!(stopped(&waits.await.unwrap()).code, Code::Draining);
    house.let_run(1);
    done(&runs.await.unwrap());
    (&mut house.router).await.unwrap();
    assert_eq!(house.ran(), 1);
}

#[tokio::test]
async fn closing_waits_for_what_a_person_has_approved() {
    let mut house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    eventually("it runs", async || house.running() == 1).await;
    house.shutdown.cancel();
    house.let_run(1);
    (&mut house.router).await.unwrap();
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    done(&result);
}

#[tokio::test(start_paused = true)]
async fn what_outlives_the_grace_is_stopped_answered_and_written_down() {
    let mut house = house();
    house.let_run(1);
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    eventually("it ran", async || house.ran() == 1).await;
    let runs = house.asking("m1", "LOOK");
    eventually("it runs", async || house.running() == 1).await;
    house.shutdown.cancel();
    assert_eq!(stopped(&runs.await.unwrap()).code, Code::Interrupted);
    (&mut house.router).await.unwrap();
    assert_eq!(house.running(), 0);
    assert!(house.audit().contains("\"code\":\"interrupted\""));
}

#[tokio::test]
async fn what_was_taken_back_before_it_was_begun_is_not_run() {
    let house = house_with(|_| {}, 1);
    let runs = house.asking("m1", "LOOK");
    eventually("it runs", async || house.running() == 1).await;
    let waits = house.asking("m2", "LOOK");
    house.agent.cancel(&MessageId::new("m2").unwrap()).await;
    house.let_run(2);
    done(&runs.await.unwrap());
    assert_eq!(stopped(&waits.await.unwrap()).code, Code::Cancelled);
    assert_eq!(house.ran(), 1);
}

#[tokio::test]
async fn a_yes_does_not_run_what_was_changed_since_the_question() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.home.put("router/skills/post/run", "#!/bin/sh\n# something else\n");
    let folder = house.home.router_skills().join("post/run");
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    skill(&house.home, "sign", "none", "");
    eventually("the change is seen", async || {
        house.let_run(1);
        matches!(house.ask("SIGN", json!({})).await.outcome, Outcome::Done(_))
    })
    .await;
    let before = house.ran();
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert_eq!(stopped(&result).code, Code::Policy);
    assert_eq!(house.ran(), before);
}

#[tokio::test]
async fn a_question_that_nobody_could_read_is_not_asked() {
    let house = house_with(
        |home| skill(home, "essay", "external", "[[examples]]\nsay = \"x\"\nparams = {}\n"),
        8,
    );
    let manifest = house.home.text("router/skills/essay/skill.toml");
    let wide = manifest.replace("maxLength = 20", "maxLength = 200000");
    house.home.put("router/skills/essay/skill.toml", wide);
    let text = "ä".repeat(30_000);
    eventually("the longer text is taken", async || {
        let reply = house.ask("ESSAY", json!({"text": text})).await;
        stopped(&reply).code == Code::TooLarge
    })
    .await;
}

#[tokio::test]
async fn routers_that_share_a_home_write_logs_of_their_own() {
    let home = TempHome::new();
    let open = || Audit::open(&home.router_audit(), Secrets::default()).unwrap();
    let (_first, _second) = (open(), open());
    assert!(home.router_audit().join("router-2.jsonl").exists());
}
