//! What the workspace reads, keeps, sets aside and says.

use std::fs;
use std::sync::Arc;

use protocol::Reads;
use serde_json::json;

use super::*;

struct House {
    folder: tempfile::TempDir,
    workspace: Workspace,
    files: SessionFiles,
}

/// The owner's files.
fn files(folder: &Path) -> SessionFiles {
    Workspace::open(folder).session_files(&SessionKey::owner())
}

fn house() -> House {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path());
    let files = files(folder.path());
    assert_eq!(workspace.take_notices(), []);
    assert_eq!(files.take_notices(), []);
    House { folder, workspace, files }
}

impl House {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The only notice, without the folder and the time, which differ from run to run.
    fn notice(&self) -> String {
        let notices = [self.workspace.take_notices(), self.files.take_notices()].concat();
        assert_eq!(notices.len(), 1, "{notices:?}");
        let text = notices[0].to_string().replace(&self.folder.path().display().to_string(), "W");
        let broken = regex::Regex::new(r"broken-[0-9TZ.-]+").unwrap();
        broken.replace_all(&text, "broken-TIME").into_owned()
    }
}

#[test]
fn the_defaults_that_are_missing_are_written_and_the_others_kept() {
    let house = house();
    assert_eq!(
        house.names(),
        ["PROMPT.md", "SOUL.md", "agent_action.json", "capture.md", "output"]
    );
    house.put("SOUL.md", "You are a pirate.");
    fs::remove_file(house.path("PROMPT.md")).unwrap();
    let workspace = Workspace::open(house.folder.path());
    assert_eq!(fs::read_to_string(house.path("PROMPT.md")).unwrap(), PROMPT);
    assert_eq!(workspace.soul.read().as_str(), "You are a pirate.");
    assert_eq!(workspace.agent_actions.read().0.len(), 7);
    assert_eq!(workspace.take_notices(), []);
}

#[test]
fn hand_edits_are_seen_even_in_the_same_moment_and_of_the_same_size() {
    let house = house();
    for n in 100..300 {
        house.put("memory.json", format!(r#"{{"n":{n}}}"#));
        assert_eq!(house.files.memory.read().facts["n"], n);
    }
    fs::remove_file(house.path("memory.json")).unwrap();
    assert_eq!(*house.files.memory.read(), Memory::default());
}

#[test]
fn an_unchanged_file_is_read_once() {
    let house = house();
    house.put("memory.json", r#"{"a": 1}"#);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(house.path("memory.json"))
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    let first = house.files.memory.read();
    assert!(Arc::ptr_eq(&first, &house.files.memory.read()));
}

#[test]
fn broken_files_are_set_aside_and_said() {
    for (text, why) in [
        (&b"[1, 2]"[..], "it is a list, not an object"),
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"{\"a\": ", "it is no JSON: EOF while parsing a value at line 1 column 6"),
        (b"{\"a\": \"\xff\"}", "it is no UTF-8 text"),
        (&vec![b' '; 50 << 20], "it is larger than 16777216 bytes"),
    ] {
        let house = house();
        house.put("memory.json", text);
        assert_eq!(*house.files.memory.read(), Memory::default());
        assert_eq!(
            house.notice(),
            format!(
                "W/memory.json can't be used: {why}; the old file is kept as W/memory.json.broken-TIME, it starts empty"
            )
        );
        let kept = house.names().into_iter().find(|name| name.contains("broken")).unwrap();
        assert_eq!(fs::read(house.path(&kept)).unwrap(), text);
        house.files.memory.save(Memory::of(json!({"a": 1}).as_object().unwrap().clone())).unwrap();
        assert_eq!(files(house.folder.path()).memory.read().facts["a"], 1);
        assert_eq!(house.files.take_notices(), []);
    }
}

#[test]
fn every_file_that_is_broken_is_survived() {
    let house = house();
    fs::create_dir(house.path("memory.json")).unwrap();
    house.put("PROMPT.md", b"\xff");
    house.put("agent_action.json", "{}");
    house.put("router_actions.json", "nonsense");
    house.put("input_history.json", r#"{"user": "x"}"#);
    house.put("artifact.json", "7");
    let (workspace, files) = (&house.workspace, &house.files);
    assert_eq!(*files.memory.read(), Memory::default());
    assert_eq!(workspace.prompt.read().as_str(), PROMPT);
    assert_eq!(workspace.agent_actions.read().0.len(), 7);
    assert_eq!(workspace.router_actions.read().0.len(), 0);
    assert_eq!(files.history.read().entries(), []);
    assert_eq!(files.artifact.read().0.len(), 0);
    assert_eq!((workspace.take_notices().len(), files.take_notices().len()), (3, 3));
    assert_eq!(house.names().iter().filter(|name| name.contains(".broken-")).count(), 6);
}

#[test]
fn a_template_that_vanishes_is_said() {
    let house = house();
    assert_eq!(house.workspace.prompt.read().as_str(), PROMPT);
    fs::remove_file(house.path("PROMPT.md")).unwrap();
    assert_eq!(house.workspace.prompt.read().as_str(), PROMPT);
    assert_eq!(
        house.notice(),
        "W/PROMPT.md is gone; the built-in text is used, and written again at the next start"
    );
}

#[test]
fn a_workspace_that_can_not_be_written_is_said_and_the_conversation_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workspace");
    fs::write(&path, "a file where a folder should be").unwrap();
    let workspace = Workspace::open(&path);
    let notices = workspace.take_notices();
    assert!(notices[0].to_string().contains("PROMPT.md") && notices.len() == 4, "{notices:?}");
    let files = workspace.session_files(&SessionKey::owner());
    assert_eq!(files.take_notices().len(), 1);
    for n in 1..=3 {
        let saved = files.history.update(|history| history.add(n.to_string(), "ok"));
        let error = saved.unwrap_err().to_string();
        assert!(error.contains("input_history.json (a part of this path is a file"), "{error}");
    }
    assert_eq!(files.history.read().entries().len(), 3);
    files.write_prompt_cache("x");
    let notices = files.take_notices();
    assert!(notices.iter().any(|n| n.to_string().contains("prompt_cache.txt")), "{notices:?}");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    files.history.update(|history| history.add("4", "ok")).unwrap();
    assert_eq!(SessionFiles::open(&path).history.read().entries().len(), 4);
}

#[test]
fn of_a_longer_prompt_nothing_is_left_behind_the_latest() {
    use std::os::unix::fs::PermissionsExt;
    let house = house();
    let path = house.files.prompt_cache();
    for prompt in ["a long prompt", "short", "", "a longer one than all"] {
        house.files.write_prompt_cache(prompt);
        assert_eq!(fs::read_to_string(&path).unwrap(), prompt);
    }
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_first_versions_history_is_counted_on() {
    let house = house();
    house.put(
        "input_history.json",
        r#"[{"user":"a","response":"b"},{"user":"c","response":"d","at":5}]"#,
    );
    house.files.history.update(|history| history.add("e", "f")).unwrap();
    let text = fs::read_to_string(house.path("input_history.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        value.to_string(),
        r#"[{"user":"a","response":"b","n":1},{"user":"c","response":"d","n":2,"at":5},{"user":"e","response":"f","n":3}]"#
    );
}

#[test]
fn the_history_keeps_the_latest_ten() {
    let mut history = History::default();
    for n in 1..=25 {
        history.add(n.to_string(), "ok");
    }
    let kept: Vec<u64> = history.entries().iter().map(|entry| entry.n).collect();
    assert_eq!(kept, (16..=25).collect::<Vec<_>>());
}

#[test]
fn what_is_held_is_read_at_once_and_written_once() {
    let house = house();
    let history = &house.files.history;
    history.hold(|history| history.add("hello", "Hello!"));
    assert_eq!(history.read().entries().len(), 1);
    assert!(!history.path().exists());
    history.flush().unwrap();
    assert_eq!(files(house.folder.path()).history.read(), history.read());
    // What nobody has changed is not written, also over a hand edit that nobody has read yet.
    house.put("input_history.json", "[]");
    history.flush().unwrap();
    assert_eq!(history.read().entries(), []);
}

#[test]
fn what_can_not_be_written_is_tried_once_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workspace");
    fs::write(&path, "a file where a folder should be").unwrap();
    let history = SessionFiles::open(&path).history;
    history.hold(|history| history.add("hello", "Hello!"));
    assert!(history.flush().is_err());
    assert!(history.flush().is_ok(), "it was tried already");
    assert_eq!(history.read().entries().len(), 1);
}

#[test]
fn a_card_that_is_wrong_does_not_take_the_others_away() {
    let house = house();
    house.put(
        "router_actions.json",
        r#"[{"name":"A"},{"name":"bad name"},{"name":"B","params":{"p":"X | Y"}},{"name":"A"}]"#,
    );
    let names: Vec<String> =
        house.workspace.router_actions.read().0.iter().map(|card| card.name.to_string()).collect();
    assert_eq!(names, ["A", "B"]);
    let notices: Vec<String> =
        house.workspace.take_notices().iter().map(ToString::to_string).collect();
    assert!(
        notices[0].contains("entry 2 is left out: \"bad name\" is no action name"),
        "{notices:?}"
    );
    assert!(notices[1].contains("A stands there twice"), "{notices:?}");
}

#[test]
fn each_conversation_has_papers_of_its_own() {
    let house = house();
    let guest = |key| house.workspace.session_files(&SessionKey::new(key).unwrap());
    let (ann, bob) = (guest("telegram-1"), guest("telegram-2"));
    ann.history.update(|history| history.add("my secret", "kept")).unwrap();
    ann.memory.save(Memory::of(json!({"a": 1}).as_object().unwrap().clone())).unwrap();
    ann.write_output("page.txt", b"Ann's", Reads::PUBLIC).unwrap();
    for other in [&bob, &house.files] {
        assert_eq!(other.history.read().entries(), []);
        assert_eq!(*other.memory.read(), Memory::default());
        let path = ann.output().join("page.txt").display().to_string();
        for path in ["page.txt", "../telegram-1/output/page.txt", &path] {
            other.read_output(path, 100).unwrap_err();
        }
    }
    assert_eq!(ann.folder(), house.path("sessions/telegram-1"));
}

#[test]
fn clear_forgets_every_conversation_and_keeps_what_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let home = home::Home::at(folder.path()).unwrap();
    let workspace = Workspace::open(home.workspace());
    let files =
        [OWNER, "telegram-1"].map(|key| workspace.session_files(&SessionKey::new(key).unwrap()));
    for files in &files {
        files.history.update(|history| history.add("hello", "Hello!")).unwrap();
        files.session.save(Entered::nothing()).unwrap();
        files.memory.save(Memory::of(json!({"a": 1}).as_object().unwrap().clone())).unwrap();
    }
    clear(&home).unwrap();
    for files in &files {
        let left: Vec<_> = ["input_history.json", "session.json", "output", "memory.json"]
            .into_iter()
            .filter(|name| files.folder().join(name).exists())
            .collect();
        assert_eq!(left, ["memory.json"], "{}", files.folder().display());
    }
}
