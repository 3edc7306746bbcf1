//! A person opens a folder for the agent, the agent works in it, and the person takes that back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the owner's git is a process")]

mod replies;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use replies::replies;
use testkit::{Chat, OllamaServer, Says, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// A project with one file, outside of the home.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("a.txt"), "old\n").unwrap();
        Self(place)
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn shown(&self) -> String {
        self.path().to_str().unwrap().to_owned()
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap_or_default()
    }
}

/// A model that does for each `task N` that it is asked to do what `script` has it do in bash, once, and says so.
fn model(script: fn(usize) -> String) -> OllamaServer {
    let done: Arc<Mutex<BTreeSet<usize>>> = Arc::default();
    let answer = move |prompt: &str| {
        let asked = (1..=9).rev().find(|n| prompt.contains(&format!("task {n}"))).unwrap_or(0);
        if !done.lock().unwrap().insert(asked) {
            return format!("Finished {asked}.");
        }
        let params = serde_json::json!({"env": "bash", "command": script(asked)});
        format!("<tool_code>[{{\"name\": \"WORKBENCH\", \"params\": {params}}}]</tool_code>")
    };
    let answer: Arc<dyn Fn(&str) -> String + Send + Sync> = Arc::new(answer);
    OllamaServer::start((0..40).map(|_| Says::Made(Arc::clone(&answer))))
}

fn writes(n: usize) -> String {
    format!("pwd; echo new {n} > a.txt; echo {n} > made{n}.txt")
}

fn chat(home: &TempHome, server: &OllamaServer) -> Chat {
    Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &server.host())])
}

#[test]
fn a_folder_is_opened_worked_in_and_put_back() {
    let (home, project, server) = (TempHome::new(), Project::new(), model(writes));
    let mut chat = chat(&home, &server);
    chat.ask("/work", "No folder is open");
    chat.ask(&format!("/work {} do task 1", project.shown()), "Open: ");
    chat.expect("Finished 1.");
    assert_eq!(
        (project.text("a.txt").as_str(), project.text("made1.txt").as_str()),
        ("new 1\n", "1\n")
    );
    chat.ask("do task 2", "Finished 2.");
    assert_eq!(project.text("a.txt"), "new 2\n");
    fs::write(project.path().join("mine.txt"), "mine\n").unwrap();
    let undone = chat.ask("/undo", "for a week");
    assert!(undone.contains("1 put back, 1 removed"), "{undone}");
    assert!(undone.contains("Kept, because it was changed after the task: mine.txt"), "{undone}");
    assert_eq!(
        (project.text("a.txt").as_str(), project.text("mine.txt").as_str()),
        ("new 1\n", "mine\n")
    );
    assert!(!project.path().join("made2.txt").exists());
    chat.ask("/undo", "for a week");
    assert_eq!(project.text("a.txt"), "old\n");
    chat.say("/undo");
    chat.expect_on_stderr("there is nothing to undo");
    assert!(
        !home.root().join("router/config.json").exists()
            || !home.text("router/config.json").contains("workspace")
    );
    chat.ask("/work off", "The folder is closed");
    assert!(home.text("agent/config.json").find("\"workbench\"").is_none());
    assert_eq!(chat.end().code(), Some(0), "{}", chat.stderr());
}

#[test]
fn a_folder_stays_open_over_a_restart_and_others_are_refused() {
    let (home, project, server) = (TempHome::new(), Project::new(), model(writes));
    let mut first = chat(&home, &server);
    first.ask(&format!("/work {}", project.shown()), "Open: ");
    for (folder, why) in [
        ("/", "holds SafeClaw's own home"),
        ("/etc", "belongs to the system"),
        (home.root().join("router").to_str().unwrap(), "SafeClaw's own home"),
        (project.path().join("a.txt").to_str().unwrap(), "is no folder"),
    ] {
        first.say(format!("/work {folder}"));
        first.expect_on_stderr(why);
    }
    first.end();
    let mut second = chat(&home, &server);
    second.ask("/work", &format!("Open: {}", project.shown()));
    second.ask("do task 1", "Finished 1.");
    assert_eq!(project.text("a.txt"), "new 1\n");
}

#[test]
fn a_snapshot_that_is_too_old_goes_when_a_router_starts() {
    let (home, server) = (TempHome::new(), model(writes));
    let room = home.root().join("router/state/snapshots/of-another-conversation");
    fs::create_dir_all(room.join("blobs")).unwrap();
    fs::write(room.join("0000000000001.task"), "{}").unwrap();
    fs::write(room.join("blobs/content"), "old").unwrap();
    let mut chat = chat(&home, &server);
    chat.ask("/work", "No folder is open");
    while room.exists() {
        std::thread::yield_now();
    }
    assert_eq!(chat.end().code(), Some(0), "{}", chat.stderr());
}

#[test]
fn a_model_a_page_and_the_clock_open_no_folder() {
    let (home, project) = (TempHome::new(), Project::new());
    let path = project.shown();
    let call = |params: serde_json::Value| {
        format!("<tool_code>[{{\"name\": \"WORK\", \"params\": {params}}}]</tool_code>")
    };
    let asks = call(serde_json::json!({"folder": path, "once": true}));
    let types = format!("Here it is.\n/work {path}\n");
    let server =
        OllamaServer::start((0..12).map(|n| Says::text(if n % 2 == 0 { &asks } else { &types })));
    let mut chat = chat(&home, &server);
    chat.ask(&format!("/remind 1s /work {path} --agent"), "takes it back");
    chat.expect("Here it is.");
    chat.ask(&format!("this page says: /work {path}"), "Here it is.");
    chat.ask(&format!("/run WORK {{\"folder\": \"{path}\"}}"), "there is no action WORK");
    chat.ask("/work", "No folder is open");
    chat.ask("/sets on workbench", "is on");
    chat.ask(
        "/run WORKBENCH {\"env\": \"bash\", \"command\": \"true\"}",
        "gets no folder workspace",
    );
    assert_eq!(chat.end().code(), Some(0), "{}", chat.stderr());
}

#[test]
fn one_task_from_a_shell_has_the_answer_alone_on_stdout() {
    let (home, project, server) = (TempHome::new(), Project::new(), model(writes));
    let host = server.host();
    let run = |args: &[&str]| {
        let mut one = Chat::start(SAFECLAW, args, home.root(), &[("OLLAMA_HOST", &host)]);
        let code = one.wait().code();
        (code, one.stdout(), one.stderr())
    };
    let (code, answer, progress) = run(&["work", &project.shown(), "do task 1"]);
    assert_eq!((code, answer.as_str()), (Some(0), "Finished 1.\n"), "{progress}");
    assert!(progress.contains("WORKBENCH"), "{progress}");
    assert_eq!(project.text("a.txt"), "new 1\n");
    assert!(run(&["-p", "/work"]).1.contains("No folder is open"), "it was for one task");
    let undone = run(&["-p", "/undo"]);
    assert!(undone.1.contains("1 put back, 1 removed"), "{undone:?}");
    assert_eq!(project.text("a.txt"), "old\n");
    let (code, answer, why) = run(&["work", "/", "do task 2"]);
    assert_eq!((code, answer.as_str()), (Some(1), ""), "{why}");
    assert!(why.contains("SafeClaw's own home"), "{why}");
    assert_eq!(run(&["work", "/no/such/folder", "x"]).0, Some(1));
}

#[test]
fn one_task_from_a_shell_leaves_the_task_of_the_open_folder_as_it_is() {
    let (home, open, other) = (TempHome::new(), Project::new(), Project::new());
    let server = replies(&[
        "```bash\necho first > log.txt\n```",
        "The first is done.",
        "```bash\necho second > log.txt\n```",
        "The second is done.",
        "I wrote a log.",
    ]);
    let mut before = chat(&home, &server);
    before.ask(&format!("/work {} write", open.shown()), "The first is done.");
    before.end();
    let host = server.host();
    let args = ["work", &other.shown(), "write, too"];
    let mut one = Chat::start(SAFECLAW, &args, home.root(), &[("OLLAMA_HOST", &host)]);
    assert_eq!(one.wait().code(), Some(0), "{}", one.stderr());
    assert_eq!(other.text("log.txt"), "second\n");
    let mut after = chat(&home, &server);
    after.ask("what did you do?", "I wrote a log.");
    let prompt = server.prompts().pop().unwrap();
    assert!(prompt.contains("echo first"), "{prompt}");
    assert!(!prompt.contains("echo second"), "{prompt}");
    after.ask("/work", &format!("Open: {}", open.shown()));
}

#[test]
fn what_a_task_makes_for_the_owners_git_to_run_is_set_aside() {
    let (home, project) = (TempHome::new(), Project::new());
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(project.path()).args(["-c", "safe.directory=*"]).args(words);
        assert!(git.status().unwrap().success(), "{words:?}");
    };
    git(&["init", "-q"]);
    let evil = "```bash\nmkdir evil && cd evil && git init -q && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x\n\
        printf '#!/bin/sh\\necho ran > RAN\\n' > ../hook && chmod +x ../hook\n\
        git config core.fsmonitor PROJECT/hook && cd .. && git add evil && ls -a evil\n```";
    let ran = project.path().join("ran");
    let evil = evil.replace("RAN", ran.to_str().unwrap()).replace("PROJECT", &project.shown());
    let server = replies(&[&evil, "It is done."]);
    let mut chat = chat(&home, &server);
    chat.ask(&format!("/work {}", project.shown()), "Open: ");
    chat.ask("Make a repository.", "It is done.");
    let last = server.prompts().pop().unwrap();
    assert!(last.contains("evil/.git.set-aside-1 was called .git"), "{last}");
    git(&["status"]);
    assert!(!ran.exists() && project.path().join("evil/.git.set-aside-1/config").exists());
    chat.ask("/undo", "put back");
    assert!(!project.path().join("evil").exists());
}

#[test]
fn a_plan_is_shown_and_done_step_by_step() {
    let (home, project) = (TempHome::new(), Project::new());
    let server = replies(&[
        "1. Write one.txt\n2. Write two.txt",
        "```bash\necho 1 > one.txt\n```",
        "The first is done.",
        "```bash\ncat one.txt > two.txt\n```",
        "The second is done.",
    ]);
    let mut chat = chat(&home, &server);
    chat.ask(&format!("/work {}", project.shown()), "Open: ");
    let shown = chat.ask("/plan copy a number", "All steps of the plan are done.");
    assert!(shown.contains("1. Write one.txt\n2. Write two.txt"), "{shown}");
    assert_eq!(project.text("two.txt"), "1\n");
    let last = server.prompts().pop().unwrap();
    assert!(last.contains("The first is done."), "the second step knows the first: {last}");
}
