//! What the agent can't do any more once it talks: by the kernel's word, and by trying it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};

use testkit::{
    Chat, OllamaServer, RedisServer, RedisSetup, Says, TempHome, children_of, wait_until,
};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// A user without any power, if the tests run as root.
const ORDINARY: u32 = 12_345;

/// What must not be read.
const SECRET: &str = "the-token-of-the-wall";

/// What people are told of it.
const UNREADABLE: &str = "it is not used: a link must not lead out of the workspace";

/// Both ways to start an agent: with its router, and alone.
enum Kind {
    Together,
    Alone(RedisServer),
}

impl Kind {
    fn both() -> [Self; 2] {
        [Self::Together, Self::Alone(RedisServer::start())]
    }

    fn start(&self, home: &TempHome, more: &[(&str, &str)]) -> Chat {
        let (args, url): (&[&str], _) = match self {
            Self::Together => (&[], String::new()),
            Self::Alone(server) => (&["agent"], server.url()),
        };
        let variables: Vec<_> = [("REDIS_URL", url.as_str())].iter().chain(more).copied().collect();
        Chat::start(SAFECLAW, args, home.root(), &variables)
    }
}

/// Starts `safeclaw` as an ordinary user, to whom the home is given.
fn start_as_ordinary(home: &TempHome, programs: &Path, more: &[(&str, &str)]) -> Chat {
    fs::set_permissions(programs, Permissions::from_mode(0o755)).unwrap();
    let safeclaw = programs.join("safeclaw");
    fs::copy(SAFECLAW, &safeclaw).unwrap();
    give(home.root());
    let id = ORDINARY.to_string();
    let args = ["--reuid", &id, "--regid", &id, "--clear-groups", safeclaw.to_str().unwrap()];
    Chat::start("setpriv", &args, home.root(), more)
}

/// Gives a folder with all that is in it to the ordinary user.
fn give(path: &Path) {
    lchown(path, Some(ORDINARY), Some(ORDINARY)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path()));
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// What the kernel says of each thread of a process: (NoNewPrivs, Seccomp).
fn threads(pid: u32) -> Vec<(String, String)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let statuses = tasks.filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
    let word = |status: &str, name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().to_owned()
    };
    statuses.map(|all| (word(&all, "NoNewPrivs:"), word(&all, "Seccomp:"))).collect()
}

#[test]
fn every_thread_is_held_and_status_says_so() {
    for kind in Kind::both() {
        let home = TempHome::new();
        let mut chat = kind.start(&home, &[]);
        let status = chat.ask("/status", "workspace:");
        assert!(status.contains("confined: files (Landlock ABI "), "{status}");
        assert!(status.contains("), no new programs\n"), "{status}");
        assert!(!chat.stderr().contains("confined"), "people hear it each time");
        assert!(home.text("workspace/agent.log").contains("confined: files (Landlock ABI "));
        let threads = threads(chat.pid());
        assert!(threads.len() > 1);
        for (privileges, calls) in &threads {
            assert_eq!((privileges.as_str(), calls.as_str()), ("1", "2"), "{threads:?}");
        }
    }
}

#[test]
fn every_way_to_a_queue_stays_open() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("redis.sock");
    let plain = RedisSetup::default().line(&format!("unixsocket {}", socket.display())).start();
    let tls = RedisSetup::default().tls().start();
    let ca = tls.ca_file().display().to_string();
    let by_name = plain.url().replace("127.0.0.1", "localhost");
    for (url, ca) in [
        (by_name, String::new()),
        (format!("unix://{}", socket.display()), String::new()),
        (tls.url(), ca),
    ] {
        let home = TempHome::new();
        let mut variables = vec![("REDIS_URL", url.as_str())];
        variables.extend((!ca.is_empty()).then_some(("REDIS_CA_FILE", ca.as_str())));
        let mut chat = Chat::start(SAFECLAW, &["agent"], home.root(), &variables);
        let status = chat.ask("/status", "workspace:");
        assert!(status.contains(&format!("router: over {url}")), "{status}");
    }
}

#[test]
fn the_routers_are_not_held_by_what_holds_their_agent() {
    let home = TempHome::greeting();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    let first = chat.router();
    let starts_routers = |pid: &u32| {
        fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap().contains("\0starter\0")
    };
    let starter = children_of(chat.pid()).into_iter().find(starts_routers);
    let starter = starter.expect("one process starts routers");
    for process in [starter, first] {
        assert!(threads(process).iter().all(|held| *held == ("0".to_owned(), "0".to_owned())));
    }
    chat.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
}

/// An agent whose SOUL.md is a link to `target`, and its first prompt.
fn prompted(home: &TempHome, start: impl FnOnce(&str) -> Chat, target: &Path) -> (Chat, String) {
    let ollama = OllamaServer::start([Says::text("Hm.")]);
    fs::create_dir_all(home.workspace()).unwrap();
    symlink(target, home.workspace().join("SOUL.md")).unwrap();
    let mut chat = start(&ollama.host());
    chat.ask("Who are you?", "Hm.");
    (chat, ollama.prompts().remove(0))
}

/// Files that the agent has no business with: of its own home, and elsewhere.
fn forbidden(home: &TempHome, outside: &Path) -> [PathBuf; 3] {
    home.put("router/.env", format!("# {SECRET}\n"));
    home.put("private.txt", SECRET);
    let diary = outside.join("diary.txt");
    fs::write(&diary, SECRET).unwrap();
    // Whoever the agent runs as could read it.
    fs::set_permissions(outside, Permissions::from_mode(0o755)).unwrap();
    let forbidden = [home.router_env(), home.root().join("private.txt"), diary];
    for path in &forbidden {
        fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    }
    forbidden
}

#[test]
fn a_link_that_leads_out_of_the_workspace_does_not_reach_the_model() {
    for kind in Kind::both() {
        for which in 0..3 {
            let (home, outside) = (TempHome::new(), tempfile::tempdir().unwrap());
            let target = &forbidden(&home, outside.path())[which];
            let start = |host: &str| kind.start(&home, &[("OLLAMA_HOST", host)]);
            let (chat, prompt) = prompted(&home, start, target);
            assert!(!prompt.contains(SECRET), "{}: {prompt}", target.display());
            chat.expect_on_stderr(UNREADABLE);
        }
    }
}

#[test]
fn it_does_not_for_an_ordinary_user_either() {
    if !is_root() {
        return; // then it just did
    }
    for which in 0..3 {
        let (home, outside) = (TempHome::new(), tempfile::tempdir().unwrap());
        let programs = tempfile::tempdir().unwrap();
        let target = &forbidden(&home, outside.path())[which];
        lchown(target, Some(ORDINARY), Some(ORDINARY)).unwrap();
        let start =
            |host: &str| start_as_ordinary(&home, programs.path(), &[("OLLAMA_HOST", host)]);
        let (chat, prompt) = prompted(&home, start, target);
        assert!(!prompt.contains(SECRET), "{}: {prompt}", target.display());
        chat.expect_on_stderr(UNREADABLE);
    }
}

#[test]
fn a_link_within_the_workspace_is_followed() {
    let home = TempHome::new();
    home.put("workspace/souls/kind.md", "A kind soul.");
    let start = |host: &str| Kind::Together.start(&home, &[("OLLAMA_HOST", host)]);
    let (chat, prompt) = prompted(&home, start, &home.workspace().join("souls/kind.md"));
    assert!(prompt.contains("A kind soul."), "{}", chat.stderr());
}

#[test]
fn a_workspace_behind_a_link_is_the_agents_and_so_is_a_home_with_spaces() {
    let elsewhere = tempfile::tempdir().unwrap();
    let parent = TempHome::new();
    let root = parent.root().join("my own home");
    fs::create_dir(&root).unwrap();
    symlink(elsewhere.path(), root.join("workspace")).unwrap();
    let mut chat = Chat::start(SAFECLAW, &[], &root, &[]);
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    let memory = elsewhere.path().join("memory.json");
    wait_until("it is kept", || {
        fs::read_to_string(&memory).is_ok_and(|memory| memory.contains("Frankie"))
    });
    chat.ask("Remember my name is Ann.", "_MEMORY_WRITE: ok");
    wait_until("it is replaced", || fs::read_to_string(&memory).unwrap().contains("Ann"));
    assert_eq!(chat.end().code(), Some(0), "{}", chat.stderr());
    assert!(!chat.stderr().contains("can't"), "{}", chat.stderr());
}

#[test]
fn nobody_but_its_agent_uses_the_starter() {
    let home = TempHome::new();
    let mut typed = Chat::start(SAFECLAW, &["starter", "x"], home.root(), &[]);
    assert_eq!(typed.wait().code(), Some(1));
    typed.expect_on_stderr("error: `starter` is for safeclaw itself");
}
