//! What the router keeps of a session: budgets, trust bits, known addresses; and the kill switch.

use super::*;

const OPEN: &str = "[effects]\nnone = \"allow\"\nlocal = \"allow\"\nexternal = \"allow\"\nirreversible = \"ask\"\n";

/// A house whose policy allows what is seen elsewhere, with skills that read.
fn open_house() -> House {
    open_house_for(8)
}

/// The same, for so many commands at a time.
fn open_house_for(parallel: usize) -> House {
    let house = house_with(
        |home| {
            home.put("router/policy.toml", OPEN);
            skill(home, "page", "none", "reads = \"public\"\n[net]\nhosts = [\"api.example\"]");
            skill(home, "diary", "none", "reads = \"private\"");
        },
        parallel,
    );
    house.let_run(100);
    house
}

fn tainted(id: &str, action: &str, taint: &str) -> Command {
    let mut command = command(id, action, json!({}));
    command.envelope.taint = protocol::Taint::try_from(taint.to_owned()).unwrap();
    command
}

#[tokio::test]
async fn what_the_router_has_shown_a_session_raises_its_bits_whatever_the_agent_says() {
    let house = open_house();
    done(&house.ask("POST", json!({"text": "1"})).await);
    done(&house.ask("PAGE", json!({})).await);
    let (_, asked) = question(&house.ask("POST", json!({"text": "2"})).await);
    assert!(asked.contains("untrusted text has entered"), "{asked}");
    done(&house.ask("DIARY", json!({})).await);
    let (_, asked) = question(&house.ask("POST", json!({"text": "3"})).await);
    assert!(asked.contains("untrusted text and private data"), "{asked}");
}

#[tokio::test]
async fn what_a_skill_says_as_it_fails_raises_them_too() {
    let house = open_house();
    let failed = house.ask("PAGE", json!({"text": "fail"})).await;
    assert_eq!(stopped(&failed).code, Code::SkillFailed);
    question(&house.ask("POST", json!({})).await);
}

#[tokio::test]
async fn bits_outlive_the_router_and_belong_to_their_session() {
    let house = open_house();
    done(&house.ask("PAGE", json!({})).await);
    let house = house.restarted().await;
    house.let_run(10);
    question(&house.ask("POST", json!({})).await);
    let mut other = command("o1", "POST", json!({}));
    other.envelope.session = Some(SessionKey::new("guest").unwrap());
    done(&house.agent.request(other, LONG).await.unwrap());
}

#[tokio::test]
async fn a_claim_raises_a_bit_and_never_clears_one() {
    let house = open_house();
    done(&house.agent.request(tainted("c1", "LOOK", "T"), LONG).await.unwrap());
    question(&house.agent.request(tainted("c2", "POST", ""), LONG).await.unwrap());
}

#[tokio::test]
async fn commands_without_a_session_share_one() {
    let house = open_house();
    let nobodys = |id: &str, action: &str| {
        let mut command = command(id, action, json!({}));
        (command.envelope.session, command.envelope.principal) = (None, None);
        command
    };
    done(&house.agent.request(nobodys("n1", "PAGE"), LONG).await.unwrap());
    question(&house.agent.request(nobodys("n2", "POST"), LONG).await.unwrap());
}

#[tokio::test]
async fn twenty_actions_a_minute_are_the_most_and_doing_nothing_is_not_counted() {
    let house = open_house();
    for n in 0..20 {
        done(&house.ask("POST", json!({"text": n.to_string()})).await);
        done(&house.ask("LOOK", json!({})).await);
    }
    let one_more = house.ask("POST", json!({"text": "x"})).await;
    assert_eq!(stopped(&one_more).code, Code::Budget);
    done(&house.ask("LOOK", json!({})).await);
}

#[tokio::test]
async fn the_same_call_runs_three_times_in_a_row() {
    let house = open_house();
    for _ in 0..3 {
        done(&house.ask("POST", json!({})).await);
    }
    assert_eq!(stopped(&house.ask("POST", json!({})).await).code, Code::Budget);
    assert_eq!(house.ran(), 3);
}

#[tokio::test]
async fn a_rule_that_counts_allows_so_often_also_after_a_restart() {
    let policy = "[effects]\nexternal = \"refuse\"\n[[rules]]\naction = \"POST\"\nthen = \"allow\"\ntimes = 2\n";
    let house = house_with(|home| home.put("router/policy.toml", policy), 8);
    house.let_run(9);
    done(&house.ask("POST", json!({"text": "1"})).await);
    let house = house.restarted().await;
    house.let_run(9);
    done(&house.ask("POST", json!({"text": "2"})).await);
    assert_eq!(stopped(&house.ask("POST", json!({"text": "3"})).await).code, Code::Policy);
}

#[tokio::test]
async fn the_kill_switch_stops_what_runs_and_lets_nothing_begin() {
    let house = open_house();
    // The one that runs waits for ever.
    let house = House { sandbox: house.sandbox.clone(), ..house };
    house.sandbox.leave.forget_permits(100);
    let running = house.asking("r1", "POST");
    eventually("it runs", async || house.running() == 1).await;
    done(&house.ask("STOP", json!({})).await);
    let reply = running.await.unwrap();
    assert_eq!(stopped(&reply).code, Code::Stopped);
    assert!(stopped(&reply).maybe_executed);
    house.let_run(1);
    assert_eq!(stopped(&house.ask("LOOK", json!({})).await).code, Code::Stopped);
    let house = house.restarted().await;
    house.let_run(1);
    assert_eq!(stopped(&house.ask("LOOK", json!({})).await).code, Code::Stopped);
    std::fs::remove_file(house.home.router_state().join("switch/stop.entry")).unwrap();
    done(&house.ask("LOOK", json!({})).await);
}

#[tokio::test]
async fn a_stop_is_heard_where_there_is_room_for_nothing_else() {
    let house = open_house_for(1);
    house.sandbox.leave.forget_permits(100);
    let running = house.asking("r1", "POST");
    eventually("it runs", async || house.running() == 1).await;
    let waiting = house.asking("r2", "POST");
    done(&house.ask("STOP", json!({})).await);
    for reply in [running.await.unwrap(), waiting.await.unwrap()] {
        assert_eq!(stopped(&reply).code, Code::Stopped);
    }
}

#[tokio::test]
async fn a_switch_that_can_not_be_read_counts_as_thrown() {
    let house = open_house();
    std::fs::create_dir_all(house.home.router_state().join("switch/stop.entry")).unwrap();
    assert_eq!(stopped(&house.ask("LOOK", json!({})).await).code, Code::Stopped);
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn a_state_that_can_not_be_read_lets_nothing_run() {
    let house = open_house();
    house.home.put("router/state/sessions/owner.entry", "- 5\n{half");
    assert_eq!(stopped(&house.ask("POST", json!({})).await).code, Code::Internal);
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn an_agent_reaches_only_what_was_named_from_the_first_answer_on() {
    let house = open_house();
    let mut events = house.events().await;
    let permit = |id: &str, url: &str, typed: &[&str]| {
        let params = json!({"action": "_BROWSER_VISION", "params": {"url": url}});
        let mut command = command(id, "PERMIT", params);
        command.envelope.typed = typed.iter().map(|url| (*url).to_owned()).collect();
        house.agent.request(command, LONG)
    };
    let (id, _) = question(&permit("p1", "https://evil.example/?q=1", &[]).await.unwrap());
    done(&house.answer(&id, "no", None).await);
    stopped(&result(&mut events).await);
    done(&house.ask("PAGE", json!({"text": "links"})).await);
    done(&permit("p2", "https://a.example", &[]).await.unwrap());
    done(&permit("p3", "https://typed.example/x", &["https://typed.example/x"]).await.unwrap());
    // What is sent to a host could come back from there as a link.
    question(&house.ask("PAGE", json!({"text": "https://b.example/"})).await);
    // What reads nothing names nothing.
    done(&house.ask("LOOK", json!({"text": "https://c.example/"})).await);
    question(&permit("e1", "https://c.example/", &[]).await.unwrap());
    let foreign = permit("p4", "https://evil.example/?q=2", &[]).await.unwrap();
    let (id, asked) = question(&foreign);
    assert!(asked.contains("https://evil.example/?q=2"), "{asked}");
    done(&house.answer(&id, "yes", None).await);
    done(&result(&mut events).await);
    done(&permit("p5", "https://evil.example/?q=2", &[]).await.unwrap());
    question(&permit("p6", "https://evil.example/?q=3", &[]).await.unwrap());
}
