//! Jobs of the clock, on real processes: told from a pipe, after a restart, and at most once whenever the agent is killed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testkit::{Chat, OllamaServer, Says, TempHome, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

fn start(home: &TempHome) -> Chat {
    Chat::start(SAFECLAW, &[], home.root(), &[("TZ", "Europe/Berlin")])
}

#[test]
fn a_reminder_comes_over_a_pipe_that_stays_open() {
    let home = TempHome::new();
    let mut chat = start(&home);
    let agreed = chat.ask("/remind 1s tea", "takes it back.");
    assert!(
        agreed.contains("I'll remind you") && agreed.contains("(Europe/Berlin): tea"),
        "{agreed}"
    );
    assert!(agreed.contains("/cancel job-1"), "{agreed}");
    chat.expect("Reminder: tea\n");
    chat.ask("/jobs", "Nothing is set");
    assert!(chat.end().success());
    assert_eq!(chat.stdout().matches("Reminder: tea").count(), 1);
}

#[test]
fn a_job_of_the_clock_holds_no_pipe_open() {
    let home = TempHome::new();
    let mut chat = start(&home);
    chat.ask("/cron * * * * * tea", "/cancel job-1");
    chat.ask("/remind 1h tea", "/cancel job-2");
    assert!(chat.end().success());
    chat.expect_on_stderr("[2 jobs of the clock wait; they are told while SafeClaw runs");
    let mut chat = start(&home);
    chat.ask("/cancel job-1", "job-1");
    chat.ask("/cancel job-2", "job-2");
    assert!(chat.end().success());
    assert!(!chat.stderr().contains("of the clock"), "{}", chat.stderr());
}

#[test]
fn what_was_missed_is_told_at_the_next_start() {
    let home = TempHome::new();
    home.put(
        "workspace/scheduler.json",
        r#"{"jobs": [{"id": "job-1", "text": "tea", "next": 1000, "by": "console:owner", "made": 0}]}"#,
    );
    let mut chat = start(&home);
    chat.expect("Reminder: tea (it was due on Thu 1 Jan 1970 at 01:00:01)");
    wait_until("the job is done", || !home.text("workspace/scheduler.json").contains("job-1"));
    chat.ask("/jobs", "Nothing is set");
}

#[test]
fn what_can_not_be_set_is_told_with_what_is_right() {
    let home = TempHome::new();
    let mut chat = start(&home);
    for (line, told) in [
        ("/remind 0m tea", "\"0m\" is no span of time"),
        ("/remind 2x tea", "such as 20m or 2h"),
        ("/remind 2h", "/remind 2h call Max"),
        ("/cron 99 99 99 99 99 tea", "is no cron pattern"),
        ("/cron 0 0 30 2 * tea", "never comes"),
        ("/cancel job-7", "there is no job job-7"),
    ] {
        chat.say(line);
        chat.expect_on_stderr(told);
    }
    chat.ask("/jobs", "Nothing is set");
}

#[test]
fn without_a_clock_nothing_is_promised() {
    let home = TempHome::new();
    home.put("agent/config.json", r#"{"clock": {"enabled": false}}"#);
    let mut chat = start(&home);
    chat.say("/remind 2h tea");
    chat.expect_on_stderr("the clock is off");
    assert!(chat.end().success());
    assert!(!home.workspace().join("scheduler.json").exists());
}

#[test]
fn a_zone_that_does_not_exist_is_refused_by_name() {
    let home = TempHome::new();
    home.put("agent/config.json", r#"{"clock": {"zone": "Europe/Berln"}}"#);
    let mut chat = start(&home);
    assert!(!chat.wait().success());
    let told = chat.stderr();
    assert!(told.contains("clock.zone") && told.contains("Europe/Berlin"), "{told}");
}

#[test]
fn what_a_model_is_to_do_waits_once_its_budget_is_used_up_and_reminders_come() {
    let home = TempHome::new();
    home.put("agent/config.json", r#"{"clock": {"wakes": 1}, "llm": {"provider": "offline"}}"#);
    let job = |id: &str, more: &str| {
        format!(
            r#"{{"id": "{id}", "text": "{id}", "next": 1000, "by": "console:owner", "made": 0{more}}}"#
        )
    };
    let (model, again) = (r#", "agent": true"#, r#", "agent": true, "cron": "0 0 1 1 *""#);
    let jobs = [job("job-1", model), job("job-2", again), job("job-3", "")].join(", ");
    home.put(
        "workspace/scheduler.json",
        format!(r#"{{"zone": "Europe/Berlin", "jobs": [{jobs}]}}"#),
    );
    let mut chat = start(&home);
    chat.expect("Reminder: job-3");
    chat.expect("What a model is to do waits until");
    let shown = chat.ask("/jobs", "Times are");
    assert!(shown.contains("Models were woken 1 of 1 times today"), "{shown}");
    assert!(shown.contains("[job-2] 0 0 1 1 *") && !shown.contains("job-1]"), "{shown}");
    assert!(chat.end().success());
    // It is known after a restart: nothing is woken and nothing said again.
    let mut chat = start(&home);
    chat.ask("/remind 1s tea", "takes it back.");
    chat.expect("Reminder: tea");
    let shown = chat.ask("/jobs", "Times are");
    assert!(shown.contains("woken 1 of 1 times") && shown.contains("[job-2]"), "{shown}");
    assert!(chat.end().success());
    assert!(!chat.stdout().contains("waits until"), "{}", chat.stdout());
}

#[test]
fn a_job_that_is_taken_back_while_it_waits_for_another_is_not_done() {
    let home = TempHome::new();
    let goes_on = Arc::new(AtomicBool::new(false));
    let may = Arc::clone(&goes_on);
    let says = Says::Made(Arc::new(move |_: &str| {
        wait_until("it may go on", || may.load(Ordering::SeqCst));
        "It is done.".to_owned()
    }));
    let server = OllamaServer::start(std::iter::repeat_n(says, 4));
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &server.host())]);
    chat.ask("/remind 1s --agent look at the first", "takes it back.");
    chat.ask("/remind 1s --agent look at the second", "takes it back.");
    wait_until("the first is being done", || server.prompts().len() == 1);
    let at = chat.stdout().len();
    chat.say("/cancel job-2");
    chat.say("/jobs");
    goes_on.store(true, Ordering::SeqCst);
    wait_until("it is taken back", || chat.stdout()[at..].contains("job-2 is cancelled"));
    assert!(chat.end().success());
    assert_eq!(server.prompts().len(), 1, "{}", chat.stdout());
}

#[test]
fn a_job_that_a_model_has_done_is_not_told_as_undone_after_a_kill_during_the_next() {
    let home = TempHome::new();
    let server = OllamaServer::start([
        Says::text("The first is done."),
        Says::Begins("The second".to_owned()),
        Says::text("Hello."),
    ]);
    let host = server.host();
    let start = || Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &host)]);
    let mut chat = start();
    chat.ask("/remind 1s --agent look at the first", "takes it back.");
    chat.ask("/remind 1s --agent look at the second", "takes it back.");
    wait_until("the second is being done", || server.prompts().len() == 2);
    wait_until("the first is noted", || {
        !home.text("workspace/scheduler.json").contains("look at the first")
    });
    chat.kill();
    let mut chat = start();
    chat.expect("look at the second");
    chat.ask("hi", "Hello.");
    assert!(chat.end().success());
    assert!(!chat.stdout().contains("look at the first"), "{}", chat.stdout());
}

#[test]
fn a_kill_at_any_moment_tells_a_job_once_at_most_and_forgets_none() {
    for round in 0..8u64 {
        let home = TempHome::new();
        let mut chat = start(&home);
        chat.ask("/remind 1s tea", "takes it back.");
        // Around the moment at which it is due, before and after.
        std::thread::sleep(Duration::from_millis(940 + round * 20));
        let before = {
            let seen = chat.stdout();
            chat.kill();
            seen
        };
        let mut chat = start(&home);
        let told = chat.ask("/status", "workspace:");
        // Whatever is to be said of it stands there by then, or comes now.
        testkit::wait_until("it was told", || {
            let all = format!("{before}{told}{}", chat.stdout());
            all.contains("Reminder: tea") || all.contains("may not have reached you")
        });
        let after = chat.stdout();
        assert!(chat.end().success());
        let times =
            before.matches("Reminder: tea").count() + after.matches("Reminder: tea").count();
        assert!(times <= 1, "round {round}: {before}\n---\n{after}");
    }
}
