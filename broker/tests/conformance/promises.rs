//! What a queue promises: one id runs once, what is late does not run, what is urgent goes first, and what is put back
//! comes again.

use std::sync::Arc;
use std::time::Duration;

use broker::{Feed, Publisher, RequestError, Requester, Responder};
use futures::FutureExt;
use futures::future::select_all;
use protocol::{Code, Command, MessageId, Priority, QueueNames, Reply};
use serde_json::json as value;
use testkit::eventually;
use tokio::task::JoinHandle;

use super::suite::publish;
use super::{Ends, LONG, command, done, stopped};

pub(crate) async fn one_id_runs_once_and_a_copy_gets_the_same_reply<
    A: Requester + Feed + 'static,
    R: Responder,
    P: Publisher,
>(
    mut ends: Ends<A, R, P>,
) {
    publish(&ends).await;
    // Whatever comes while it runs is a copy of it, and whoever hears first hears its reply.
    let asked = [ask(&ends, command("m1", value!({}))), ask(&ends, command("m1", value!({})))];
    let received = ends.router.receive().await.unwrap();
    assert_eq!(received.attempt(), 1);
    let other = ask(&ends, command("other", value!({})));
    let next = ends.router.receive().await.unwrap();
    assert_eq!(next.command().unwrap().message_id.as_str(), "other", "no copy is handed over");
    next.reply(done(value!({})));
    assert!(other.await.unwrap().is_ok());
    received.reply(done(value!({"n": 1})));
    let (reply, ..) = select_all(asked).await;
    assert_eq!(reply.unwrap().unwrap().outcome, done(value!({"n": 1})).into());
    // What comes after its end gets the reply that was given.
    let asked = ask(&ends, command("m2", value!({})));
    ends.router.receive().await.unwrap().reply(done(value!({"n": 2})));
    let reply = asked.await.unwrap();
    tokio::select! {
        again = ask(&ends, command("m2", value!({}))) => assert_eq!(again.unwrap(), reply),
        again = ends.router.receive() => panic!("it was handed over again: {again:?}"),
    }
}

pub(crate) async fn what_waits_past_its_deadline_is_not_run<
    A: Requester + Feed + 'static,
    R: Responder,
    P: Publisher,
>(
    mut ends: Ends<A, R, P>,
) {
    publish(&ends).await;
    let after = Duration::from_millis(150);
    let late = ends.agent.request(command("m1", value!({})), after).await;
    assert_eq!(late, Err(RequestError::NoReply { after }));
    let asked = ask(&ends, command("m2", value!({})));
    let received = ends.router.receive().await.unwrap();
    assert_eq!(received.command().unwrap().message_id.as_str(), "m2");
    received.reply(done(value!({})));
    assert!(asked.await.unwrap().is_ok());
    tokio::select! {
        reply = ask(&ends, command("m1", value!({}))) => {
            let stopped = stopped(reply.unwrap().unwrap());
            assert_eq!((stopped.code, stopped.maybe_executed), (Code::Deadline, false));
        }
        received = ends.router.receive() => panic!("it was handed over: {received:?}"),
    }
}

pub(crate) async fn what_is_urgent_overtakes_and_nothing_starves<
    A: Requester + Feed + 'static,
    R: Responder,
    P: Publisher,
>(
    mut ends: Ends<A, R, P>,
) {
    use Priority::{Background, Interactive, Normal};
    publish(&ends).await;
    let sent: Vec<Priority> =
        [Background, Normal].into_iter().chain(std::iter::repeat_n(Interactive, 30)).collect();
    for (n, priority) in sent.iter().enumerate() {
        let mut command = command(&format!("m{n}"), value!({}));
        command.envelope.priority = *priority;
        ask(&ends, command);
    }
    waiting(&ends, sent.len()).await;
    let mut received = Vec::new();
    for _ in &sent {
        let request = ends.router.receive().await.unwrap();
        received.push(request.command().unwrap().envelope.priority);
        request.reply(done(value!({})));
    }
    let place = |wanted| received.iter().position(|&priority| priority == wanted).unwrap();
    // Every 4th time the normal lane goes first, and every 16th the background.
    assert_eq!((place(Interactive), place(Normal), place(Background)), (0, 3, 15));
}

pub(crate) async fn what_is_put_back_comes_again_as_if_it_had_not_been_begun<
    A: Requester + Feed + 'static,
    R: Responder,
    P: Publisher,
>(
    mut ends: Ends<A, R, P>,
) {
    publish(&ends).await;
    let asked = ask(&ends, command("m1", value!({})));
    ends.router.receive().await.unwrap().put_back();
    let again = tokio::time::timeout(LONG, ends.router.receive()).await.unwrap().unwrap();
    assert_eq!((again.command().unwrap().message_id.as_str(), again.attempt()), ("m1", 1));
    again.reply(done(value!({"n": 1})));
    assert_eq!(asked.await.unwrap().unwrap().outcome, done(value!({"n": 1})).into());
}

/// Asks beside the test. On a pipe what is asked first is sent first.
fn ask<A: Requester + Feed + 'static, R, P>(
    ends: &Ends<A, R, P>,
    command: Command,
) -> JoinHandle<Result<Reply, RequestError>> {
    let agent = Arc::clone(&ends.agent);
    let mut asked = Box::pin(async move { agent.request(command, LONG).await });
    let early = asked.as_mut().now_or_never();
    tokio::spawn(async move {
        match early {
            Some(reply) => reply,
            None => asked.await,
        }
    })
}

/// Waits until `count` commands have reached the queue.
async fn waiting<A: Requester + Feed, R: Responder, P: Publisher>(
    ends: &Ends<A, R, P>,
    count: usize,
) {
    let Some(server) = &ends.server else {
        // A pipe is read in order: what is answered at once came behind all that was sent before.
        ends.agent.cancel(&MessageId::new("last").unwrap()).await;
        let reply = ends.agent.request(command("last", value!({})), LONG).await.unwrap();
        assert_eq!(stopped(reply).code, Code::Cancelled);
        return;
    };
    let client = ::redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    eventually("all commands wait", async || {
        let mut waiting = 0;
        for priority in [Priority::Background, Priority::Normal, Priority::Interactive] {
            let lane = QueueNames::default().lane(priority);
            waiting +=
                ::redis::cmd("LLEN").arg(lane).query_async(&mut connection).await.unwrap_or(0);
        }
        waiting == count
    })
    .await;
}
