//! What a connection does on real servers, where only the crate can see it.

use std::collections::HashSet;
use std::time::Duration;

use futures::future::join_all;
use redis::{AsyncCommands, ErrorKind, RedisError, ServerErrorKind};
use testkit::{RedisCluster, RedisServer, RedisSetup, eventually};
use tokio::time::{Instant, timeout};

use super::{BLOCK, Connection, RedisAddress};

/// Longer than anything here takes: a test that waits for it has failed already.
const LONG: Duration = Duration::from_secs(60);

/// Keys of three slots, one on each node of a new cluster.
const KEYS: [&str; 3] = ["b", "c", "a"];

async fn on(cluster: &RedisCluster) -> Connection {
    RedisAddress::new(&cluster.url()).unwrap().blocking().await.unwrap()
}

async fn push_all_at_once(connection: &mut Connection, key: &str) -> Result<Vec<u64>, RedisError> {
    redis::pipe().atomic().lpush(key, 1).lpush(key, 2).query_async(connection).await
}

#[tokio::test]
async fn what_stands_at_an_address_is_found_out() {
    let (server, cluster) = (RedisServer::start(), RedisCluster::start());
    for (url, is_cluster) in [(server.url(), false), (cluster.url(), true)] {
        let address = RedisAddress::new(&url).unwrap();
        let commands = address.commands().unwrap();
        assert!(!commands.is_cluster(), "nothing is known before the first connection");
        assert_eq!(address.check().await, Ok(()));
        assert_eq!(commands.is_cluster(), is_cluster, "{url}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_say_what_it_is_counts_as_one() {
    let setup = RedisSetup::default().line("rename-command HELLO \"\"");
    let server = setup.clone().user("mind", "on >m resetkeys ~jobs -@all +ping +lpush").start();
    let url = format!("redis://mind:m@127.0.0.1:{}", server.port());
    let address = RedisAddress::new(&url).unwrap();
    assert_eq!(address.check().await, Ok(()));
    let mut commands = address.commands().unwrap();
    let pushed: u64 = commands.lpush("jobs", "x").await.unwrap();
    assert_eq!(pushed, 1);
    // Who may ask for INFO learns it from there.
    let cluster = setup.start_cluster();
    assert!(on(&cluster).await.is_cluster());
}

#[tokio::test]
async fn keys_of_every_slot_are_reached() {
    let cluster = RedisCluster::start();
    assert_eq!(HashSet::from(KEYS.map(|key| cluster.owner(key))).len(), 3);
    let mut connection = on(&cluster).await;
    for key in KEYS {
        assert_eq!(push_all_at_once(&mut connection, key).await.unwrap(), [1, 2]);
        let popped: Option<(String, u64)> = connection.blpop(key, 1.0).await.unwrap();
        assert_eq!(popped, Some((key.to_owned(), 2)));
    }
    // Only the node of the key has the script: it is asked by the first key.
    let load = cluster.nodes[cluster.owner("a")].ask(&["SCRIPT", "LOAD", "return KEYS[1]"]);
    let mut eval = redis::cmd("EVALSHA");
    eval.arg(&load).arg(1);
    let answer: Result<String, _> = eval.clone().arg("a").query_async(&mut connection).await;
    assert_eq!(answer.unwrap(), "a");
    let elsewhere: Result<String, _> = eval.arg("b").query_async(&mut connection).await;
    assert_eq!(elsewhere.unwrap_err().kind(), ErrorKind::Server(ServerErrorKind::NoScript));
}

#[tokio::test]
async fn a_key_that_has_moved_is_followed_also_in_a_transaction() {
    let cluster = RedisCluster::start();
    let mut connection = on(&cluster).await;
    for key in KEYS {
        let () = connection.rpush(key, 0).await.unwrap();
    }
    let to = |key| (cluster.owner(key) + 1) % 3;
    cluster.move_slot("a", to("a"));
    assert_eq!(connection.rpush::<_, _, u64>("a", 1).await.unwrap(), 2);
    cluster.move_slot("b", to("b"));
    assert_eq!(push_all_at_once(&mut connection, "b").await.unwrap(), [2, 3]);
}

#[tokio::test]
async fn a_key_that_is_moving_is_asked_of_its_heir() {
    let cluster = RedisCluster::start();
    let mut connection = on(&cluster).await;
    let to = (cluster.owner("a") + 1) % 3;
    cluster.begin_to_move("a", to);
    assert_eq!(connection.rpush::<_, _, u64>("a", 1).await.unwrap(), 1);
    let popped: Option<(String, u64)> = connection.blpop("a", 1.0).await.unwrap();
    assert_eq!(popped, Some(("a".to_owned(), 1)));
    assert_eq!(push_all_at_once(&mut connection, "a").await.unwrap(), [1, 2]);
    cluster.end_of_move("a", to);
    assert_eq!(connection.llen::<_, u64>("a").await.unwrap(), 2);
}

#[tokio::test]
async fn a_cluster_is_reached_without_the_node_that_the_url_names() {
    let mut cluster =
        RedisSetup::default().line("cluster-require-full-coverage no").start_cluster();
    let address = RedisAddress::new(&cluster.url()).unwrap();
    let mut commands = address.commands().unwrap();
    let there = KEYS.into_iter().find(|key| cluster.owner(key) != 0).unwrap();
    let () = commands.lpush(there, 1).await.unwrap();
    cluster.nodes[0].kill();
    assert!(address.blocking().await.is_ok());
    assert_eq!(commands.llen::<_, u64>(there).await.unwrap(), 1);
    cluster.nodes.iter_mut().for_each(RedisServer::kill);
    eventually("it is refused", async || {
        commands.llen::<_, u64>(there).await.unwrap_err().is_connection_refusal()
    })
    .await;
    cluster.nodes.iter_mut().for_each(RedisServer::restart);
    eventually("commands come through again", async || {
        commands.llen::<_, u64>(there).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn a_replica_that_takes_over_is_found() {
    takes_over(RedisServer::kill).await;
}

#[tokio::test]
async fn a_replica_that_takes_over_from_a_silent_node_is_found() {
    takes_over(|node| node.freeze()).await;
}

async fn takes_over(end: impl Fn(&mut RedisServer)) {
    let mut cluster = RedisCluster::start();
    let owner = cluster.owner("a");
    let _replica = cluster.add_replica_of(owner);
    let mut connection = on(&cluster).await;
    let () = connection.rpush("a", 1).await.unwrap();
    end(&mut cluster.nodes[owner]);
    eventually("the replica has taken over", async || connection.llen::<_, u64>("a").await.is_ok())
        .await;
    assert_eq!(connection.rpush::<_, _, u64>("b", 1).await.unwrap(), 1);
}

#[tokio::test]
async fn a_blocking_read_lasts_its_whole_time_and_holds_up_nobody_else() {
    let (server, cluster) = (RedisServer::start(), RedisCluster::start());
    for url in [server.url(), cluster.url()] {
        let address = RedisAddress::new(&url).unwrap();
        let (mut reader, mut commands) =
            (address.blocking().await.unwrap(), address.commands().unwrap());
        let () = commands.set("a", 1).await.unwrap();
        let start = Instant::now();
        let read = tokio::spawn(async move {
            let popped: Option<(String, u64)> = reader.blpop("empty", BLOCK.as_secs_f64()).await?;
            Ok::<_, RedisError>((popped, reader))
        });
        let mut answered: u64 = 0;
        while !read.is_finished() {
            answered += commands.get::<_, u64>("a").await.unwrap();
        }
        // With the default limit of the client, half a second, it would have been an error.
        assert_eq!(read.await.unwrap().unwrap().0, None);
        assert!(start.elapsed() >= BLOCK);
        assert!(answered > 10, "{answered}");
    }
}

#[tokio::test]
async fn commands_come_through_again_after_every_kind_of_break() {
    let mut server = RedisSetup::default().durable_each_second().start();
    let mut commands = RedisAddress::new(&server.url()).unwrap().commands().unwrap();
    let () = commands.rpush("a", 1).await.unwrap();
    server.kill();
    for _ in 0..3 {
        assert!(commands.llen::<_, u64>("a").await.unwrap_err().is_connection_dropped());
    }
    server.restart();
    assert_eq!(commands.llen::<_, u64>("a").await.unwrap(), 1);
    server.terminate();
    server.restart();
    eventually("it is connected again", async || commands.llen::<_, u64>("a").await.is_ok()).await;
    server.freeze();
    assert!(commands.llen::<_, u64>("a").await.unwrap_err().is_timeout());
    server.thaw();
    assert_eq!(commands.llen::<_, u64>("a").await.unwrap(), 1);
}

#[tokio::test]
async fn a_server_that_says_nothing_holds_nobody_for_ever() {
    let (server, cluster) = (RedisServer::start(), RedisCluster::start());
    server.freeze();
    cluster.nodes.iter().for_each(RedisServer::freeze);
    for url in [server.url(), cluster.url()] {
        let address = RedisAddress::new(&url).unwrap();
        let commands = address.commands().unwrap();
        // One after the other, a hundred would take minutes.
        let asked = (0..100).map(|_| {
            let mut commands = commands.clone();
            tokio::spawn(async move { commands.get::<_, Option<u64>>("a").await })
        });
        let answers = timeout(LONG, join_all(asked.collect::<Vec<_>>())).await.unwrap();
        for answer in answers {
            let words = address.explain(&answer.unwrap().unwrap_err());
            assert!(words.contains("does not answer in time"), "{words}");
        }
    }
}

#[tokio::test]
async fn a_command_whose_connection_breaks_is_not_sent_again() {
    let cluster = RedisCluster::start();
    let address = RedisAddress::new(&cluster.url()).unwrap();
    let (mut commands, mut reader) =
        (address.commands().unwrap(), address.blocking().await.unwrap());
    let owner = &cluster.nodes[cluster.owner("a")];
    let read = tokio::spawn(async move {
        redis::cmd("BLPOP").arg("a").arg(5).query_async::<Option<(String, u64)>>(&mut reader).await
    });
    let blocked = || owner.ask(&["INFO", "clients"]).contains("blocked_clients:1");
    eventually("the read is there", async || blocked()).await;
    let _ = owner.ask(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
    assert!(read.await.unwrap().unwrap_err().is_connection_dropped());
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!blocked(), "it was sent again");
    eventually("commands come through again", async || {
        commands.lpush::<_, _, u64>("a", 1).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn what_real_servers_refuse_is_said_with_what_to_do() {
    let server = RedisSetup::default().user("mind", "on >m resetkeys ~jobs -@all +ping").start();
    let address = RedisAddress::new(&server.url()).unwrap();
    let mut commands = address.commands().unwrap();
    let () = commands.set("text", "x").await.unwrap();
    let wrong = commands.lpush::<_, _, u64>("text", 1).await.unwrap_err();
    server.config_set("maxmemory", "1");
    let full = push_all_at_once(&mut commands, "list").await.unwrap_err();
    server.config_set("maxmemory", "0");
    server.tell(&["REPLICAOF", "127.0.0.1", "1"]);
    let replica = commands.lpush::<_, _, u64>("list", 1).await.unwrap_err();
    for (error, words) in
        [(wrong, "another program"), (full, "raise its maxmemory"), (replica, "is a replica")]
    {
        assert!(address.explain(&error).contains(words), "{error}");
    }
    let restricted = format!("redis://mind:m@127.0.0.1:{}", server.port());
    let restricted = RedisAddress::new(&restricted).unwrap();
    let mut commands = restricted.commands().unwrap();
    let error = commands.lpush::<_, _, u64>("jobs", 1).await.unwrap_err();
    assert!(restricted.explain(&error).contains("widen its rules"), "{error}");
}

#[tokio::test]
async fn addresses_that_lead_nowhere_are_said_with_what_to_do() {
    let cluster = RedisCluster::start();
    for node in &cluster.nodes {
        node.tell(&["ACL", "SETUSER", "mind", "on", ">m", "~*", "-@all", "+ping", "+lpush"]);
    }
    let mind = cluster.url().replace("redis://", "redis://mind:m@");
    let mind = RedisAddress::new(&mind).unwrap();
    let mut commands = mind.commands().unwrap();
    let there = KEYS.into_iter().find(|key| cluster.owner(key) != 0).unwrap();
    let error = commands.lpush::<_, _, u64>(there, 1).await.unwrap_err();
    assert!(mind.explain(&error).contains("cluster|slots"), "{error}");
    for (url, words) in [
        (format!("{}/1", cluster.url()), "has no database of the number"),
        ("redis://127.0.0.1:1".to_owned(), "nothing listens at"),
        ("unix:///nowhere/redis.sock".to_owned(), "nothing listens at"),
        ("redis://nowhere.invalid".to_owned(), "no machine has the name"),
    ] {
        let problem = RedisAddress::new(&url).unwrap().check().await.unwrap_err();
        assert!(problem.contains(words), "{problem}");
    }
}
