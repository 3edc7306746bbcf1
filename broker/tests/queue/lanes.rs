//! Who comes first.

use std::sync::{Arc, Mutex};

use broker::redis::{RedisAddress, Terms};
use broker::{Request, Responder};
use protocol::{Millis, Priority, QueueNames};
use redis::{Commands, Connection};
use testkit::{RedisServer, wait_until};
use tokio_util::sync::CancellationToken;

use crate::kit::*;

fn push(redis: &mut Connection, priority: Priority, id: &str) {
    let lane = QueueNames::default().lane(priority);
    let () = redis.lpush(lane, with_deadline(id, Millis::of_this_machine().after(LONG))).unwrap();
}

/// The order in which one slot serves what waits already.
fn order(server: &RedisServer, count: usize) -> Vec<String> {
    let served = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&served);
    let router = Router::start(server, Terms { slots: 1, ..Terms::default() }, move |request| {
        seen.lock().unwrap().push(request.command().unwrap().message_id.to_string());
        answer(request);
    });
    wait_until("all are served", || served.lock().unwrap().len() == count);
    router.end();
    served.lock().unwrap().clone()
}

#[test]
fn the_interactive_overtake_and_the_background_is_not_starved() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    for n in 0..40 {
        push(&mut redis, Priority::Background, &format!("lo{n}"));
        push(&mut redis, Priority::Normal, &format!("mid{n}"));
    }
    for n in 0..400 {
        push(&mut redis, Priority::Interactive, &format!("hi{n}"));
    }
    let order = order(&server, 480);
    let place = |id: &str| order.iter().position(|other| other == id).unwrap();
    // One of sixteen, and three of sixteen, while the interactive go on: exactly, for it is the server that counts.
    let first = &order[..160];
    let share = |prefix: &str| first.iter().filter(|id| id.starts_with(prefix)).count();
    assert_eq!((share("hi"), share("mid"), share("lo")), (120, 30, 10));
    for lane in ["hi", "mid", "lo"] {
        assert!(place(&format!("{lane}0")) < place(&format!("{lane}1")), "{lane} is out of order");
    }
    settles(&server);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_heard_while_every_slot_is_busy() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let (address, names) = (RedisAddress::new(&server.url()).unwrap(), QueueNames::default());
    let terms = Terms { slots: 1, ..quick() };
    let closing = CancellationToken::new();
    let (mut responder, _publisher) =
        broker::redis::responder(address, names.clone(), terms, closing.clone()).unwrap();
    push(&mut redis, Priority::Interactive, "busy");
    let busy = responder.receive().await.unwrap();
    for priority in [Priority::Interactive, Priority::Normal] {
        let id = format!("{priority:?}");
        push(&mut redis, priority, &format!("before-{id}"));
        let stop = with_deadline(&id, Millis::of_this_machine().after(LONG));
        let () = redis.lpush(names.lane(priority), stop.replace("ECHO", "STOP")).unwrap();
        push(&mut redis, priority, &format!("behind-{id}"));
        let own = tokio::time::timeout(LONG, responder.receive_own()).await.unwrap();
        let command = own.command().unwrap();
        assert_eq!((command.message_id.as_str(), command.action.as_str()), (&*id, "STOP"));
        answer(own);
        reply(&mut redis, &id);
    }
    answer(busy);
    for _ in 0..4 {
        let next = responder.receive().await.unwrap();
        assert_eq!(next.command().unwrap().action.as_str(), "ECHO");
        answer(next);
    }
    closing.cancel();
    responder.drained().await;
    responder.leave().await;
    settles(&server);
}

#[test]
fn the_last_slot_is_kept_for_whoever_waits_in_person() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let held = Arc::new(Mutex::new(Vec::new()));
    let hands = Arc::clone(&held);
    let _router = Router::start(&server, Terms { slots: 2, ..quick() }, move |request| {
        hands.lock().unwrap().push(request);
    });
    for n in 0..5 {
        push(&mut redis, Priority::Normal, &format!("mid{n}"));
    }
    wait_until("one of them is begun", || held.lock().unwrap().len() == 1);
    push(&mut redis, Priority::Interactive, "hi");
    wait_until("the interactive one, too", || held.lock().unwrap().len() == 2);
    let id = held.lock().unwrap()[1].command().unwrap().message_id.to_string();
    assert_eq!(id, "hi");
}

#[test]
fn what_takes_long_leaves_its_slot_to_one_other() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let held = Arc::new(Mutex::new(Vec::new()));
    let hands = Arc::clone(&held);
    let _router = Router::start(&server, Terms { slots: 1, ..quick() }, move |request| {
        if request.command().unwrap().message_id.as_str() == "long" {
            request.takes_long();
        }
        hands.lock().unwrap().push(request);
    });
    for id in ["long", "second", "third"] {
        push(&mut redis, Priority::Interactive, id);
    }
    let ids = || -> Vec<String> {
        let id = |request: &Request| request.command().unwrap().message_id.to_string();
        held.lock().unwrap().iter().map(id).collect()
    };
    wait_until("two are begun", || ids().len() == 2);
    // What the server holds is counted, too: the third is still on the queue.
    let waiting: usize = redis.llen(QueueNames::default().lane(Priority::Interactive)).unwrap();
    assert_eq!((ids(), waiting), (vec!["long".to_owned(), "second".to_owned()], 1));
    answer(held.lock().unwrap().pop().unwrap());
    wait_until("the third is begun", || ids() == ["long", "third"]);
    held.lock().unwrap().drain(..).for_each(answer);
    settles(&server);
}
