//! Routers that die with commands in their hands, and such that only look dead.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use broker::Request;
use broker::redis::Terms;
use protocol::{Code, Millis};
use redis::Commands;
use testkit::{RedisServer, wait_until};

use crate::kit::*;

/// Keeps every request that it is handed, and answers none.
fn holding(server: &RedisServer, terms: Terms, runs: &Runs) -> (Router, Arc<Mutex<Vec<Request>>>) {
    let held = Arc::new(Mutex::new(Vec::new()));
    let (runs, hands) = (runs.clone(), Arc::clone(&held));
    let router = Router::start(server, terms, move |request| {
        runs.begin(&request);
        hands.lock().unwrap().push(request);
    });
    (router, held)
}

#[test]
fn what_a_dead_router_held_is_taken_over_in_order_and_marked_as_begun() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let (dies, _held) = holding(&server, quick(), &runs);
    for id in ["m1", "m2", "m3"] {
        let () = redis.lpush(QUEUE, legacy(id)).unwrap();
    }
    wait_until("all are begun", || runs.all().len() == 3);
    dies.kill();
    let _lives = answering(&server, &runs);
    for id in ["m1", "m2", "m3"] {
        assert!(matches!(reply(&mut redis, id).outcome, protocol::Outcome::Done(_)));
        assert_eq!(runs.of(id), [1, 2]);
    }
    settles(&server);
}

#[test]
fn what_a_dead_router_had_not_begun_is_not_said_to_have_been_begun() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let begun = runs.clone();
    // It takes three, says of one that it begins it, and dies with all of them.
    let (kept, hands) = (Arc::new(Mutex::new(Vec::new())), Runs::default());
    let (held, taken) = (Arc::clone(&kept), hands.clone());
    let dies = Router::start(&server, quick(), move |request| {
        taken.begin(&request);
        let (held, begun) = (Arc::clone(&held), begun.clone());
        tokio::spawn(async move {
            if request.command().unwrap().message_id.as_str() == "m2" {
                assert!(request.begins().await);
                begun.begin(&request);
            }
            held.lock().unwrap().push(request);
        });
    });
    for id in ["m1", "m2", "m3"] {
        let () = redis.lpush(QUEUE, legacy(id)).unwrap();
    }
    wait_until("all are taken, and one is begun", || {
        kept.lock().unwrap().len() == 3 && runs.of("m2") == [1]
    });
    dies.kill();
    let (seen, known) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&kept));
    let told = Arc::clone(&seen);
    let _lives = Router::start(&server, quick(), move |request| {
        let id = request.command().unwrap().message_id.to_string();
        told.lock().unwrap().push((id, request.attempt(), request.may_have_begun()));
        answer(request);
    });
    for id in ["m1", "m2", "m3"] {
        assert!(matches!(reply(&mut redis, id).outcome, protocol::Outcome::Done(_)));
    }
    let mut seen = seen.lock().unwrap().clone();
    seen.sort();
    let row = |id: &str, may_have_begun| (id.to_owned(), 2, may_have_begun);
    assert_eq!(seen, [row("m1", false), row("m2", true), row("m3", false)]);
    drop(known);
    settles(&server);
}

#[test]
fn a_router_that_was_thought_dead_may_not_begin_what_is_anothers() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    // It gives no sign of life, and is not dead.
    let silent = Terms { beat: LONG, ..quick() };
    let may_begin = Arc::new(Mutex::new(Vec::new()));
    let (go, said) = (Arc::new(tokio::sync::Notify::new()), Arc::clone(&may_begin));
    let (gone_on, taken) = (Arc::clone(&go), Runs::default());
    let in_hand = taken.clone();
    let _silent = Router::start(&server, silent, move |request| {
        in_hand.begin(&request);
        let (go, said) = (Arc::clone(&gone_on), Arc::clone(&said));
        tokio::spawn(async move {
            go.notified().await;
            let begins = request.begins().await;
            said.lock().unwrap().push((begins, request.cancelled().is_cancelled()));
        });
    });
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    wait_until("it is taken", || taken.of("m1") == [1]);
    let runs = Runs::default();
    let _lives = answering(&server, &runs);
    assert!(matches!(reply(&mut redis, "m1").outcome, protocol::Outcome::Done(_)));
    go.notify_one();
    wait_until("the first one has asked", || !may_begin.lock().unwrap().is_empty());
    assert_eq!(*may_begin.lock().unwrap(), [(false, true)]);
    assert_eq!(runs.of("m1"), [2]);
}

#[test]
fn a_router_of_the_same_home_takes_over_from_a_killed_one_at_once() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let (home, runs) = (tempfile::tempdir().unwrap(), Runs::default());
    // Silence alone would say nothing for ten minutes.
    let lives = || Some(home.path().join("lives"));
    let terms = || Terms { dead_after: Duration::from_secs(600), lives: lives(), ..quick() };
    let (dies, _held) = holding(&server, terms(), &runs);
    let (ended, _nothing) = holding(&server, terms(), &runs);
    ended.end();
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    wait_until("it is begun", || runs.of("m1") == [1]);
    dies.kill();
    let begun = runs.clone();
    let _lives = Router::start(&server, terms(), move |request| {
        begun.begin(&request);
        answer(request);
    });
    assert_eq!(reply(&mut redis, "m1").fields["attempt"], 2);
    settles(&server);
    let left = || std::fs::read_dir(home.path().join("lives")).unwrap().count();
    wait_until("the file of the living one is left", || left() == 1);
}

#[test]
fn routers_that_never_live_as_long_as_it_takes_to_count_as_dead_take_over_all_the_same() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let (dies, _held) = holding(&server, quick(), &runs);
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    wait_until("it is begun", || runs.of("m1") == [1]);
    dies.kill();
    let short = quick().dead_after / 2;
    wait_until("one of them takes over", || {
        let lives = answering(&server, &runs);
        std::thread::sleep(short);
        lives.kill();
        runs.of("m1") == [1, 2]
    });
}

#[test]
fn a_command_that_kills_its_routers_is_given_up_after_three() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    for attempt in 1..=3 {
        let (dies, _held) = holding(&server, quick(), &runs);
        wait_until("it is begun", || runs.of("m1").len() == attempt);
        dies.kill();
    }
    let _lives = answering(&server, &runs);
    assert_eq!(stopped(&reply(&mut redis, "m1")).code, Code::Poison);
    assert_eq!(runs.of("m1"), [1, 2, 3]);
    assert_eq!(letters(&mut redis), ["poison"]);
    settles(&server);
}

#[test]
fn a_router_that_only_looked_dead_goes_on_and_does_not_speak_the_last_word() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    // It says that it lives so seldom that others don't believe it.
    let seldom = Terms { beat: Duration::from_secs(2), ..quick() };
    let (stale, held) = holding(&server, seldom, &runs);
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    wait_until("it is begun", || runs.of("m1") == [1]);
    let lives = answering(&server, &runs);
    let last_word = reply(&mut redis, "m1");
    assert_eq!(last_word.fields["attempt"], 2);
    let late = held.lock().unwrap().pop().unwrap();
    answer(late);
    lives.end();
    // It counts as dead, and takes commands again under another name.
    let () = redis.lpush(QUEUE, legacy("m2")).unwrap();
    wait_until("it goes on", || runs.of("m2") == [1]);
    answer(held.lock().unwrap().pop().unwrap());
    reply(&mut redis, "m2");
    // A copy shows what is kept: the word of the router that took over.
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    assert_eq!(reply(&mut redis, "m1"), last_word);
    stale.end();
    settles(&server);
}

#[test]
fn a_result_that_comes_before_anybody_took_over_is_not_thrown_away() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    // Its only slot is taken, so it does not notice that it counts as dead.
    let seldom = Terms { beat: Duration::from_secs(5), slots: 1, ..quick() };
    let (stale, held) = holding(&server, seldom, &runs);
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    wait_until("it is begun", || runs.of("m1") == [1]);
    // One without a free slot takes it from the other, and can't begin it.
    let (full, full_held) = holding(&server, Terms { slots: 1, ..quick() }, &runs);
    let () = redis.lpush(QUEUE, legacy("m2")).unwrap();
    wait_until("the other is full", || !full_held.lock().unwrap().is_empty());
    wait_until("it is taken from the first", || redis.llen::<_, usize>(AGAIN).unwrap() == 1);
    let late = held
        .lock()
        .unwrap()
        .drain(..)
        .find(|one| one.command().unwrap().message_id.as_str() == "m1");
    answer(late.unwrap());
    wait_until("its word is kept", || {
        let state: Option<String> = redis.get("{safeclaw:command_queue}:command:m1").unwrap();
        state.is_some_and(|state| state.starts_with("done "))
    });
    full_held.lock().unwrap().drain(..).for_each(answer);
    assert_eq!(reply(&mut redis, "m1").fields["attempt"], 1);
    assert_eq!(runs.of("m1"), [1]);
    stale.kill();
    full.kill();
}

#[test]
fn a_command_whose_time_ran_out_with_its_router_may_have_been_done() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let (dies, _held) = holding(&server, quick(), &runs);
    let soon = Millis::of_this_machine().after(Duration::from_millis(300));
    let () = redis.lpush(QUEUE, with_deadline("m1", soon)).unwrap();
    wait_until("it is begun", || runs.of("m1") == [1]);
    dies.kill();
    wait_until("its time is over", || Millis::of_this_machine() > soon);
    let _lives = answering(&server, &runs);
    let reply = reply(&mut redis, "m1");
    assert_eq!(stopped(&reply).code, Code::Interrupted);
    assert!(stopped(&reply).maybe_executed);
    assert_eq!(runs.of("m1"), [1]);
    settles(&server);
}

#[test]
fn what_was_taken_back_stays_so_through_the_death_of_its_router() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let runs = Runs::default();
    let (dies, held) = holding(&server, quick(), &runs);
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    wait_until("it is begun", || runs.of("m1") == [1]);
    let () = redis.lpush(CONTROL, r#"{"cancel":"m1"}"#).unwrap();
    let cancelled = held.lock().unwrap()[0].cancelled().clone();
    wait_until("its router has heard of it", || cancelled.is_cancelled());
    dies.kill();
    let _lives = answering(&server, &runs);
    let reply = reply(&mut redis, "m1");
    assert_eq!(stopped(&reply).code, Code::Cancelled);
    assert!(stopped(&reply).maybe_executed);
    assert_eq!(runs.of("m1"), [1]);
    settles(&server);
}

#[test]
fn what_was_stale_stays_so_when_it_was_in_the_hands_of_a_router_that_died() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    // As a router leaves it that takes a command out of the stale lane and dies before it has answered.
    let held = format!("0 stale m1\n{}", legacy("m1"));
    let () = redis.hset("{safeclaw:command_queue}:work:dead", "1", held).unwrap();
    let () = redis.zadd("{safeclaw:command_queue}:routers", "dead", 1).unwrap();
    let state = "{safeclaw:command_queue}:command:m1";
    let () = redis.set_ex(state, "running dead 1", 3_600).unwrap();
    let runs = Runs::default();
    let _lives = answering(&server, &runs);
    assert_eq!(stopped(&reply(&mut redis, "m1")).code, Code::Stale);
    assert!(runs.all().is_empty());
    settles(&server);
}

#[test]
fn what_was_too_large_is_answered_though_its_router_died() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    // As a router leaves it that dies before it has answered: 64 KiB of it are kept.
    let stump = format!("{{\"message_id\":\"m1\",\"x\":\"{}", "x".repeat(60_000));
    let () = redis
        .hset("{safeclaw:command_queue}:work:dead", "1", format!("0 normal m1\n{stump}"))
        .unwrap();
    let () = redis.zadd("{safeclaw:command_queue}:routers", "dead", 1).unwrap();
    let () = redis.set_ex("{safeclaw:command_queue}:command:m1", "running dead 1", 3_600).unwrap();
    let _lives = answering(&server, &Runs::default());
    assert_eq!(stopped(&reply(&mut redis, "m1")).code, Code::TooLarge);
    settles(&server);
}

#[test]
fn what_no_router_has_written_stops_nobody() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let () = redis.rpush(AGAIN, "nonsense").unwrap();
    let () = redis.hset("{safeclaw:command_queue}:work:dead", "1", "nonsense, too").unwrap();
    let () = redis.zadd("{safeclaw:command_queue}:routers", "dead", 1).unwrap();
    let () = redis.lpush(QUEUE, legacy("m1")).unwrap();
    let _lives = answering(&server, &Runs::default());
    assert_eq!(reply(&mut redis, "m1").fields["attempt"], 1);
    wait_until("both are put away", || letters(&mut redis) == ["bad_request", "bad_request"]);
    settles(&server);
}
