//! Routers that can be killed, and a look at the keys that they leave.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use broker::redis::{RedisAddress, RedisRequester, Terms};
use broker::{Publisher, Request, Responder};
use protocol::sign::{About, KeyPair, Keys};
use protocol::{
    ActionName, Catalog, Command, Done, Envelope, MessageId, Millis, Object, Outcome, QueueNames,
    Reply, Stopped,
};
use redis::{Commands, Connection};
use testkit::{RedisServer, wait_until};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes: a test that waits for it has failed already.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) const QUEUE: &str = "safeclaw:command_queue";
pub(crate) const AGAIN: &str = "{safeclaw:command_queue}:q:again";
pub(crate) const CONTROL: &str = "{safeclaw:command_queue}:control";
pub(crate) const STATE: &str = "{safeclaw:command_queue}:command:";
pub(crate) const LETTERS: &str = "{safeclaw:command_queue}:dlq";

/// Terms under which a death is noticed within a second.
pub(crate) fn quick() -> Terms {
    Terms {
        beat: Duration::from_millis(50),
        dead_after: Duration::from_millis(700),
        ..Terms::default()
    }
}

/// What routers have begun, by id: the attempt of each time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs(Arc<Mutex<BTreeMap<String, Vec<u32>>>>);

impl Runs {
    /// Writes down that a request is begun.
    pub(crate) fn begin(&self, request: &Request) -> Command {
        let command = request.command().unwrap().clone();
        let id = command.message_id.to_string();
        self.0.lock().unwrap().entry(id).or_default().push(request.attempt());
        command
    }

    pub(crate) fn of(&self, id: &str) -> Vec<u32> {
        self.0.lock().unwrap().get(id).cloned().unwrap_or_default()
    }

    pub(crate) fn all(&self) -> BTreeMap<String, Vec<u32>> {
        self.0.lock().unwrap().clone()
    }
}

/// A router at work in a runtime of its own.
pub(crate) struct Router {
    runtime: Option<Runtime>,
    shutdown: CancellationToken,
    gone: CancellationToken,
}

impl Router {
    /// Starts one that hands each request to `serve`.
    pub(crate) fn start(
        server: &RedisServer,
        terms: Terms,
        serve: impl Fn(Request) + Send + 'static,
    ) -> Self {
        Self::at(&server.url(), terms, false, serve)
    }

    /// The same, which publishes a catalogue as well, so that agents know that it lives.
    pub(crate) fn publishing(
        server: &RedisServer,
        terms: Terms,
        serve: impl Fn(Request) + Send + 'static,
    ) -> Self {
        Self::at(&server.url(), terms, true, serve)
    }

    /// The same by an address, which may be that of something in between.
    pub(crate) fn at(
        url: &str,
        terms: Terms,
        publishes: bool,
        serve: impl Fn(Request) + Send + 'static,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (shutdown, gone) = (CancellationToken::new(), CancellationToken::new());
        let address = RedisAddress::new(url).unwrap();
        let (closing, ended) = (shutdown.clone(), gone.clone());
        runtime.spawn(async move {
            let names = QueueNames::default();
            let (mut responder, publisher) =
                broker::redis::responder(address, names, terms, closing).unwrap();
            if publishes {
                publisher.catalog(&Catalog { version: "1".to_owned(), cards: Vec::new() }).await;
            }
            while let Some(request) = responder.receive().await {
                serve(request);
            }
            responder.drained().await;
            responder.leave().await;
            ended.cancel();
        });
        Self { runtime: Some(runtime), shutdown, gone }
    }

    /// Ends it at once, wherever it stands.
    pub(crate) fn kill(mut self) {
        self.runtime.take().unwrap().shutdown_background();
    }

    /// Ends it as SIGTERM does, and waits until it is gone.
    pub(crate) fn end(mut self) {
        self.shutdown.cancel();
        let gone = self.gone.clone();
        wait_until("the router is gone", || gone.is_cancelled());
        self.runtime.take().unwrap().shutdown_background();
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Keys of an agent and its routers.
pub(crate) fn keys() -> Arc<Keys> {
    Arc::new(Keys::new(KeyPair::new([1; 32], [2; 32])))
}

/// Terms of a router with keys.
pub(crate) fn signed(require_signature: bool) -> Terms {
    Terms { keys: Some(keys()), require_signature, ..quick() }
}

/// A command of an agent that may be begun within `life` of `issued_at`.
pub(crate) fn command_of(id: &str, issued_at: Millis, life: Duration) -> Command {
    let mut command = command(id);
    command.envelope.issued_at = Some(issued_at);
    command.envelope.deadline = Some(issued_at.after(life));
    command
}

/// A command as an agent with these keys signs it.
pub(crate) fn bytes(command: &Command, keys: &Keys) -> Vec<u8> {
    keys.sign(&About::command(command), command.to_bytes())
}

/// A command of an agent with the key, which lives for a minute.
pub(crate) fn good(id: &str) -> Vec<u8> {
    bytes(&command_of(id, Millis::of_this_machine(), LONG), &keys())
}

/// The bytes of a signed command with something put in the place of something else.
pub(crate) fn altered(command: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(command.to_vec()).unwrap();
    assert!(text.contains(from), "{text}");
    text.replacen(from, to, 1).into_bytes()
}

/// An agent's end with keys.
pub(crate) fn signing(server: &RedisServer) -> Arc<RedisRequester> {
    let address = RedisAddress::new(&server.url()).unwrap();
    Arc::new(RedisRequester::signing(address, QueueNames::default(), Some(keys())).unwrap())
}

/// Answers with the attempt's number.
pub(crate) fn answer(request: Request) {
    let attempt = request.attempt();
    request.reply(Done {
        result: Object::from_iter([("attempt".to_owned(), attempt.into())]),
        ..Done::default()
    });
}

/// A router that writes down what it begins, and answers at once.
pub(crate) fn answering(server: &RedisServer, runs: &Runs) -> Router {
    let runs = runs.clone();
    Router::start(server, quick(), move |request| {
        runs.begin(&request);
        answer(request);
    })
}

/// A router with keys that writes down what it begins, and answers with the parameters.
pub(crate) fn echoing(server: &RedisServer, require_signature: bool, runs: &Runs) -> Router {
    let runs = runs.clone();
    Router::publishing(server, signed(require_signature), move |request| {
        let result = runs.begin(&request).params;
        request.reply(Done { result, ..Done::default() });
    })
}

/// A client that sees the keys as they are.
pub(crate) fn connect(server: &RedisServer) -> Connection {
    redis::Client::open(server.url()).unwrap().get_connection().unwrap()
}

/// What the first version's agent pushes.
pub(crate) fn legacy(id: &str) -> String {
    format!(r#"{{"message_id":"{id}","action":"ECHO","params":{{}}}}"#)
}

pub(crate) fn command(id: &str) -> Command {
    Command {
        message_id: MessageId::new(id).unwrap(),
        action: ActionName::new("ECHO").unwrap(),
        params: Object::new(),
        envelope: Envelope::current(),
    }
}

/// A command that is already late, or will be never.
pub(crate) fn with_deadline(id: &str, deadline: Millis) -> String {
    let mut command = command(id);
    command.envelope.deadline = Some(deadline);
    String::from_utf8(command.to_bytes()).unwrap()
}

/// Pops the reply to `id`, as the first version's agent does.
pub(crate) fn reply(redis: &mut Connection, id: &str) -> Reply {
    let key = format!("safeclaw:response:{id}");
    let popped: Option<(String, Vec<u8>)> = redis.blpop(&key, LONG.as_secs_f64()).unwrap();
    let (_, bytes) = popped.unwrap_or_else(|| panic!("no reply to {id}"));
    Reply::from_bytes(&bytes).unwrap()
}

pub(crate) fn stopped(reply: &Reply) -> &Stopped {
    match &reply.outcome {
        Outcome::Stopped(stopped) => stopped,
        Outcome::Done(done) => panic!("{done:?}"),
    }
}

/// An agent's end.
pub(crate) fn agent(server: &RedisServer) -> RedisRequester {
    let address = RedisAddress::new(&server.url()).unwrap();
    RedisRequester::new(address, QueueNames::default()).unwrap()
}

/// The reasons of the dead letters, the oldest first.
pub(crate) fn letters(redis: &mut Connection) -> Vec<String> {
    let letters: Vec<String> = redis.lrange(LETTERS, 0, -1).unwrap();
    let reason = |letter: &String| {
        let letter: serde_json::Value = serde_json::from_str(letter).unwrap();
        letter["reason"].as_str().unwrap().to_owned()
    };
    letters.iter().rev().map(reason).collect()
}

/// Waits until nothing is in anybody's hands, and checks that nothing lies about for ever.
pub(crate) fn settles(server: &RedisServer) {
    let mut redis = connect(server);
    wait_until("nothing is in hand", || {
        let works: Vec<String> = redis.keys("*:work:*").unwrap();
        works.is_empty()
    });
    for key in redis.keys::<_, Vec<String>>("*").unwrap() {
        let kept = [QUEUE, AGAIN, LETTERS].contains(&key.as_str()) || key.ends_with(":routers");
        // In milliseconds; -1 is for ever, and -2 says that it has gone meanwhile.
        let ttl: i64 = redis.pttl(&key).unwrap();
        assert!(kept || ttl != -1, "{key} stays for ever");
    }
}

/// Puts a command where the first version's agent does.
pub(crate) fn push(redis: &mut Connection, command: &[u8]) {
    let () = redis.lpush(QUEUE, command).unwrap();
}

/// Waits until nothing is in a lane or in hand.
pub(crate) fn served(redis: &mut Connection) {
    wait_until("all is served", || {
        let waiting: usize = redis.llen(QUEUE).unwrap();
        let works: Vec<String> = redis.keys("*:work:*").unwrap();
        waiting == 0 && works.is_empty()
    });
}
