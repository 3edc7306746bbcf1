//! SafeClaw under systemd: the unit files before systemd's own judge, and what the processes tell their supervisor.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

mod told;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;
use testkit::{Chat, RedisServer, TempHome, free_port};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// What programs show; the page is on together with their channel.
const TOKEN: &str = "SAFECLAW_HTTP_TOKEN=5cd7b3b0a1f24f6ca2a4d7a35cbf4f10\n";

/// A home with the page on, at a port that nobody listens on.
fn with_a_page() -> TempHome {
    let home = TempHome::greeting();
    let port = free_port();
    let settings = json!({"http": {"listen": format!("127.0.0.1:{port}")}});
    home.put("agent/config.json", settings.to_string());
    home.put(".env", TOKEN);
    fs::set_permissions(home.env_file(), fs::Permissions::from_mode(0o600)).unwrap();
    home
}

/// Runs `safeclaw service` with these folders of programs first: its code, and what it said.
fn service(home: &Path, programs: &[&Path], words: &[&str]) -> (Option<i32>, String) {
    safeclaw(home, programs, &[&["service"], words].concat())
}

fn safeclaw(home: &Path, programs: &[&Path], words: &[&str]) -> (Option<i32>, String) {
    let user = home.parent().unwrap();
    let folders = programs.iter().copied().chain([Path::new("/usr/bin"), Path::new("/bin")]);
    let mut command = Command::new(SAFECLAW);
    command.arg("--home").arg(home).args(words).env_clear();
    command.env("PATH", std::env::join_paths(folders).unwrap());
    command.env("HOME", user).env("XDG_CONFIG_HOME", user.join("config"));
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// The files that `service install --print` shows, written below a folder; the paths of the units.
fn printed(home: &TempHome, words: &[&str]) -> (TempDir, Vec<PathBuf>) {
    let (code, text) = service(home.root(), &[], &[&["install", "--print"], words].concat());
    assert_eq!(code, Some(0), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let mut units = Vec::new();
    for file in text.split("# /").skip(1) {
        let (path, text) = file.split_once('\n').unwrap();
        let name = Path::new(path).file_name().unwrap();
        if path.ends_with(".service") {
            let written = folder.path().join(name);
            fs::write(&written, text).unwrap();
            units.push(written);
        }
    }
    (folder, units)
}

#[test]
fn systemd_finds_nothing_wrong_with_the_units() {
    let home = with_a_page();
    for (words, count) in [(&[][..], 1), (&["--system"], 1), (&["--system", "--apart"], 2)] {
        let (_folder, units) = printed(&home, words);
        assert_eq!(units.len(), count, "{words:?}");
        let nowhere = home.root().join("nowhere");
        let (code, said) = service(&nowhere, &[], &[&["install", "--print"], words].concat());
        assert_eq!((code, nowhere.exists()), (Some(0), false), "{said}");
        let whose = if words.is_empty() { "--user" } else { "--system" };
        let (is_right, said) = verified(whose, &units);
        let about_ours: Vec<&str> = said.lines().filter(|line| line.contains("safeclaw")).collect();
        assert_eq!((is_right, about_ours), (true, Vec::new()), "{words:?}: {said}");
        // It reads them: a word that systemd does not know is found.
        let broken = fs::read_to_string(&units[0]).unwrap().replace("Type=notify", "Type=nothing");
        fs::write(&units[0], broken).unwrap();
        let (_, said) = verified(whose, &units);
        assert!(said.contains("nothing"), "{said}");
    }
}

/// What systemd says of these units, and whether it takes them.
fn verified(whose: &str, units: &[PathBuf]) -> (bool, String) {
    let mut command = Command::new("systemd-analyze");
    command.args(["verify", whose, "--man=no", "--recursive-errors=no"]).args(units);
    command.env("XDG_RUNTIME_DIR", units[0].parent().unwrap());
    let output = command.output().expect("systemd-analyze comes with systemd: apt install systemd");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A systemctl that writes down what it is asked, since no systemd runs where tests run; it refuses `refused`.
fn recorder(folder: &Path, refused: &str) -> PathBuf {
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    let asked = folder.join("asked");
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> {asked}\ncase \"$*\" in *'{refused}'*) echo 'Job failed.' >&2; exit 1;; esac\n\
         echo ActiveState=active; echo StatusText=Reached by http; echo MainPID=7; echo UnitFileState=enabled\n",
        asked = asked.display()
    );
    for name in ["systemctl", "loginctl"] {
        fs::write(programs.join(name), &script).unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    programs
}

fn asked(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("asked")).unwrap_or_default();
    fs::remove_file(folder.join("asked")).ok();
    text.lines().filter(|line| !line.contains("Linger")).map(str::to_owned).collect()
}

/// A folder of a user with a home that has a page.
fn user() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir_all(home.join("agent")).unwrap();
    fs::write(home.join("agent/config.json"), r#"{"http": {"listen": "127.0.0.1:8787"}}"#).unwrap();
    fs::write(home.join(".env"), TOKEN).unwrap();
    fs::set_permissions(home.join(".env"), fs::Permissions::from_mode(0o600)).unwrap();
    (folder, home)
}

#[test]
fn a_unit_is_installed_looked_at_and_removed() {
    let (folder, home) = user();
    let programs = recorder(folder.path(), "nothing");
    let unit = folder.path().join("config/systemd/user/safeclaw.service");
    let run = |words: &[&str]| service(&home, &[&programs], words);
    let (code, said) = run(&["status"]);
    assert_eq!((code, said.contains("is not installed")), (Some(4), true), "{said}");
    let (code, said) = run(&["install"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("runs now, and starts by itself"), "{said}");
    assert!(said.contains("loginctl enable-linger"), "{said}");
    assert_eq!(
        asked(folder.path()),
        [
            "--user show --property Version",
            "--user daemon-reload",
            "--user enable safeclaw.service",
            "--user restart safeclaw.service",
        ]
    );
    let text = fs::read_to_string(&unit).unwrap();
    assert!(text.contains(&format!("--home \"{}\" chat", home.display())), "{text}");
    let (code, said) = run(&["status"]);
    assert_eq!((code, said.contains("Reached by http")), (Some(0), true), "{said}");
    // The doctor finds it by any name.
    let second = unit.with_file_name("second-agent.service");
    fs::copy(&unit, &second).unwrap();
    let (_, said) = safeclaw(&home, &[&programs], &["doctor"]);
    for name in ["safeclaw.service", "second-agent.service"] {
        assert!(said.contains(&format!("{name} runs since")), "{said}");
    }
    fs::remove_file(second).unwrap();
    // Another home does not take its place.
    let other = folder.path().join("other");
    fs::create_dir_all(other.join("agent")).unwrap();
    for file in ["agent/config.json", ".env"] {
        fs::copy(home.join(file), other.join(file)).unwrap();
    }
    let (code, said) = service(&other, &[&programs], &["install"]);
    assert_eq!((code, said.contains("serves another home")), (Some(1), true), "{said}");
    assert_eq!(fs::read_to_string(&unit).unwrap(), text);
    let (code, said) = run(&["remove"]);
    assert_eq!((code, unit.exists()), (Some(0), false), "{said}");
    assert!(home.join("agent/config.json").exists());
}

#[test]
fn where_it_can_not_be_installed_nothing_is_written() {
    let (folder, home) = user();
    let unit = folder.path().join("config/systemd/user/safeclaw.service");
    // No systemd answers.
    let programs = recorder(folder.path(), "show --property Version");
    let (code, said) = service(&home, &[&programs], &["install"]);
    assert_eq!((code, unit.exists()), (Some(1), false), "{said}");
    assert!(said.contains("Job failed."), "{said}");
    let systemctl = programs.join("systemctl");
    let script = fs::read_to_string(&systemctl).unwrap();
    let absent = script.replace("Job failed.", "Failed to connect to bus: No medium found");
    fs::write(&systemctl, absent).unwrap();
    let (code, said) = service(&home, &[&programs], &["install"]);
    assert_eq!((code, unit.exists()), (Some(1), false), "{said}");
    assert!(said.contains("does not answer") && said.contains("install --print"), "{said}");
    // Somebody else's file is left alone.
    let programs = recorder(folder.path(), "nothing");
    fs::create_dir_all(unit.parent().unwrap()).unwrap();
    fs::write(&unit, "[Unit]\n").unwrap();
    let (code, said) = service(&home, &[&programs], &["install"]);
    assert_eq!((code, said.contains("was not written by SafeClaw")), (Some(1), true), "{said}");
    assert_eq!(fs::read_to_string(&unit).unwrap(), "[Unit]\n");
    fs::remove_file(&unit).unwrap();
    // It did not start: the unit is there, and what to look at is said.
    let programs = recorder(folder.path(), "restart safeclaw");
    let (code, said) = service(&home, &[&programs], &["install"]);
    assert_eq!((code, said.contains("service logs` shows why")), (Some(1), true), "{said}");
    // Nobody could talk with it.
    fs::write(home.join("agent/config.json"), "{}").unwrap();
    let (code, said) = service(&home, &[&programs], &["install"]);
    assert_eq!((code, said.contains("config telegram")), (Some(1), true), "{said}");
    let (code, said) = service(&home, &[&programs], &["install", "--name", "No Name"]);
    assert_eq!((code, said.contains("small letters")), (Some(2), true), "{said}");
}

/// Has `test` run again where the system's folders are copies that vanish with it; whether it runs there now.
fn on_a_system_of_its_own(test: &str) -> bool {
    const OWN: &str = "/var/lib/is-of-a-test";
    // The programs come first, because they may lie below a folder that is hidden then.
    const FOLDERS: &str = "set -e; mount --make-rprivate /; mkdir -p /etc/systemd/system /usr/local/bin\n\
        cd \"$0\"; touch safeclaw test; mount --bind \"$1\" safeclaw; mount --bind \"$2\" test; shift 2\n\
        cp -a /etc etc; mount --bind etc /etc\n\
        for folder in /var/lib /usr/local/bin /home; do mount -t tmpfs own $folder; done\n\
        touch /usr/local/bin/safeclaw /home/safeclaw /var/lib/is-of-a-test\n\
        for folder in /usr/local/bin /home; do mount --bind safeclaw $folder/safeclaw; done; exec ./test \"$@\"";
    if Path::new(OWN).exists() {
        return true;
    }
    if !rustix::process::geteuid().is_root() {
        return false; // Nobody else makes users.
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", FOLDERS]).arg(folder.path()).arg(SAFECLAW);
    command.arg(std::env::current_exe().unwrap()).args(["--exact", test]);
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    false
}

/// Every file below a folder that does not belong to the user of the folder.
fn of_others(folder: &Path) -> Vec<PathBuf> {
    let user = fs::metadata(folder).unwrap().uid();
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let metadata = entry.metadata().unwrap();
            found.extend((metadata.uid() != user).then(|| entry.path()));
            folders.extend(metadata.is_dir().then(|| entry.path()));
        }
    }
    found
}

#[test]
fn a_unit_of_the_system_waits_until_somebody_can_talk_with_it_and_keeps_its_home() {
    if !on_a_system_of_its_own(
        "a_unit_of_the_system_waits_until_somebody_can_talk_with_it_and_keeps_its_home",
    ) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let programs = recorder(folder.path(), "nothing");
    let run = |program: &str, words: &[&str]| {
        let mut command = Command::new(program);
        let path = std::env::join_paths([&programs, Path::new("/usr/bin"), Path::new("/bin")]);
        command.args(words).env_clear().env("PATH", path.unwrap()).env("HOME", folder.path());
        let output = command.output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), said)
    };
    let (at, install) = ("/usr/local/bin/safeclaw", ["service", "install", "--system"]);
    let (code, said) = run("/home/safeclaw", &install);
    assert_eq!((code, said.contains("copy it to /usr/local/bin")), (Some(1), true), "{said}");
    let (code, said) = run(at, &install);
    assert_eq!(code, Some(0), "{said}");
    let wanted = ["init --home /var/lib/safeclaw`", "service start --system`"];
    assert!(wanted.iter().all(|hint| said.contains(hint)), "{said}");
    assert_eq!(
        asked(folder.path()),
        ["show --property Version", "daemon-reload", "enable safeclaw.service"]
    );
    let home = Path::new("/var/lib/safeclaw");
    let metadata = fs::metadata(home).unwrap();
    assert_eq!((metadata.uid() != 0, metadata.mode() & 0o777), (true, 0o700));
    // What root does there is done by the unit's user.
    let (code, said) =
        run(at, &["--home", "/var/lib/safeclaw", "agent", "config", "http", "127.0.0.1:8787"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(at, &["--home", "/var/lib/safeclaw", "-p", "/remember tea is green"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(home.join("agent/config.json").exists() && home.join("workspace").is_dir());
    assert_eq!(of_others(home), Vec::<PathBuf>::new());
    let (code, said) = run(at, &install);
    assert_eq!((code, said.contains("runs now")), (Some(0), true), "{said}");
    assert_eq!(asked(folder.path()).last().unwrap(), "restart safeclaw.service");
    // Where it did not start, the hint is about the same unit.
    recorder(folder.path(), "restart second");
    let (code, said) = run(at, &[&install[..], &["--name", "second"]].concat());
    assert_eq!(
        (code, said.contains("service start --system --name second`")),
        (Some(0), true),
        "{said}"
    );
}

#[test]
fn what_root_starts_by_itself_works_as_the_user_of_the_home() {
    if !on_a_system_of_its_own("what_root_starts_by_itself_works_as_the_user_of_the_home") {
        return;
    }
    let (server, folder) = (RedisServer::start(), tempfile::tempdir().unwrap());
    let (home, user) = (Path::new("/var/lib/of-another-user"), 65_534);
    fs::create_dir(home).unwrap();
    chown(home, Some(user), Some(user)).unwrap();
    let start = |name: &str| {
        let program = folder.path().join(name);
        symlink("/usr/local/bin/safeclaw", &program).unwrap();
        Chat::start(program.to_str().unwrap(), &[], home, &[("REDIS_URL", &server.url())])
    };
    let mut router = start("start_router");
    router.expect_on_stderr("serving safeclaw:command_queue");
    let mut agent = start("start_agent");
    agent.ask("/remember tea is green", "Noted.");
    agent.ask("Post 'Hello World' to X.", "CREATE_POST: dry run");
    for process in [&router, &agent] {
        assert!(process.stderr().contains("working as nobody"), "{}", process.stderr());
    }
    assert_eq!(agent.end().code(), Some(0));
    router.terminate();
    assert_eq!(router.wait().code(), Some(0));
    assert!(home.join("router/audit").exists() && home.join("workspace").is_dir());
    assert_eq!(of_others(home), Vec::<PathBuf>::new());
}
