//! The command line of the real program, and the commands that its messages name.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

#[path = "commands/tables.rs"]
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testkit::TempHome;

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

fn run(program: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).env_clear().envs([
        ("HOME", "/nonexistent"),
        ("COLUMNS", "100"),
        ("PATH", "/usr/bin:/bin"),
        ("OLLAMA_HOST", "127.0.0.1:1"),
    ]);
    command.output().unwrap()
}

fn safeclaw(args: &[&str]) -> (Option<i32>, String) {
    let output = run(Path::new(SAFECLAW), args);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn the_home_is_taken_before_a_command_and_behind_it() {
    let home = TempHome::greeting();
    let root = home.root().to_str().unwrap();
    for args in [["--home", root, "agent", "config"], ["agent", "config", "--home", root]] {
        let (code, text) = safeclaw(&args);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("telegram"), "{text}");
    }
    let (code, text) = safeclaw(&["--home", root, "stop"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(&format!("{SAFECLAW} --home {root} resume")), "{text}");
    let (_, text) = safeclaw(&["--home", root, "-p", "/status"]);
    let told = format!("everything is stopped; `{SAFECLAW} --home {root} resume` lets it go on");
    assert!(text.contains(&told), "{text}");
    let resume = format!("`{SAFECLAW} --home {root} resume`");
    let first = format!("everything is stopped; its owner can let it go on with {resume}\n");
    let started = || run(Path::new(SAFECLAW), &["--home", root]).stderr;
    let told = String::from_utf8(started()).unwrap();
    assert!(told.starts_with(&first), "{told}");
    let (code, text) = safeclaw(&["resume", "--home", root]);
    assert_eq!(code, Some(0), "{text}");
    let told = String::from_utf8(started()).unwrap();
    assert!(!told.contains("is stopped"), "{told}");
}

#[test]
fn one_message_is_answered_and_the_exit_code_tells_how() {
    let home = TempHome::greeting();
    let root = home.root().to_str().unwrap();
    let said = |args: &[&str]| {
        let output = run(Path::new(SAFECLAW), &[&["--home", root], args].concat());
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code(), stdout, stderr)
    };
    let (code, stdout, stderr) = said(&["-p", "Remember my name is Frankie."]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("your name is Frankie"), "{stdout}");
    let (code, stdout, _) = said(&["/memory private name"]);
    assert_eq!((code, stdout.contains("name is private")), (Some(0), true), "{stdout}");
    let (code, _, stderr) = said(&["-p", "Remind me in 2 hours to call Max."]);
    let told = stderr.contains("it is told while SafeClaw runs, which ends now");
    assert_eq!((code, told), (Some(0), true), "{stderr}");
    for (text, told) in [
        ("Post 'Hello World' to X.", "nothing was sent"),
        ("/run NO_SUCH_THING", "NO_SUCH_THING"),
        ("/nosuch", "there is no command /nosuch"),
        ("/approve abc", "no question is open"),
        ("/memory keep nothing", "nothing is set aside"),
        ("/open nosuch", "say which"),
        ("/open 9", "there is no conversation 9"),
        ("What is the capital of France?", "I have no language model"),
    ] {
        let (code, stdout, stderr) = said(&["-p", text]);
        assert_eq!(code, Some(1), "{text}: {stdout}{stderr}");
        assert!([stdout, stderr].concat().contains(told), "{text}");
    }
    home.put("router/policy.toml", "[effects]\nlocal = \"ask\"\nnone = \"ask\"\n");
    let (code, stdout, stderr) = said(&["-p", "/run HELLO_WORLD {\"name\": \"Bob\"}"]);
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    assert!(stderr.contains("/approve ") && !stdout.contains("/approve "), "{stdout}{stderr}");
    assert!(stderr.contains("from a shell: ") && stderr.contains("-p \"/approve "), "{stderr}");
    let (code, stdout, stderr) = said(&["-p", "/approve"]);
    assert_eq!((code, stdout.contains("Hello, Bob")), (Some(0), true), "{stdout}{stderr}");
    let (code, ..) = said(&["-p", "/run WEB_FETCH {\"url\": \"https://nowhere.invalid/\"}"]);
    assert_eq!(code, Some(3));
    let (code, stdout, stderr) = said(&["-p", "/approve"]);
    assert_eq!(code, Some(1), "{stdout}{stderr}");
}

/// Runs it with these files as stdout and stderr; stdin has ended.
fn with_outputs(args: &[&str], stdout: impl Into<Stdio>, stderr: impl Into<Stdio>) -> Output {
    let mut command = Command::new(SAFECLAW);
    command.args(args).env_clear().envs([("HOME", "/nonexistent"), ("PATH", "/usr/bin:/bin")]);
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    command.spawn().unwrap().wait_with_output().unwrap()
}

/// The end of a pipe that nobody reads from any more.
fn closed() -> std::io::PipeWriter {
    std::io::pipe().unwrap().1
}

#[test]
fn whoever_closes_the_pipe_sees_no_panic() {
    let home = TempHome::greeting();
    let root = home.root().to_str().unwrap();
    for args in [
        "agent config",
        "agent web sessions",
        "doctor",
        "init --help",
        "router governance check",
        "router policy check",
        "router sessions",
        "router skills",
        "router stop",
        "router resume",
        "router trust --list",
        "storm list",
        "agent clear --yes",
        "router library list",
        "router pin status",
        "router queue --help",
        "router approvals",
        "router audit verify",
    ] {
        let args: Vec<&str> = ["--home", root].into_iter().chain(args.split(' ')).collect();
        let expected = with_outputs(&args, Stdio::null(), Stdio::piped());
        let output = with_outputs(&args, closed(), Stdio::piped());
        let [told, expected_told] =
            [&output, &expected].map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        assert!(!told.contains("panicked"), "{args:?}: {told}");
        assert_eq!((output.status, told), (expected.status, expected_told), "{args:?}");
    }
    // Nobody could read the question, so nobody is asked.
    let output =
        with_outputs(&["--home", root, "agent", "config", "llm"], closed(), Stdio::piped());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(told, "error: ended by you, and what was asked is as it was\n");
    // An error can't be told, and ends it as it would otherwise.
    let output = with_outputs(&["chta"], Stdio::null(), closed());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_a_full_disk_swallows_is_an_error() {
    let home = TempHome::greeting();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let parts = ["start_agent", "start_router"].map(|name| folder.path().join(name));
    for part in &parts {
        std::os::unix::fs::symlink(SAFECLAW, part).unwrap();
    }
    let [agent, router] = &parts;
    for (program, args) in [
        (Path::new(SAFECLAW), "agent config"),
        (Path::new(SAFECLAW), "router library list"),
        (Path::new(SAFECLAW), "router pin status"),
        (agent, "config"),
        (router, "skills"),
    ] {
        let mut command = Command::new(program);
        command.arg("--home").arg(home.root()).args(args.split(' ')).env_clear();
        command.envs([("HOME", "/nonexistent"), ("PATH", "/usr/bin:/bin")]).stdin(Stdio::null());
        let output = command.stdout(full.try_clone().unwrap()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args}: {told}");
        assert_eq!(told.matches("can't be written: No space left").count(), 1, "{args}: {told}");
    }
}

#[test]
fn a_word_that_is_no_command_is_refused_with_the_nearest_one() {
    for (word, told) in [("ruoter", "router`?"), ("chta", "chat`?"), ("weather", "--help` lists")] {
        let (code, text) = safeclaw(&[word]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn under_the_names_of_its_parts_it_is_those() {
    let folder = tempfile::tempdir().unwrap();
    for (name, told) in [("start_agent", "Open a chat"), ("start_router", "new-skill")] {
        let path = folder.path().join(name);
        std::os::unix::fs::symlink(SAFECLAW, &path).unwrap();
        let output = run(&path, &["--help"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success());
        assert!(text.contains(&format!("Usage: {name}")), "{text}");
        assert!(told == "Open a chat" || text.contains(told), "{text}");
    }
}

/// The crates that nobody but the makers runs: they speak of other programs, too.
const MAKERS: [&str; 7] = ["bench", "bench/library", "chaos", "eval", "soak", "tests/kit", "xtask"];

/// The sources of all crates of the program, in which its messages stand.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = manifest.split_once("members = [").unwrap().1.split_once(']').unwrap().0;
    let members = members.split('"').skip(1).step_by(2).filter(|member| !MAKERS.contains(member));
    let mut folders: Vec<PathBuf> =
        members.chain(["."]).map(|member| root.join(member).join("src")).collect();
    assert!(folders.len() > 40, "only {} crates were found", folders.len());
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_test =
                path.file_name().is_some_and(|name| name == "tests" || name == "tests.rs");
            if path.is_dir() && !is_test {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
                files.push((path, code));
            }
        }
    }
    files
}

/// The words behind each `name("` of a source, up to what stands in braces or is written large: a person fills that in.
fn named(code: &str, name: &str) -> Vec<Vec<String>> {
    let calls = code.split(name).skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('(')?.trim_start();
        rest.strip_prefix("&format!(").unwrap_or(rest).trim_start().strip_prefix('"')
    });
    calls
        .map(|rest| {
            let words = rest.split('"').next().unwrap_or_default().split(' ');
            let is_filled =
                |part: &str| part.starts_with('{') || part.starts_with(char::is_uppercase);
            let is_fixed = |word: &&str| !word.is_empty() && !word.split(':').any(is_filled);
            words.take_while(is_fixed).map(str::to_owned).collect()
        })
        .collect()
}

#[test]
fn each_command_that_a_message_names_is_there() {
    let mut checked = 0;
    for (path, code) in sources() {
        for (name, part) in [
            ("home::command", None),
            ("home::agent_command", Some("agent")),
            ("home::agent_command_by_name", Some("agent")),
            ("home::router_command", Some("router")),
        ] {
            for words in named(&code, name) {
                let args: Vec<&str> =
                    part.into_iter().chain(words.iter().map(String::as_str)).collect();
                // A key of the settings is an argument, and a list says which there are.
                let (code, text) = match args.as_slice() {
                    // What is said stands behind it.
                    ["-p"] => (Some(0), String::new()),
                    ["agent", "config", key, ..] => {
                        let (_, listed) = safeclaw(&["agent", "config"]);
                        (listed.lines().any(|line| line.starts_with(key)).then_some(0), listed)
                    }
                    args => safeclaw(&[args, &["--help"]].concat()),
                };
                assert_eq!(code, Some(0), "{} names {words:?}: {text}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "only {checked} were found");
}

#[test]
fn no_message_says_by_itself_how_the_program_is_started() {
    // What is shown with its commands put right, and the arguments of this program to itself.
    let put_right = ["redis_acl.rs", "invocation.rs", "command/mod.rs", "cli/work/mod.rs"];
    for (path, code) in sources() {
        if put_right.iter().any(|end| path.ends_with(end) || path.to_string_lossy().ends_with(end))
        {
            continue;
        }
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for wrong in ["start_agent ", "start_router ", "`safeclaw ", "run start_", "cargo run"]
            {
                assert!(!line.contains(wrong), "{}: {line}", path.display());
            }
        }
    }
    for (path, text) in strings() {
        for wrong in ["start_agent", "start_router", "safeclaw ", "cargo "] {
            assert!(!text.contains(wrong), "{}: {wrong}", path.display());
        }
    }
}

/// The words of the console and of both pages, in each language.
fn strings() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["words/console", "channel/web/strings", "window/web/strings"];
    let mut files = Vec::new();
    for folder in folders.map(|folder| root.join(folder)) {
        let found = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let found = found.filter(|path| path.extension().is_some_and(|end| end == "json"));
        files.extend(found.map(|path| (path.clone(), fs::read_to_string(&path).unwrap())));
    }
    assert!(files.len() > 5, "only {} files were found", files.len());
    files
}

/// Words that look like commands of the chat, and are none: what another bot takes, and places.
const NO_COMMANDS: [&str; 6] = ["/newbot", "/workspace", "/proc", "/etc", "/dev", "/usr"];

/// Each `/word` that a person would read as a command of the chat.
fn slash_words(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('/').filter_map(|(at, _)| {
        let (before, rest) = (&text[..at], &text[at + 1..]);
        let end = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
        let behind = &rest[end..];
        // A text that is a path alone, such as "/bin", is none.
        let begins = before.is_empty()
            || before.ends_with([' ', '`', '('])
            || before.ends_with('"') && behind.starts_with(' ');
        let is_file =
            behind.strip_prefix('.').is_some_and(|it| it.starts_with(char::is_alphabetic));
        let is_path = is_file || behind.starts_with(['/', '{', '_', '-', '[']);
        (begins && end > 1 && !is_path).then(|| &text[at..=at + end])
    })
}

#[test]
fn each_command_of_the_chat_that_a_message_names_is_there() {
    let home = TempHome::new();
    let output =
        run(Path::new(SAFECLAW), &["--home", home.root().to_str().unwrap(), "-p", "/help"]);
    let help = String::from_utf8(output.stdout).unwrap();
    let mut known: Vec<&str> = help.lines().flat_map(slash_words).collect();
    assert!(known.len() > 30, "{help}");
    // The console's own.
    known.extend(["/edit", "/quit", "/exit"]);
    let lines = |code: &str| -> Vec<String> {
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.map(str::to_owned).collect()
    };
    let mut checked = 0;
    for (path, text) in sources().into_iter().chain(strings()) {
        for line in lines(&text) {
            for word in slash_words(&line).filter(|word| !NO_COMMANDS.contains(word)) {
                assert!(known.contains(&word), "{}: {word} in {line}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "only {checked} were found");
}
