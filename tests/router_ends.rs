//! `safeclaw` when its router ends: another one follows, what was open is asked again, and the chat goes on.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "signals are sent by a program")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use testkit::{Chat, TempHome, children_of, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// What the person hears of it.
const STARTED_AGAIN: &str = "[the router ended; started again]";

/// Sleeps for ever when it is begun for the first time, and says how often it was begun otherwise.
const SLEEPS_AT_FIRST: &str = "#!/bin/sh\n[ \"$SAFECLAW_ATTEMPT\" != 1 ] || sleep 1000\necho \"{\\\"begun\\\": $SAFECLAW_ATTEMPT}\"\n";

struct House {
    home: TempHome,
    chat: Chat,
}

/// A chat with the skill SLOW, which can be run twice or not.
fn house(idempotent: bool) -> House {
    let home = TempHome::greeting();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    let manifest = format!(
        "name = \"SLOW\"\ninstruction = \"Test.\"\neffect = \"none\"\nidempotent = {idempotent}\n\
         command = [\"./run\"]\ntimeout = \"60s\"\nsummary = \"begun {{begun}} times\"\n"
    );
    home.put("router/skills/slow/run", SLEEPS_AT_FIRST);
    let run = home.router_skills().join("slow/run");
    fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    home.put("router/skills/slow/skill.toml", manifest);
    wait_until("it is known", || home.text("workspace/router_actions.json").contains("SLOW"));
    House { home, chat }
}

impl House {
    /// The router's process id; waits for one while there is none.
    fn router(&self) -> u32 {
        self.chat.router()
    }

    fn kill_router(&self) {
        signal("-KILL", self.router());
    }

    /// How often SLOW was begun.
    fn begun(&self) -> usize {
        let folder = self.home.root().join("router/audit");
        let logs = fs::read_dir(folder).into_iter().flatten().flatten();
        let rows: String = logs.filter_map(|log| fs::read_to_string(log.path()).ok()).collect();
        rows.lines().filter(|row| row.contains("\"intent\"") && row.contains("SLOW")).count()
    }

    /// Waits until the person has been told `times` times that there is another router.
    fn started_again(&self, times: usize) {
        wait_until("another router is there", || {
            self.chat.stderr().matches(STARTED_AGAIN).count() == times
        });
    }
}

fn signal(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

fn is_gone(pid: u32) -> bool {
    !Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn what_may_be_run_twice_is_run_again_and_answered() {
    let mut house = house(true);
    house.chat.say("/run SLOW");
    wait_until("it runs", || house.begun() == 1);
    let first = house.router();
    house.kill_router();
    house.chat.expect("SLOW: ok, begun 2 times");
    assert_eq!(house.begun(), 2);
    house.started_again(1);
    assert_ne!(house.router(), first);
    house.chat.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
    assert_eq!(house.chat.end().code(), Some(0), "{}", house.chat.stderr());
}

#[test]
fn what_can_not_be_run_twice_is_run_once_and_that_is_said() {
    let mut house = house(false);
    house.chat.say("/run SLOW");
    wait_until("it runs", || house.begun() == 1);
    house.kill_router();
    let answer = house.chat.expect("\n}\n");
    assert!(answer.contains("SLOW: failed, a router ended while it ran; it may have"), "{answer}");
    assert!(answer.contains("\"code\": \"interrupted\""), "{answer}");
    assert!(answer.contains("\"maybe_executed\": true"), "{answer}");
    house.started_again(1);
    house.chat.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
    assert_eq!(house.begun(), 1, "it was run twice");
}

#[test]
fn the_skills_of_a_router_that_is_killed_end_with_it() {
    let mut house = house(false);
    house.chat.say("/run SLOW");
    wait_until("it runs", || house.begun() == 1);
    let router = house.router();
    let mut launched = Vec::new();
    wait_until("its process is there", || {
        launched = children_of(router);
        !launched.is_empty()
    });
    house.kill_router();
    wait_until("they end", || launched.iter().all(|&pid| is_gone(pid)));
}

#[test]
fn the_router_that_followed_ends_with_its_agent_as_the_first_one_does() {
    for end in ["", "-TERM", "-KILL"] {
        let mut house = house(true);
        house.kill_router();
        house.started_again(1);
        let router = house.router();
        match end {
            "" => assert_eq!(house.chat.end().code(), Some(0)),
            end => signal(end, house.chat.pid()),
        }
        house.chat.wait();
        wait_until("the router ends, too", || is_gone(router));
    }
}

#[test]
fn a_router_that_ends_again_and_again_is_left_alone_and_the_chat_goes_on() {
    let mut house = house(true);
    for times in 1..5 {
        house.kill_router();
        house.started_again(times);
    }
    house.kill_router();
    house.chat.expect_on_stderr(
        "[no router any more: it ended 5 times within a minute; start SafeClaw again]",
    );
    house
        .chat
        .ask("Say hello to Ann.", "HELLO_WORLD: failed, the router has ended; start SafeClaw");
    house.chat.ask("Remember my name is Ann.", "_MEMORY_WRITE: ok");
    assert_eq!(house.chat.end().code(), Some(0));
}

#[test]
fn one_whose_settings_were_broken_meanwhile_is_left_alone_and_says_why() {
    let mut house = house(true);
    house.home.put("router/config.json", "{");
    house.kill_router();
    house.chat.expect_on_stderr(
        "[no router any more: it can't be started; mend what it said, then start SafeClaw again]",
    );
    assert_eq!(house.chat.stderr().matches("[no router: ").count(), 1, "{}", house.chat.stderr());
    house.chat.ask("Remember my name is Ann.", "_MEMORY_WRITE: ok");
}

#[test]
fn one_that_can_not_start_says_so_once() {
    let home = TempHome::greeting();
    home.put("router/config.json", "{");
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "router: it has ended; what it said stands above");
    assert_eq!(chat.end().code(), Some(0));
    assert_eq!(chat.stderr().matches("error: no router: ").count(), 1, "{}", chat.stderr());
}
