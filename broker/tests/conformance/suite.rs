//! What every transport does.

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
    let reply = ends.agent.request(command("m1", value!({"ä": [1, "\n"]})), LONG).await.unwrap();
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
    let asked = tokio::spawn(async move { agent.request(command("m1", value!({})), LONG).await });
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
        tokio::time::timeout(LONG, catalog.wait_for(|seen| seen.as_ref() == Some(&newer))).await;
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
    let asked = tokio::spawn(async move { agent.request(command("m1", value!({})), LONG).await });
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
pub(crate) async fn publish<A: Requester + Feed, R: Responder, P: Publisher>(ends: &Ends<A, R, P>) {
    ends.publisher.catalog(&Catalog { version: "1".to_owned(), cards: Vec::new() }).await;
    let catalog = ends.agent.catalog();
    eventually("the agent sees a catalogue", async || catalog.borrow().is_some()).await;
}
