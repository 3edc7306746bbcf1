//! Bytes that are no commands.

use protocol::{Code, json};
use redis::Commands;
use testkit::{RedisServer, wait_until};

use crate::kit::*;

/// Bytes of which no id can be read.
fn nameless() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [
        "",
        "{",
        "[1]",
        "7",
        "null",
        "\"text\"",
        "{}",
        "NaN",
        "{\"message_id\":null}",
        "{\"message_id\":5}",
        "{\"message_id\":\"\"}",
        "{\"message_id\":\"a\\rb\"}",
        "{\"message_id\":\"a\\u0000b\"}",
        "{\"message_id\":\"a b\"}",
        "{\"message_id\":[\"a\"]}",
        "{\"message_id\":\"\\ud800\"}",
        "\u{feff}{}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    all.push(b"\xff\xfe".to_vec());
    all.push(b"{\"message_id\":\"\xff\"}".to_vec());
    all.push("[".repeat(100_000).into_bytes());
    all.push("{\"a\":".repeat(40_000).into_bytes());
    all.push(format!("{{\"message_id\":\"{}\"}}", "x".repeat(129)).into_bytes());
    all.push(vec![b'x'; json::MAX_BYTES + 1]);
    all.push(vec![0; 4 * 1024 * 1024]);
    // Every way to cut a command short.
    let whole = legacy("cut");
    all.extend((1..whole.len()).map(|end| whole.as_bytes()[..end].to_vec()));
    all
}

#[test]
fn what_is_no_command_becomes_a_dead_letter_and_harms_nobody() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let _router = Router::start(&server, quick(), |request| {
        let stopped = request.command().unwrap_err().stopped.clone();
        request.reply(stopped);
    });
    let garbage = nameless();
    for bytes in &garbage {
        let () = redis.lpush(QUEUE, bytes.as_slice()).unwrap();
    }
    wait_until("all of it is put away", || letters(&mut redis).len() == garbage.len());
    let reasons = letters(&mut redis);
    let too_large = garbage.iter().filter(|bytes| bytes.len() > json::MAX_BYTES).count();
    assert_eq!(reasons.iter().filter(|reason| *reason == "too_large").count(), too_large);
    assert_eq!(
        reasons.iter().filter(|reason| *reason == "bad_request").count(),
        garbage.len() - too_large
    );
    let keys: Vec<String> = redis.keys("safeclaw:response:*").unwrap();
    assert!(keys.is_empty(), "{keys:?}");
    settles(&server);
}

#[test]
fn whoever_can_be_answered_is_answered() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let _router = Router::start(&server, quick(), |request| {
        let stopped = request.command().unwrap_err().stopped.clone();
        request.reply(stopped);
    });
    let long = "x".repeat(json::MAX_BYTES);
    for (id, code, body) in [
        ("m1", Code::UnknownAction, r#"{"message_id":"m1","action":"../X"}"#.to_owned()),
        ("m2", Code::BadRequest, r#"{"message_id":"m2","action":5}"#.to_owned()),
        ("m3", Code::BadRequest, r#"{"message_id":"m3","action":"A","params":[]}"#.to_owned()),
        ("m4", Code::BadRequest, r#"{"message_id":"m4","action":"A","action":"B"}"#.to_owned()),
        (
            "m5",
            Code::TooLarge,
            format!(r#"{{"message_id":"m5","action":"A","params":{{"t":"{long}"}}}}"#),
        ),
    ] {
        let () = redis.lpush(QUEUE, body).unwrap();
        assert_eq!(stopped(&reply(&mut redis, id)).code, code, "{id}");
    }
    settles(&server);
}

/// No router writes such entries; each would stop every claim that brings it.
#[test]
fn what_was_never_handed_back_becomes_a_dead_letter() {
    let server = RedisServer::start();
    let mut redis = connect(&server);
    let command = legacy("m1").into_bytes();
    let entries: Vec<Vec<u8>> = [
        &b"1 normal~ \xff\xfe\nno command"[..],
        b"1 normal~ \xff\n",
        &[b"1 normal~ ", "x".repeat(129).as_bytes(), b"\nno command"].concat(),
        &[&b"99999999999999999999 normal~ m1\n"[..], &command].concat(),
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    let () = redis.rpush(AGAIN, &entries).unwrap();
    let _router = Router::start(&server, quick(), |request| match request.command() {
        Ok(_) => answer(request),
        Err(malformed) => {
            let stopped = malformed.stopped.clone();
            request.reply(stopped);
        }
    });
    let () = redis.lpush(QUEUE, command).unwrap();
    reply(&mut redis, "m1");
    wait_until("all of it is put away", || letters(&mut redis).len() == entries.len());
    settles(&server);
}
