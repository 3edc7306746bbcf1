//! A queue on a cluster: commands and replies live on different nodes, and slots move while they are used.
#![allow(clippy::unwrap_used, reason = "this whole file is tests")]

use std::sync::Arc;
use std::time::Duration;

use broker::redis::{RedisAddress, RedisRequester, Terms, responder};
use broker::{Requester, Responder};
use protocol::{ActionName, Command, Done, Envelope, MessageId, Object, Outcome, QueueNames};
use testkit::{RedisCluster, eventually};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Longer than anything here takes: a test that waits for it has failed already.
const LONG: Duration = Duration::from_secs(60);

/// An agent and a router on one cluster; the router answers until the value goes.
struct Ends {
    cluster: RedisCluster,
    agent: Arc<RedisRequester>,
    _shutdown: DropGuard,
}

impl Ends {
    fn start() -> Self {
        let cluster = RedisCluster::start();
        let address = || RedisAddress::new(&cluster.url()).unwrap();
        let (names, shutdown) = (QueueNames::default(), CancellationToken::new());
        let agent = Arc::new(RedisRequester::new(address(), names.clone()).unwrap());
        let (mut router, publisher) =
            responder(address(), names, Terms::default(), shutdown.clone()).unwrap();
        tokio::spawn(async move {
            while let Some(request) = router.receive().await {
                let text = request.command().unwrap().message_id.to_string();
                request.reply(Done { text: Some(text), ..Done::default() });
            }
            drop(publisher);
        });
        Self { cluster, agent, _shutdown: shutdown.drop_guard() }
    }

    /// Sends as many commands at once and checks that each gets its own answer. Their replies fall into
    /// the slots of all nodes.
    async fn assert_answered(&self, run: &str, commands: usize) {
        let asked = (0..commands).map(|number| {
            let (id, agent) = (format!("{run}-{number}"), Arc::clone(&self.agent));
            tokio::spawn(async move {
                let reply = agent.request(command(&id), LONG).await.unwrap();
                let Outcome::Done(done) = reply.outcome else { panic!("{:?}", reply.outcome) };
                assert_eq!(done.text, Some(id));
            })
        });
        for asked in asked.collect::<Vec<_>>() {
            asked.await.unwrap();
        }
    }

    /// The queue's key, and a node that does not have it.
    fn queue_and_other_node(&self) -> (String, usize) {
        let queue = QueueNames::default().commands().to_owned();
        let other = (self.cluster.owner(&queue) + 1) % self.cluster.nodes.len();
        (queue, other)
    }
}

fn command(id: &str) -> Command {
    Command {
        message_id: MessageId::new(id).unwrap(),
        action: ActionName::new("ECHO").unwrap(),
        params: Object::new(),
        envelope: Envelope::current(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_are_answered_from_every_node() {
    let ends = Ends::start();
    assert_eq!(RedisAddress::new(&ends.cluster.url()).unwrap().check().await, Ok(()));
    ends.assert_answered("all", 24).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_queue_is_followed_when_it_moves_to_another_node() {
    let ends = Ends::start();
    let (queue, to) = ends.queue_and_other_node();
    ends.assert_answered("before", 4).await;
    ends.cluster.begin_to_move(&queue, to);
    // A script needs all of its keys on one node, so that what is asked meanwhile waits for the end.
    let meanwhile = ends.assert_answered("meanwhile", 4);
    let moving = async { tokio::task::block_in_place(|| ends.cluster.end_of_move(&queue, to)) };
    tokio::join!(meanwhile, moving);
    ends.assert_answered("after", 4).await;
    assert_eq!(ends.cluster.owner(&queue), to);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_down_is_used_again() {
    let mut ends = Ends::start();
    ends.assert_answered("before", 4).await;
    let (queue, _) = ends.queue_and_other_node();
    let node = ends.cluster.owner(&queue);
    ends.cluster.nodes[node].kill();
    let down = ends.agent.request(command("down"), LONG).await;
    assert!(down.is_err(), "{down:?}");
    ends.cluster.nodes[node].restart();
    let number = std::cell::Cell::new(0);
    eventually("a command is answered again", async || {
        number.set(number.get() + 1);
        let id = format!("again-{}", number.get());
        ends.agent.request(command(&id), Duration::from_secs(5)).await.is_ok()
    })
    .await;
}
