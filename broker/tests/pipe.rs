//! What holds for a pipe alone: the bytes on it, and the routers that follow one another at its other end.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::io;
use std::sync::Arc;
use std::time::Duration;

use broker::pipe::{self, Ended, Pipe, PipeRequester, PipeResponder, Starter};
use broker::{Feed, Publisher, Request, RequestError, Requester, Responder};
use protocol::{
    ActionName, Catalog, Code, Command, Done, Envelope, Event, EventKind, MessageId, Object,
    Outcome, Reply, SessionKey,
};
use serde_json::{Value, json as value};
use tokio::io::{AsyncBufReadExt, BufReader, DuplexStream, Lines};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes: a test that waits for it has failed already.
const LONG: Duration = Duration::from_secs(60);

fn command(id: &str, params: Value) -> Command {
    Command {
        message_id: MessageId::new(id).unwrap(),
        action: ActionName::new("ECHO").unwrap(),
        params: params.as_object().unwrap().clone(),
        envelope: Envelope::current(),
    }
}

#[tokio::test]
async fn a_router_that_is_gone_is_told_at_once() {
    let (router, agent) = tokio::io::duplex(1 << 16);
    let (from_router, to_router) = tokio::io::split(agent);
    let agent = Arc::new(PipeRequester::new(from_router, to_router));
    let waits = Arc::clone(&agent);
    let asked = tokio::spawn(async move { waits.request(command("m1", value!({})), LONG).await });
    let mut lines = BufReader::new(router).lines();
    assert!(lines.next_line().await.unwrap().unwrap().contains("m1"));
    // A router that is killed closes its end without a word.
    drop(lines);
    let gone = tokio::time::timeout(LONG, asked).await.unwrap().unwrap();
    assert_eq!(gone, Err(RequestError::RouterGone));
    let after = agent.request(command("m2", value!({})), LONG).await;
    assert_eq!(after, Err(RequestError::RouterGone));
}

#[tokio::test]
async fn an_agent_that_is_gone_closes_the_routers_end() {
    let (agent, router) = tokio::io::duplex(1 << 16);
    let (from_agent, to_agent) = tokio::io::split(router);
    let (mut router, _publisher) = pipe::responder(from_agent, to_agent, CancellationToken::new());
    drop(agent);
    tokio::time::timeout(LONG, router.closing().cancelled()).await.unwrap();
    assert!(router.receive().await.is_none());
}

#[tokio::test]
async fn bytes_that_are_no_command_are_answered_wherever_an_id_can_be_read() {
    let (to_router, from_agent) = tokio::io::duplex(1 << 16);
    let (to_agent, from_router) = tokio::io::duplex(1 << 16);
    let shutdown = CancellationToken::new();
    let (mut router, _publisher) = pipe::responder(from_agent, to_agent, shutdown);
    let (mut to_router, mut from_router) = (to_router, BufReader::new(from_router).lines());
    use tokio::io::AsyncWriteExt;
    let lines =
        "no json\n{\"command\":{\"message_id\":\"m1\",\"action\":\"nope\"}}\n{\"other\":1}\n";
    to_router.write_all(lines.as_bytes()).await.unwrap();
    to_router
        .write_all(b"\xff\xfe\n{\"command\":{\"message_id\":\"m2\",\"action\":\"A\"}}\n")
        .await
        .unwrap();
    let malformed = router.receive().await.unwrap();
    let stopped = malformed.command().unwrap_err().stopped.clone();
    malformed.reply(stopped);
    let reply: Object =
        serde_json::from_str(&from_router.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(reply["reply"]["status"], "unknown");
    assert_eq!(reply["reply"]["message_id"], "m1");
    let next = router.receive().await.unwrap();
    assert_eq!(next.command().unwrap().message_id.as_str(), "m2");
}

/// Starts routers that are played by the test.
struct Routers {
    started: mpsc::UnboundedSender<DuplexStream>,
    /// Tells of each one that has ended.
    ends: mpsc::UnboundedSender<()>,
    ended: Ended,
}

#[async_trait::async_trait]
impl Starter for Routers {
    async fn start(&mut self) -> io::Result<Pipe> {
        let (agent, router) = tokio::io::duplex(1 << 16);
        let (from_router, to_router) = tokio::io::split(agent);
        self.started.send(router).map_err(io::Error::other)?;
        Ok(Pipe { from_router: Box::new(from_router), to_router: Box::new(to_router) })
    }

    async fn ended(&mut self) -> Ended {
        // A test that does not look has ended already.
        let _ = self.ends.send(());
        self.ended
    }
}

/// An agent whose routers are played by the test.
struct House {
    agent: Arc<PipeRequester>,
    keeping: JoinHandle<()>,
    routers: mpsc::UnboundedReceiver<DuplexStream>,
    ends: mpsc::UnboundedReceiver<()>,
}

impl House {
    async fn whose_routers_end(ended: Ended) -> Self {
        let (started, routers) = mpsc::unbounded_channel();
        let (ends, ended_ones) = mpsc::unbounded_channel();
        let (agent, keeping) = PipeRequester::keep(Routers { started, ends, ended }).await.unwrap();
        Self { agent: Arc::new(agent), keeping, routers, ends: ended_ones }
    }

    /// The next router, as one that reads lines and is killed when it is dropped.
    async fn next(&mut self) -> Lines<BufReader<DuplexStream>> {
        let router = tokio::time::timeout(LONG, self.routers.recv()).await.unwrap();
        BufReader::new(router.expect("another router is started")).lines()
    }

    fn ask(&self, id: &str) -> JoinHandle<Result<Reply, RequestError>> {
        let (agent, command) = (Arc::clone(&self.agent), command(id, value!({"id": id})));
        tokio::spawn(async move { agent.request(command, LONG).await })
    }
}

/// The next command that comes to a router.
async fn heard(router: &mut Lines<BufReader<DuplexStream>>) -> Command {
    let line = tokio::time::timeout(LONG, router.next_line()).await.unwrap().unwrap().unwrap();
    let frame: Value = serde_json::from_str(&line).unwrap();
    let command = frame.get("command").or_else(|| frame.get("unbegun")).unwrap();
    Command::from_bytes(command.to_string().as_bytes()).unwrap()
}

/// Makes a real router's end of what the test held.
async fn serve(router: Lines<BufReader<DuplexStream>>) -> PipeResponder {
    let (from_agent, to_agent) = tokio::io::split(router.into_inner().into_inner());
    let (responder, publisher) = pipe::responder(from_agent, to_agent, CancellationToken::new());
    publisher.catalog(&Catalog { version: "1".to_owned(), cards: Vec::new() }).await;
    responder
}

/// The next command that is handed over.
async fn received(responder: &mut PipeResponder) -> Request {
    tokio::time::timeout(LONG, responder.receive()).await.unwrap().unwrap()
}

/// Says a catalogue and ends.
async fn publish_and_die(router: Lines<BufReader<DuplexStream>>) {
    let mut pipe = router.into_inner().into_inner();
    let catalog = b"{\"catalog\":{\"version\":\"1\",\"cards\":[]}}\n";
    tokio::io::AsyncWriteExt::write_all(&mut pipe, catalog).await.unwrap();
}

#[tokio::test]
async fn a_router_that_ends_is_followed_by_one_that_is_asked_again() {
    let mut house = House::whose_routers_end(Ended::Killed).await;
    let session = SessionKey::new("owner").unwrap();
    let mut events = house.agent.events(&session).await;
    let asked = [house.ask("m1"), house.ask("m2")];
    let mut first = house.next().await;
    let mut sent = [heard(&mut first).await, heard(&mut first).await];
    sent.sort_by_key(|command| command.message_id.to_string());
    assert!(!sent[0].envelope.resent);
    drop(first);
    let mut second = serve(house.next().await).await;
    let mut requests = vec![received(&mut second).await, received(&mut second).await];
    requests.sort_by_key(|request| request.command().unwrap().message_id.to_string());
    for (request, mut sent) in requests.into_iter().zip(sent) {
        // It is the same but for that word: above all it has its first deadline.
        sent.envelope.resent = true;
        assert_eq!((request.command().unwrap(), request.attempt()), (&sent, 2));
        request.reply(Done { result: sent.params, ..Done::default() });
    }
    for (asked, id) in asked.into_iter().zip(["m1", "m2"]) {
        let Outcome::Done(done) = asked.await.unwrap().unwrap().outcome else { panic!("{id}") };
        assert_eq!(done.result["id"], id);
    }
    assert!(house.agent.catalog().has_changed().is_ok(), "the catalogue stays open");
    let told: Event = tokio::time::timeout(LONG, events.recv()).await.unwrap().unwrap();
    assert_eq!((told.event, &told.session), (EventKind::Notice, &session));
    assert_eq!(told.text.as_deref(), Some("the router ended; started again"));
}

#[tokio::test]
async fn that_a_router_ended_is_told_before_the_replies_of_the_next_one() {
    let mut house = House::whose_routers_end(Ended::Killed).await;
    let mut events = house.agent.events(&SessionKey::new("owner").unwrap()).await;
    let asked = house.ask("m1");
    let mut first = house.next().await;
    heard(&mut first).await;
    drop(first);
    // It answers before it publishes what it can do.
    let (from_agent, to_agent) = tokio::io::split(house.next().await.into_inner().into_inner());
    let (mut second, _publisher) = pipe::responder(from_agent, to_agent, CancellationToken::new());
    received(&mut second).await.reply(Done::default());
    asked.await.unwrap().unwrap();
    let told = events.try_recv().unwrap();
    assert_eq!(told.text.as_deref(), Some("the router ended; started again"));
}

#[tokio::test]
async fn what_a_router_had_and_has_not_begun_is_not_said_to_have_been_begun() {
    let mut house = House::whose_routers_end(Ended::Killed).await;
    let asked = [house.ask("m1"), house.ask("m2")];
    let mut first = house.next().await;
    heard(&mut first).await;
    heard(&mut first).await;
    // The last thing that it says before it is killed with both in its hands.
    let mut pipe = first.into_inner().into_inner();
    tokio::io::AsyncWriteExt::write_all(&mut pipe, b"{\"begins\":\"m1\"}\n").await.unwrap();
    drop(pipe);
    let mut second = serve(house.next().await).await;
    for request in [received(&mut second).await, received(&mut second).await] {
        let is_first = request.command().unwrap().message_id.as_str() == "m1";
        assert_eq!((request.attempt(), request.may_have_begun()), (2, is_first));
        request.reply(Done::default());
    }
    for asked in asked {
        assert!(asked.await.unwrap().is_ok());
    }
}

#[tokio::test]
async fn a_router_that_begins_what_can_not_be_done_twice_says_so_first() {
    let (router, agent) = tokio::io::duplex(64 * 1024);
    let mut responder = serve(BufReader::new(router).lines()).await;
    let mut lines = BufReader::new(agent).lines();
    let command = command("m1", value!({})).to_bytes();
    let command = value!({"command": serde_json::from_slice::<Value>(&command).unwrap()});
    let line = format!("{command}\n");
    tokio::io::AsyncWriteExt::write_all(lines.get_mut(), line.as_bytes()).await.unwrap();
    let request = received(&mut responder).await;
    assert!(!request.may_have_begun() && request.begins().await);
    let mut said = Vec::new();
    while said.last().is_none_or(|line: &String| !line.contains("begins")) {
        said.push(lines.next_line().await.unwrap().unwrap());
    }
    assert_eq!(said.last().unwrap(), r#"{"begins":"m1"}"#);
}

#[tokio::test]
async fn what_no_router_has_seen_was_not_sent_before() {
    let mut house = House::whose_routers_end(Ended::Killed).await;
    publish_and_die(house.next().await).await;
    let mut catalog = house.agent.catalog();
    catalog.wait_for(Option::is_some).await.unwrap();
    tokio::time::timeout(LONG, house.ends.recv()).await.unwrap().unwrap();
    let asked = house.ask("m1");
    let mut second = serve(house.next().await).await;
    let received = received(&mut second).await;
    assert!(!received.command().unwrap().envelope.resent);
    assert_eq!(received.attempt(), 1);
    received.reply(Done::default());
    assert!(asked.await.unwrap().is_ok());
}

#[tokio::test]
async fn what_has_taken_down_three_routers_is_not_asked_of_a_fourth() {
    let mut house = House::whose_routers_end(Ended::Killed).await;
    let asked = house.ask("m1");
    for _ in 0..3 {
        let mut router = house.next().await;
        heard(&mut router).await;
        publish_and_die(router).await;
    }
    let mut fourth = serve(house.next().await).await;
    let Outcome::Stopped(stopped) = asked.await.unwrap().unwrap().outcome else { panic!("it ran") };
    assert_eq!((stopped.code, stopped.maybe_executed), (Code::Poison, true));
    let next = house.ask("m2");
    let received = received(&mut fourth).await;
    assert_eq!(received.command().unwrap().message_id.as_str(), "m2");
    received.reply(Done::default());
    assert!(next.await.unwrap().is_ok());
}

#[tokio::test]
async fn routers_that_end_again_and_again_are_left_alone() {
    let mut house = House::whose_routers_end(Ended::Killed).await;
    let mut events = house.agent.events(&SessionKey::new("owner").unwrap()).await;
    for _ in 0..5 {
        publish_and_die(house.next().await).await;
    }
    tokio::time::timeout(LONG, house.keeping).await.unwrap().unwrap();
    assert!(house.routers.recv().await.is_none(), "a sixth was started");
    let mut told = None;
    while let Some(event) = events.recv().await {
        told = event.text;
    }
    assert!(told.unwrap().contains("it ended 5 times within a minute; start SafeClaw again"));
    let after = house.agent.request(command("m1", value!({})), LONG).await;
    assert_eq!(after, Err(RequestError::RouterGone));
    assert!(house.agent.catalog().has_changed().is_err(), "no catalogue can come any more");
}

#[tokio::test]
async fn one_that_can_not_start_is_not_started_again() {
    let mut house = House::whose_routers_end(Ended::ByItself).await;
    let asked = house.ask("m1");
    drop(house.next().await);
    assert_eq!(asked.await.unwrap(), Err(RequestError::RouterGone));
    assert!(house.routers.recv().await.is_none(), "a second one was started");
}

#[tokio::test]
async fn an_agent_that_is_done_starts_no_router() {
    let mut house = House::whose_routers_end(Ended::Killed).await;
    let router = house.next().await;
    drop(house.agent);
    let mut responder = serve(router).await;
    assert!(responder.receive().await.is_none(), "its end is closed");
    drop(responder);
    tokio::time::timeout(LONG, house.keeping).await.unwrap().unwrap();
    assert!(house.routers.recv().await.is_none(), "a second one was started");
}
