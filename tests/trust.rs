//! Skills that change after they were pinned, as the real binary holds them back until the owner says yes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the router's commands are processes")]

use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::{Chat, TempHome, children_of, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");
const PINS: &str = "router/state/skills.json";

struct House {
    home: TempHome,
    chat: Chat,
}

fn house() -> House {
    let home = TempHome::greeting();
    let chat = chat(&home);
    House { home, chat }
}

fn chat(home: &TempHome) -> Chat {
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    chat
}

impl House {
    fn folder(&self, name: &str) -> PathBuf {
        self.home.router_skills().join(name)
    }

    /// Drops a skill with a program, a helper file and a manifest, and waits until it has its pin.
    fn pinned(&mut self, name: &str) -> PathBuf {
        let folder = self.drop_skill(name, "");
        self.wait_for_pin(name);
        self.wait_for_card(name, true);
        folder
    }

    fn drop_skill(&self, name: &str, more: &str) -> PathBuf {
        let folder = self.folder(name);
        fs::create_dir_all(folder.join("deps")).unwrap();
        fs::write(folder.join("run"), "#!/bin/sh\n. /skill/deps/words\necho '{}'\n").unwrap();
        fs::set_permissions(folder.join("run"), Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.join("deps/words"), "words=kind\n").unwrap();
        let manifest = format!(
            "name = {:?}\ninstruction = \"Test.\"\neffect = \"none\"\ncommand = [\"./run\"]\n{more}",
            name.to_ascii_uppercase()
        );
        fs::write(folder.join("skill.toml"), manifest).unwrap();
        folder
    }

    fn wait_for_pin(&self, name: &str) {
        let name = format!("\"{}\": \"", name.to_ascii_uppercase());
        wait_until(&format!("{name} is pinned"), || self.home.text(PINS).contains(&name));
    }

    fn wait_for_card(&self, name: &str, there: bool) {
        let name = name.to_ascii_uppercase();
        wait_until(&format!("{name} is on offer: {there}"), || {
            self.home.text("workspace/router_actions.json").contains(&name) == there
        });
    }

    fn runs(&mut self, name: &str) {
        let name = name.to_ascii_uppercase();
        self.chat.ask(&format!("/run {name}"), &format!("{name}: ok"));
    }

    fn router(&self, args: &[&str]) -> Output {
        let home = self.home.root();
        Command::new(SAFECLAW).arg("router").args(args).arg("--home").arg(home).output().unwrap()
    }

    fn says(&self, args: &[&str]) -> String {
        let output = self.router(args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

fn replace(file: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "{text}");
    fs::write(file, text.replace(old, new)).unwrap();
}

/// The same size and the same time, so that only the content tells.
fn replace_unseen(file: &Path, old: &str, new: &str) {
    assert_eq!(old.len(), new.len());
    let time = fs::metadata(file).unwrap().modified().unwrap();
    replace(file, old, new);
    let open = File::options().write(true).open(file).unwrap();
    open.set_times(FileTimes::new().set_modified(time)).unwrap();
}

fn swap_for_a_link(folder: &Path) {
    fs::copy(folder.join("run"), folder.join("twin")).unwrap();
    fs::remove_file(folder.join("run")).unwrap();
    symlink("twin", folder.join("run")).unwrap();
}

#[test]
fn whatever_changes_is_held_back_until_the_owner_says_yes() {
    let mut house = house();
    type Change = fn(&Path);
    let changes: [(&str, Change, &str); 7] = [
        ("program", |at| replace(&at.join("run"), "echo", "echo  "), "+echo   '{}'"),
        (
            "manifest",
            |at| replace(&at.join("skill.toml"), "Test.", "Best."),
            "+instruction = \"Best",
        ),
        ("depended", |at| replace(&at.join("deps/words"), "kind", "rude!"), "+words=rude!"),
        ("added", |at| fs::write(at.join("more"), "x\n").unwrap(), "added    more (mode "),
        (
            "mode",
            |at| fs::set_permissions(at.join("deps/words"), Permissions::from_mode(0o755)).unwrap(),
            "changed  deps/words (mode ",
        ),
        ("time", |at| replace_unseen(&at.join("deps/words"), "kind", "rude"), "+words=rude"),
        ("link", swap_for_a_link, "a link to twin"),
    ];
    for (name, _, _) in &changes {
        house.drop_skill(name, "");
    }
    for (name, change, shown) in &changes {
        house.wait_for_pin(name);
        house.wait_for_card(name, true);
        house.runs(name);
        change(&house.folder(name));
        let upper = name.to_ascii_uppercase();
        house.wait_for_card(name, false);
        house.chat.expect_on_stderr(&format!("{upper} does not run: it was changed since"));
        assert!(house.says(&["trust", "--list"]).contains("held: changed"));
        assert!(house.says(&["skills"]).contains(&format!("{upper:<24} held")));
        // The chat is open all the while, and needs no restart.
        let said = house.says(&["trust", name, "--yes"]);
        assert!(said.contains(shown), "{name}: {said}");
        house.wait_for_card(name, true);
        house.runs(name);
    }
}

#[test]
fn new_powers_are_shown_first_and_nothing_is_trusted_unasked() {
    let mut house = house();
    let folder = house.pinned("greedy");
    let before = house.home.text(PINS);
    replace(
        &folder.join("skill.toml"),
        "\"none\"\n",
        "\"external\"\nnet = { hosts = [\"evil.example\"] }\n",
    );
    house.wait_for_card("greedy", false);
    let refused = house.router(&["trust", "GREEDY"]);
    assert!(!refused.status.success());
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("nobody can be asked here; pass --yes"), "{error}");
    let shown = String::from_utf8(refused.stdout).unwrap();
    let at = |words: &str| shown.find(words).unwrap_or_else(|| panic!("{words}\n{shown}"));
    assert!(at("! hosts CHANGED: none -> evil.example") < at("! effect CHANGED: none -> external"));
    assert!(at("! effect CHANGED") < at("changed  skill.toml") && at("changed") < at("-effect"));
    assert_eq!(house.home.text(PINS), before);
    for (name, words) in [("GREEDI", "there is no skill GREEDI"), ("a b", "action name")] {
        let error = String::from_utf8(house.router(&["trust", name]).stderr).unwrap();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn what_was_put_back_runs_again_and_what_comes_back_changed_does_not() {
    let mut house = house();
    let folder = house.pinned("returns");
    replace(&folder.join("run"), "echo", "echo  ");
    house.wait_for_card("returns", false);
    replace(&folder.join("run"), "echo  ", "echo");
    house.wait_for_card("returns", true);
    house.runs("returns");
    fs::remove_dir_all(&folder).unwrap();
    house.wait_for_card("returns", false);
    house.drop_skill("returns", "timeout = \"3s\"\n");
    house.chat.expect_on_stderr("RETURNS does not run: it was changed since it was pinned");
    house.wait_for_card("returns", false);
}

#[test]
fn a_half_written_folder_has_no_pin() {
    let mut house = house();
    let folder = house.drop_skill("half", "");
    fs::remove_file(folder.join("run")).unwrap();
    house.chat.expect_on_stderr("half/run is missing");
    house.pinned("whole");
    assert!(!house.home.text(PINS).contains("HALF"));
    house.drop_skill("half", "");
    house.wait_for_pin("half");
    house.runs("half");
}

#[test]
fn lost_pins_trust_nothing_that_was_there() {
    for broken in [None, Some("{\"skills\": {\"OLD\"")] {
        let mut house = house();
        let folder = house.pinned("old");
        house.chat.end();
        replace(&folder.join("run"), "echo", "echo  ");
        match broken {
            None => fs::remove_file(house.home.root().join(PINS)).unwrap(),
            Some(text) => house.home.put(PINS, text),
        }
        assert!(house.says(&["trust", "--list"]).contains("held: pins lost"));
        house.chat = chat(&house.home);
        house.chat.expect_on_stderr("OLD does not run: the pins were lost");
        let kept = fs::read_dir(house.home.router_state()).unwrap().flatten();
        let aside = kept.filter(|file| file.file_name().to_string_lossy().contains(".broken-"));
        assert_eq!(aside.count(), usize::from(broken.is_some()));
        // What comes later is new, and what is compiled in is known.
        house.pinned("young");
        house.runs("young");
        house.chat.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
        house.wait_for_card("old", false);
        assert!(house.says(&["trust", "old", "--yes"]).contains("this is all of it"));
        house.wait_for_card("old", true);
        house.runs("old");
    }
}

#[test]
fn a_first_party_skill_that_was_changed_is_held_and_its_own_text_is_trusted() {
    let house = house();
    let file = house.folder("hello_world").join("skill.toml");
    let own = fs::read_to_string(&file).unwrap();
    house.wait_for_pin("hello_world");
    fs::write(&file, own.clone() + "[net]\nhosts = [\"evil.example\"]\n").unwrap();
    house.wait_for_card("hello_world", false);
    fs::write(&file, own).unwrap();
    house.wait_for_card("hello_world", true);
    // What a binary of another age has written is trusted by its pin.
    let older = fs::read_to_string(&file).unwrap() + "# Of an older age.\n";
    fs::write(&file, &older).unwrap();
    house.wait_for_card("hello_world", false);
    house.says(&["trust", "hello_world", "--yes"]);
    house.wait_for_card("hello_world", true);
}

#[test]
fn the_process_of_a_warm_skill_ends_when_it_is_changed() {
    let mut house = house();
    let folder = house.drop_skill("stays", "mode = \"serve\"\n");
    fs::write(folder.join("run"), "#!/bin/sh\nwhile read x; do echo '{}'; done\n").unwrap();
    house.wait_for_pin("stays");
    house.wait_for_card("stays", true);
    house.runs("stays");
    let router = house.chat.router();
    let launchers = || children_of(router).len();
    // Sandboxes that stand ready for other calls end by themselves.
    assert!(launchers() >= 1);
    replace(&folder.join("run"), "echo", "echo  ");
    wait_until("its process ends", || launchers() == 0);
}
