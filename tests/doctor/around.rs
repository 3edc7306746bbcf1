//! What is around a home: channels, browsers, a Redis, and where notifications go.

use std::net::TcpListener;

use redis::Commands;
use testkit::{RedisServer, TempHome};

use super::{Seen, offline};

#[test]
fn channels_and_browsers_that_can_not_work_are_found() {
    let home = TempHome::new();
    home.put(
        "agent/config.json",
        r#"{"llm": {"provider": "offline"}, "telegram": {"owner": 7, "api_url": "http://127.0.0.1:9"},
            "http": {"listen": "127.0.0.1:8787"}}"#,
    );
    let seen = Seen::of(home.root(), &[]);
    seen.has("telegram", "fail", "TELEGRAM_BOT_TOKEN is not set", "safeclaw agent config telegram");
    seen.has("programs", "fail", "SAFECLAW_HTTP_TOKEN is not set", "safeclaw agent config http");
    seen.has("browser", "warn", "none is installed", "apt install chromium");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    home.put(
        "agent/config.json",
        format!(
            r#"{{"llm": {{"provider": "offline"}}, "telegram": {{"owner": 7, "api_url": "http://127.0.0.1:9"}},
                "http": {{"listen": "127.0.0.1:{port}"}}}}"#
        ),
    );
    let token = "123456789:AAE-and-33-more-characters-or-so-xx";
    let seen = Seen::of(
        home.root(),
        &[
            ("TELEGRAM_BOT_TOKEN", token),
            ("SAFECLAW_HTTP_TOKEN", "hunter2"),
            ("REMOTE_BROWSER_SERVER", "http://127.0.0.1:4444"),
        ],
    );
    seen.has("telegram", "fail", "", "check the network");
    seen.has("programs", "fail", "another program listens at", "config http");
    seen.has("browser", "fail", "its network is not decided", "browser.proxy_bind");
    assert!(!format!("{:?}", seen.checks).contains("33-more"));
    let seen = Seen::of(home.root(), &[("REMOTE_BROWSER_SERVER", "not an address")]);
    seen.has("browser", "fail", "is no address", "http://host:4444");
}

#[test]
fn a_redis_that_loses_things_or_is_not_there_is_found() {
    let home = offline();
    let url = "redis://127.0.0.1:9";
    Seen::of(home.root(), &[("REDIS_URL", url)]).has("queue", "fail", "127.0.0.1:9", "REDIS_URL");
    Seen::of(home.root(), &[("REDIS_URL", "http://x")]).has(
        "queue",
        "fail",
        "REDIS_URL",
        "REDIS_URL",
    );

    let server = RedisServer::start();
    let mut redis = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let set = |redis: &mut redis::Connection, name: &str, value: &str| {
        redis::cmd("CONFIG").arg("SET").arg(name).arg(value).exec(redis).unwrap();
    };
    let url = server.url();
    let variables = [("REDIS_URL", url.as_str())];
    set(&mut redis, "appendonly", "no");
    let seen = Seen::of(home.root(), &variables);
    seen.has("queue", "warn", "loses what waits", "appendonly yes");
    seen.has("routers", "warn", "0 routers live", "safeclaw router");
    set(&mut redis, "appendonly", "yes");
    set(&mut redis, "maxmemory-policy", "allkeys-lru");
    Seen::of(home.root(), &variables).has("queue", "warn", "throws commands away", "noeviction");
    set(&mut redis, "maxmemory-policy", "noeviction");
    let _: () = redis.lpush("{safeclaw:command_queue}:dlq", r#"{"reason":"poison"}"#).unwrap();
    let keys: Vec<String> = redis.keys("*").unwrap();
    let seen = Seen::of(home.root(), &variables);
    seen.has("queue", "ok", "answers in", "");
    seen.has("dead letters", "warn", "1 commands were given up", "queue dead");
    assert_eq!(redis.keys::<_, Vec<String>>("*").unwrap(), keys, "a look leaves nothing there");
}

#[test]
fn where_notifications_go_is_an_address_whose_host_answers() {
    let home = offline();
    let says = |url: &str| {
        let config = format!(r#"{{"skills": {{"NOTIFY": {{"settings": {{"url": "{url}"}}}}}}}}"#);
        home.put("router/config.json", config);
        Seen::of(home.root(), &[])
    };
    let there = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = there.local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/topic");
    let seen = format!("127.0.0.1:{port} can");
    says(&url).has("notify", "ok", &format!("{seen} be connected to"), "");
    drop(there);
    says(&url).has("notify", "warn", &format!("{seen}'t be connected to"), "router notify URL");
    says("ntfy.sh/topic").has("notify", "fail", "is no http or https address", "router notify URL");
    assert!(says("").checks.iter().all(|check| check["name"] != "notify"));
}
