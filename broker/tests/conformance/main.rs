//! What holds for every transport: one suite, run on memory, on a pipe of the system and on a real Redis.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

mod promises;

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

mod suite {
    use super::*;

    pub(crate) use super::promises::*;

    pub(crate) async fn a_command_is_answered<
        A: Requester + Feed,
        R: Responder + 'static,
        P: Publisher,
    >(
        ends: Ends<A, R, P>,
    ) {
        tokio::spawn(echo(ends.router));
        let before = ends.publisher.now();
        let reply =
            ends.agent.request(command("m1", value!({"ä": [1, "\n"]})), LONG).await.unwrap();
        assert_eq!(reply.outcome, done(value!({"ä": [1, "\n"]})).into());
        assert_eq!(reply.message_id, Some(MessageId::new("m1").unwrap()));
        assert!(ends.publisher.now() >= before);
    }

    pub(crate) async fn commands_arrive_in_order_with_their_times<
        A: Requester + Feed + 'static,
        R: Responder,
        P: Publisher,
    >(
        mut ends: Ends<A, R, P>,
    ) {
        let mut waiting = Vec::new();
        for n in 0..20 {
            let agent = Arc::clone(&ends.agent);
            let asked = command(&format!("m{n}"), value!({"n": n}));
            let mut request = tokio::spawn(async move { agent.request(asked, LONG).await });
            // One after the other is on its way before the next one is sent.
            let received = tokio::select! {
                received = ends.router.receive() => received.unwrap(),
                reply = &mut request => panic!("{reply:?}"),
            };
            let envelope = &received.command().unwrap().envelope;
            let (issued, deadline) = (envelope.issued_at.unwrap(), envelope.deadline.unwrap());
            // What comes too late is answered while its sender still waits.
            assert_eq!(deadline.since(issued), LONG - Duration::from_millis(100));
            assert_eq!(received.command().unwrap().params["n"], n);
            waiting.push((received, request));
        }
        // Answered backwards, each answer still finds its question.
        for (n, (received, request)) in waiting.into_iter().enumerate().rev() {
            received.reply(done(value!({"answer": n})));
            let reply = request.await.unwrap().unwrap();
            assert_eq!(reply.outcome, done(value!({"answer": n})).into());
        }
    }

    pub(crate) async fn many_at_once_get_each_its_own_answer<
        A: Requester + Feed + 'static,
        R: Responder + 'static,
        P: Publisher,
    >(
        ends: Ends<A, R, P>,
    ) {
        tokio::spawn(echo(ends.router));
        let requests = (0..200).map(|n| {
            let agent = Arc::clone(&ends.agent);
            tokio::spawn(async move {
                let reply = agent.request(command(&format!("m{n}"), value!({"n": n})), LONG).await;
                assert_eq!(reply.unwrap().outcome, done(value!({"n": n})).into());
            })
        });
        for request in requests.collect::<Vec<_>>() {
            request.await.unwrap();
        }
    }

    pub(crate) async fn a_request_that_is_dropped_is_answered_all_the_same<
        A: Requester + Feed + 'static,
        R: Responder,
        P: Publisher,
    >(
        mut ends: Ends<A, R, P>,
    ) {
        let agent = Arc::clone(&ends.agent);
        let asked =
            tokio::spawn(async move { agent.request(command("m1", value!({})), LONG).await });
        drop(ends.router.receive().await.unwrap());
        let stopped = stopped(asked.await.unwrap().unwrap());
        assert_eq!((stopped.code, stopped.maybe_executed), (Code::Internal, true));
    }

    pub(crate) async fn a_command_without_an_answer_times_out<
        A: Requester + Feed,
        R: Responder,
        P: Publisher,
    >(
        ends: Ends<A, R, P>,
    ) {
        let after = Duration::from_millis(50);
        let reply = ends.agent.request(command("m1", value!({})), after).await;
        assert_eq!(reply, Err(RequestError::NoReply { after }));
    }

    pub(crate) async fn a_command_that_is_too_large_is_not_sent<
        A: Requester + Feed,
        R: Responder,
        P: Publisher,
    >(
        ends: Ends<A, R, P>,
    ) {
        let text = "x".repeat(json::MAX_BYTES);
        let reply = ends.agent.request(command("m1", value!({"text": text})), LONG).await;
        assert!(matches!(reply, Err(RequestError::TooLarge { .. })), "{reply:?}");
    }

    pub(crate) async fn a_command_that_is_taken_back_is_cancelled<
        A: Requester + Feed + 'static,
        R: Responder,
        P: Publisher,
    >(
        mut ends: Ends<A, R, P>,
    ) {
        publish(&ends).await;
        let agent = Arc::clone(&ends.agent);
        tokio::spawn(async move { agent.request(command("m1", value!({})), LONG).await });
        let received: Request = ends.router.receive().await.unwrap();
        assert!(!received.cancelled().is_cancelled());
        ends.agent.cancel(&MessageId::new("other").unwrap()).await;
        ends.agent.cancel(&MessageId::new("m1").unwrap()).await;
        tokio::time::timeout(LONG, received.cancelled().cancelled()).await.unwrap();
    }

    pub(crate) async fn the_newest_catalogue_is_seen<
        A: Requester + Feed,
        R: Responder,
        P: Publisher,
    >(
        ends: Ends<A, R, P>,
    ) {
        publish(&ends).await;
        let newer = Catalog { version: "2".to_owned(), cards: Vec::new() };
        ends.publisher.catalog(&newer).await;
        let mut catalog = ends.agent.catalog();
        let seen =
            tokio::time::timeout(LONG, catalog.wait_for(|seen| seen.as_ref() == Some(&newer)))
                .await;
        assert!(seen.unwrap().is_ok());
    }

    pub(crate) async fn an_event_reaches_its_session_and_no_other<
        A: Requester + Feed,
        R: Responder,
        P: Publisher,
    >(
        ends: Ends<A, R, P>,
    ) {
        let [mine, other] = ["owner", "guest"].map(|key| SessionKey::new(key).unwrap());
        let mut events = ends.agent.events(&mine).await;
        let at = ends.publisher.now();
        let event = |session: &SessionKey, text: &str| Event {
            event: EventKind::Notice,
            session: session.clone(),
            at,
            message_id: None,
            text: Some(text.to_owned()),
            reply: None,
        };
        ends.publisher.event(&event(&other, "not mine")).await;
        ends.publisher.event(&event(&mine, "first")).await;
        ends.publisher.event(&event(&mine, "second")).await;
        for text in ["first", "second"] {
            let heard = tokio::time::timeout(LONG, events.recv()).await.unwrap();
            assert_eq!(heard, Some(event(&mine, text)));
        }
    }

    pub(crate) async fn closing_waits_until_what_is_open_is_answered<
        A: Requester + Feed + 'static,
        R: Responder + 'static,
        P: Publisher,
    >(
        mut ends: Ends<A, R, P>,
    ) {
        let agent = Arc::clone(&ends.agent);
        let asked =
            tokio::spawn(async move { agent.request(command("m1", value!({})), LONG).await });
        let received = ends.router.receive().await.unwrap();
        assert!(!ends.router.closing().is_cancelled());
        ends.shutdown.cancel();
        assert!(ends.router.closing().is_cancelled());
        assert!(ends.router.receive().await.is_none());
        let mut router = ends.router;
        let mut draining = Box::pin(router.drained());
        let early = tokio::time::timeout(Duration::from_millis(100), &mut draining).await;
        assert!(early.is_err(), "it did not wait for the open command");
        received.reply(done(value!({"late": true})));
        tokio::time::timeout(LONG, draining).await.unwrap();
        // Nothing of the router is left to write it now, so it has been written.
        drop((router, ends.publisher));
        let reply = tokio::time::timeout(LONG, asked).await.unwrap().unwrap().unwrap();
        assert_eq!(reply.outcome, done(value!({"late": true})).into());
    }

    pub(crate) async fn a_command_that_was_taken_back_before_it_came_is_cancelled<
        A: Requester + Feed + 'static,
        R: Responder,
        P: Publisher,
    >(
        mut ends: Ends<A, R, P>,
    ) {
        publish(&ends).await;
        ends.agent.cancel(&MessageId::new("m1").unwrap()).await;
        let asked = ends.agent.request(command("m1", value!({})), LONG);
        // A transport that knows it before the router does answers by itself.
        tokio::select! {
            reply = asked => assert_eq!(stopped(reply.unwrap()).code, Code::Cancelled),
            received = ends.router.receive() => {
                let cancelled = received.unwrap().cancelled().clone();
                tokio::time::timeout(LONG, cancelled.cancelled()).await.unwrap();
            }
        }
    }

    /// Publishes a catalogue and waits until the agent knows that a router lives.
    pub(crate) async fn publish<A: Requester + Feed, R: Responder, P: Publisher>(
        ends: &Ends<A, R, P>,
    ) {
        ends.publisher.catalog(&Catalog { version: "1".to_owned(), cards: Vec::new() }).await;
        let catalog = ends.agent.catalog();
        eventually("the agent sees a catalogue", async || catalog.borrow().is_some()).await;
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
