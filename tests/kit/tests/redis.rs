//! The kit's own promises: what it starts is real, and its options do what they say.
#![allow(clippy::unwrap_used, reason = "this whole file is tests")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use testkit::{RedisCluster, RedisServer, RedisSetup, eventually};

/// Sends one inline command and gives the first line of the answer.
fn ask(server: &RedisServer, commands: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    write!(stream, "{commands}\r\nQUIT\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.trim_end().trim_end_matches("+OK").trim_end().to_owned()
}

#[test]
fn servers_run_side_by_side_and_end_with_their_value() {
    let servers = [RedisServer::start(), RedisServer::start()];
    assert_eq!(ask(&servers[0], "SET where first"), "+OK");
    assert_eq!(ask(&servers[1], "GET where"), "$-1");
    let ports = servers.each_ref().map(RedisServer::port);
    drop(servers);
    assert!(ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_err()));
}

#[test]
fn a_durable_server_remembers_what_it_was_told_before_it_was_killed() {
    let (mut durable, mut plain) = (RedisSetup::default().durable().start(), RedisServer::start());
    for server in [&mut durable, &mut plain] {
        ask(server, "SET kept yes");
        server.kill();
        assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err());
        server.restart();
    }
    assert_eq!(ask(&durable, "GET kept"), "$3\r\nyes");
    assert_eq!(ask(&plain, "GET kept"), "$-1");
}

#[test]
fn a_password_and_users_are_asked_for() {
    let server =
        RedisSetup::default().password("hunter2").user("mind", "on >m ~jobs +lpush").start();
    assert!(server.url().contains("hunter2"));
    assert!(ask(&server, "PING").starts_with("-NOAUTH"));
    assert!(ask(&server, "AUTH mind m\r\nGET jobs").contains("-NOPERM"));
    assert!(ask(&server, "AUTH mind m\r\nLPUSH jobs x").ends_with(":1"));
}

#[test]
fn a_server_that_was_asked_to_end_has_written_everything() {
    let mut server = RedisSetup::default().durable_each_second().start();
    assert_eq!(server.ask(&["SET", "kept", "yes"]), "OK");
    server.terminate();
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err());
    server.restart();
    assert_eq!(server.ask(&["GET", "kept"]), "yes");
}

#[test]
fn a_frozen_server_accepts_and_says_nothing_until_it_thaws() {
    let server = RedisServer::start();
    server.freeze();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    stream.write_all(b"PING\r\n").unwrap();
    let mut answer = [0; 7];
    assert!(stream.read_exact(&mut answer).is_err());
    server.thaw();
    stream.set_read_timeout(None).unwrap();
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"+PONG\r\n");
}

#[test]
fn a_setting_is_changed_while_the_server_runs() {
    let server = RedisServer::start();
    server.config_set("maxmemory", "1");
    assert!(server.ask(&["SET", "a", "b"]).starts_with("OOM"));
}

#[test]
fn a_server_with_tls_says_nothing_in_the_clear() {
    let server = RedisSetup::default().tls().password("hunter2").start();
    assert_eq!(server.ask(&["PING"]), "PONG");
    assert!(server.url().starts_with("rediss://:hunter2@"));
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let mut answer = Vec::new();
    let _ = stream.write_all(b"PING\r\n").and_then(|()| stream.read_to_end(&mut answer));
    assert!(!String::from_utf8_lossy(&answer).contains("PONG"));
}

#[test]
fn the_keys_of_a_slot_move_with_it() {
    let cluster = RedisCluster::start();
    let from = cluster.owner("a");
    assert_eq!(cluster.nodes[from].ask(&["SET", "a", "here"]), "OK");
    let to = (from + 1) % 3;
    cluster.move_slot("a", to);
    assert_eq!(cluster.owner("a"), to);
    assert_eq!(cluster.nodes[to].ask(&["GET", "a"]), "here");
    assert!(cluster.nodes[from].ask(&["GET", "a"]).starts_with("MOVED"));
}

#[tokio::test]
async fn waiting_lets_the_rest_of_the_thread_go_on() {
    let task = tokio::spawn(async { 7 });
    eventually("the task has ended", async || task.is_finished()).await;
    assert_eq!(task.await.unwrap(), 7);
}
