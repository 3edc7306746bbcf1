//! The window of a router on Redis: the queue, and dead letters that are sent again.

use testkit::page::{click, see};
use testkit::{RedisServer, TempHome, wait_until, with_browser};

use crate::house::{SAFECLAW, home, open, told};

/// A router that is killed when this is dropped.
struct Router(std::process::Child);

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn router(home: &TempHome) -> Router {
    let mut command = std::process::Command::new(SAFECLAW);
    command.args(["router", "--home"]).arg(home.root());
    Router(command.stderr(std::process::Stdio::null()).spawn().unwrap())
}

#[tokio::test]
async fn a_dead_letter_that_may_have_been_done_is_asked_about_before_it_is_sent_again() {
    let server = RedisServer::start();
    let home = home();
    home.put(".env", format!("REDIS_URL={}\n", server.url()));
    home.put("router/policy.toml", "[effects]\nexternal = \"allow\"\n");
    let letter = serde_json::json!({
        "reason": "interrupted", "message": "the router died", "at": 1_700_000_000_000_u64,
        "attempts": 1, "router": "router-x", "message_id": "letter-1", "action": "RING",
        "raw": "{\"message_id\":\"letter-1\",\"action\":\"RING\",\"params\":{\"who\":\"Z\"}}",
    });
    let pushed = server.ask(&["LPUSH", "{safeclaw:command_queue}:dlq", &letter.to_string()]);
    assert_eq!(pushed, "1");
    let _router = router(&home);
    with_browser(async |client| {
        open(client, &home).await;
        see(client, "#queue", "routers alive: 1").await;
        see(client, "#letters", "RING · interrupted").await;
        see(client, "#letters", "may have been done").await;
        click(client, "#letters .act button").await;
        see(client, "#letters .asks", "may then be done twice").await;
        click(client, "#letters .asks .deny").await;
        assert!(told(&home, &["router", "queue", "dead"]).contains("RING"));
        click(client, "#letters .act > button").await;
        click(client, "#letters .asks .allow").await;
        see(client, "#letters", "No command was given up").await;
        see(client, "#running", "RING · ok").await;
    })
    .await;
    wait_until("a row of it", || {
        home.text("router/audit/cli.jsonl").contains("\"deed\":\"retry\"")
    });
}
