//! What holds for every transport: one suite, run on memory, on a pipe of the system and on a real Redis.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod promises;
mod suite;

use std::sync::Arc;
use std::time::Duration;

use broker::redis::acl::Acl;
use broker::redis::{RedisAddress, RedisRequester, Terms};
use broker::{Feed, Publisher, Request, RequestError, Requester, Responder, memory, pipe, redis};
use protocol::sign::{KeyPair, Keys};
use protocol::{
    ActionName, Catalog, Code, Command, Done, Envelope, Event, EventKind, MessageId, Outcome,
    QueueNames, Reply, SessionKey, Stopped, json,
};
use serde_json::json as value;
use testkit::{RedisServer, RedisSetup, eventually};
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes: a test that waits for it has failed already.
const LONG: Duration = Duration::from_secs(60);

/// Both ends of a transport, and what keeps it going.
struct Ends<A, R, P> {
    agent: Arc<A>,
    router: R,
    publisher: P,
    shutdown: CancellationToken,
    server: Option<RedisServer>,
}

fn in_memory() -> Ends<impl Requester + Feed + 'static, impl Responder + 'static, impl Publisher> {
    let shutdown = CancellationToken::new();
    let (agent, router, publisher) = memory::pair(shutdown.clone());
    Ends { agent: Arc::new(agent), router, publisher, shutdown, server: None }
}

fn on_a_pipe() -> Ends<impl Requester + Feed + 'static, impl Responder + 'static, impl Publisher> {
    let shutdown = CancellationToken::new();
    let (to_router, from_agent) = tokio::net::unix::pipe::pipe().unwrap();
    let (to_agent, from_router) = tokio::net::unix::pipe::pipe().unwrap();
    let agent = pipe::PipeRequester::new(from_router, to_router);
    let (router, publisher) = pipe::responder(from_agent, to_agent, shutdown.clone());
    Ends { agent: Arc::new(agent), router, publisher, shutdown, server: None }
}

fn on_redis() -> Ends<impl Requester + Feed + 'static, impl Responder + 'static, impl Publisher> {
    let server = RedisServer::start();
    let address = || RedisAddress::new(&server.url()).unwrap();
    let shutdown = CancellationToken::new();
    let agent = RedisRequester::new(address(), QueueNames::default()).unwrap();
    let terms = Terms { slots: 64, ..Terms::default() };
    let (router, publisher) =
        redis::responder(address(), QueueNames::default(), terms, shutdown.clone()).unwrap();
    Ends { agent: Arc::new(agent), router, publisher, shutdown, server: Some(server) }
}

fn on_redis_signed()
-> Ends<impl Requester + Feed + 'static, impl Responder + 'static, impl Publisher> {
    // Where each may do what it must, and nothing else.
    let acl = Acl::new(&QueueNames::default(), false).unwrap();
    let server = RedisSetup::default()
        .user("agent", &format!("on >a {}", acl.agent))
        .user("router", &format!("on >r {}", acl.router))
        .start();
    let address = |login: &str| {
        RedisAddress::new(&format!("redis://{login}@127.0.0.1:{}", server.port())).unwrap()
    };
    let shutdown = CancellationToken::new();
    let keys = Some(Arc::new(Keys::new(KeyPair::new([1; 32], [2; 32]))));
    let agent =
        RedisRequester::signing(address("agent:a"), QueueNames::default(), keys.clone()).unwrap();
    let terms = Terms { slots: 64, keys, require_signature: true, ..Terms::default() };
    let (router, publisher) =
        redis::responder(address("router:r"), QueueNames::default(), terms, shutdown.clone())
            .unwrap();
    Ends { agent: Arc::new(agent), router, publisher, shutdown, server: Some(server) }
}

fn command(id: &str, params: serde_json::Value) -> Command {
    Command {
        message_id: MessageId::new(id).unwrap(),
        action: ActionName::new("ECHO").unwrap(),
        params: params.as_object().unwrap().clone(),
        envelope: Envelope::current(),
    }
}

fn done(result: serde_json::Value) -> Done {
    Done { result: result.as_object().unwrap().clone(), ..Done::default() }
}

/// Answers every command with its own parameters until the transport closes.
async fn echo(mut router: impl Responder) {
    while let Some(request) = router.receive().await {
        let params = request.command().unwrap().params.clone();
        request.reply(Done { result: params, ..Done::default() });
    }
    router.drained().await;
}

fn stopped(reply: Reply) -> Stopped {
    match reply.outcome {
        Outcome::Stopped(stopped) => stopped,
        Outcome::Done(done) => panic!("{done:?}"),
    }
}

macro_rules! conformance {
    ($($transport:ident),+ => $tests:tt) => { $(conformance!(@one $transport $tests);)+ };
    (@one $transport:ident [$($test:ident),+ $(,)?]) => {
        mod $transport {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::suite::$test(super::$transport()).await;
                }
            )+
        }
    };
}

conformance!(in_memory, on_a_pipe, on_redis, on_redis_signed => [
    a_command_is_answered,
    commands_arrive_in_order_with_their_times,
    many_at_once_get_each_its_own_answer,
    a_request_that_is_dropped_is_answered_all_the_same,
    a_command_without_an_answer_times_out,
    a_command_that_is_too_large_is_not_sent,
    a_command_that_is_taken_back_is_cancelled,
    the_newest_catalogue_is_seen,
    an_event_reaches_its_session_and_no_other,
    closing_waits_until_what_is_open_is_answered,
    a_command_that_was_taken_back_before_it_came_is_cancelled,
    one_id_runs_once_and_a_copy_gets_the_same_reply,
    what_waits_past_its_deadline_is_not_run,
    what_is_urgent_overtakes_and_nothing_starves,
    what_is_put_back_comes_again_as_if_it_had_not_been_begun,
]);

#[tokio::test]
async fn a_push_that_nobody_confirms_may_have_arrived() {
    let server = RedisServer::start();
    let address = RedisAddress::new(&server.url()).unwrap();
    let agent = RedisRequester::new(address, QueueNames::default()).unwrap();
    let client = ::redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let pause = ["PAUSE", "20000", "WRITE"];
    let () = ::redis::cmd("CLIENT").arg(&pause).query_async(&mut connection).await.unwrap();
    let asked = agent.request(command("m1", value!({})), LONG).await;
    assert!(matches!(asked, Err(RequestError::Uncertain { .. })), "{asked:?}");
}

#[tokio::test]
async fn an_agent_whose_redis_is_down_hears_it_and_recovers_when_it_is_back() {
    let mut server = RedisServer::start();
    let address = || RedisAddress::new(&server.url()).unwrap();
    let (names, shutdown) = (QueueNames::default(), CancellationToken::new());
    let agent = RedisRequester::new(address(), names.clone()).unwrap();
    let (router, _publisher) =
        redis::responder(address(), names, Terms::default(), shutdown).unwrap();
    tokio::spawn(echo(router));
    assert!(agent.request(command("m1", value!({})), LONG).await.is_ok());
    server.kill();
    let down = agent.request(command("m2", value!({})), LONG).await;
    // A connection that breaks under the push leaves open whether it arrived; the next one is refused.
    assert!(
        matches!(down, Err(RequestError::Unsent { .. } | RequestError::Uncertain { .. })),
        "{down:?}"
    );
    let down = agent.request(command("m2", value!({})), LONG).await;
    assert!(matches!(down, Err(RequestError::Unsent { .. })), "{down:?}");
    server.restart();
    eventually("a command is answered again", async || {
        agent.request(command("m3", value!({})), Duration::from_secs(5)).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn what_is_wrong_with_a_redis_is_said_with_what_mends_it() {
    let server = testkit::RedisSetup::default().password("right").start();
    let port = server.port();
    for (url, words) in [
        (format!("redis://127.0.0.1:{port}"), "wants a password"),
        (format!("redis://:wrong@127.0.0.1:{port}"), "refuses the user or the password"),
        ("redis://127.0.0.1:1".to_owned(), "nothing listens at redis://127.0.0.1:1"),
    ] {
        let problem = RedisAddress::new(&url).unwrap().check().await.unwrap_err();
        assert!(problem.contains(words), "{problem}");
        assert!(!problem.contains("wrong@"), "{problem}");
    }
    assert_eq!(RedisAddress::new(&server.url()).unwrap().check().await, Ok(()));
}
