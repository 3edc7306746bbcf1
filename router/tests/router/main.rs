//! The router's loop on the memory transport, with a sandbox that does what a test tells it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod approval;
mod calls;
mod changed;
mod day;
mod pin;
mod running;
mod trips;
mod unlock;
mod wall;
mod work;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use broker::pipe::{PipePublisher, PipeRequester};
use broker::{Feed, Publisher, Requester, Store, memory};
use protocol::{
    ActionName, Code, Command, Done, Envelope, Event, MessageId, Millis, Object, Outcome,
    Principal, Reply, SessionKey, Stopped,
};
use router::catalog::Catalog;
use router::config::{RouterConfig, SkillConfig};
use router::policy::{Approved, PolicyFile};
use router::runner::Sandbox;
use router::{Audit, Judge, Pulse, Router, Secrets, TrafficBook, Workbench};
use serde_json::{Value, json};
use shared::Folder;
use testkit::{TempHome, eventually};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use trips::{Counted, Trips};

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
        let mut result = Object::from_iter([("said".to_owned(), json!(params))]);
        if params.get("text") == Some(&json!("links")) {
            result.insert("more".to_owned(), json!(["https://a.example/"]));
        }
        Ok(result)
    }
}

/// A publisher whose clock is ahead.
struct Ahead {
    publisher: PipePublisher,
    ahead: Duration,
    routers: Arc<AtomicU64>,
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

    async fn routers(&self) -> u64 {
        self.routers.load(Ordering::SeqCst)
    }
}

struct House {
    home: TempHome,
    agent: Arc<PipeRequester>,
    sandbox: Watched,
    trips: Trips,
    /// How many routers the queue says there are.
    routers: Arc<AtomicU64>,
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
    house_at(home, parallel, ahead)
}

/// A router in a home that may have seen one before.
fn house_at(home: TempHome, parallel: usize, ahead: Duration) -> House {
    let off = SkillConfig { enabled: false, ..SkillConfig::default() };
    let anywhere = SkillConfig { any_host: true, ..SkillConfig::default() };
    let skills = [("OFF".to_owned(), off), ("FETCH".to_owned(), anywhere)].into();
    let config = RouterConfig { skills, ..RouterConfig::default() };
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
    let trips = Trips::default();
    let store = Counted { store: Folder::at(home.router_state()), trips: Arc::clone(&trips) };
    let store: Arc<dyn Store> = Arc::new(store);
    let routers = Arc::new(AtomicU64::new(1));
    let router = Router {
        catalog: Catalog::watched(&home, &config, move || reload.clone()),
        judge: Judge::new(PolicyFile::open(&home.router().join("policy.toml")).unwrap(), &store),
        sandbox: Box::new(sandbox.clone()),
        audit: Audit::open(&home.router_audit(), secrets.clone()).unwrap(),
        traffic: TrafficBook::new(&store),
        pulse: Pulse::default(),
        workbench: Workbench::new(&home, &store),
        secrets,
        publisher: Arc::new(Ahead { publisher, ahead, routers: Arc::clone(&routers) }),
    };
    let router = tokio::spawn(router.run(responder, parallel, LONG));
    House { home, agent: Arc::new(agent), sandbox, trips, routers, router, shutdown }
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

    /// What a person answers, and how it ended.
    async fn answer(&self, id: &str, answer: &str, code: Option<&str>) -> Reply {
        let mut params = json!({"id": id, "answer": answer});
        if let Some(code) = code {
            params["code"] = json!(code);
        }
        self.ask("APPROVE", params).await
    }

    /// Ends the router, and begins another one in the same home.
    async fn restarted(self) -> Self {
        self.restarted_with(|_| {}).await
    }

    /// The same, with something done to the home in between.
    async fn restarted_with(self, meanwhile: impl FnOnce(&TempHome)) -> Self {
        self.shutdown.cancel();
        self.router.await.unwrap();
        meanwhile(&self.home);
        house_at(self.home, 8, Duration::ZERO)
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

    async fn events(&self) -> mpsc::UnboundedReceiver<Event> {
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

/// How the pending command of an event has ended.
async fn result(events: &mut mpsc::UnboundedReceiver<Event>) -> Reply {
    loop {
        let event = events.recv().await.unwrap();
        if let Some(fields) = event.reply {
            return Reply::from_fields(fields);
        }
    }
}

/// The code that stands in a question.
fn code_in(question: &str) -> &str {
    question.rsplit_once("type ").unwrap().1
}
