//! The library in the whole house: papers go in from the command line and from a chat, and are found again, without a
//! model, a network or another service.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the owner's commands are processes")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testkit::{Chat, OllamaServer, Says, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// A folder of papers that whoever runs skills may read.
fn papers() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::write(
        path.join("pump.md"),
        "# Pump\n\n## Warranty\n\nThe pump has a warranty of 27 months.\n",
    )
    .unwrap();
    fs::write(path.join("letter.txt"), "Dear Anna, the blue bicycle is yours.").unwrap();
    fs::write(path.join("picture.png"), "no text").unwrap();
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/library/fixtures/manual.pdf");
    fs::copy(manual, path.join("manual.pdf")).unwrap();
    (folder, path)
}

fn library(home: &TempHome, words: &[&str]) -> Output {
    let mut command = Command::new(SAFECLAW);
    command.args(["router", "library"]).args(words).arg("--home").arg(home.root());
    command.stdin(Stdio::null()).output().unwrap()
}

fn told(home: &TempHome, words: &[&str]) -> String {
    let output = library(home, words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(home: &TempHome, words: &[&str]) -> String {
    let output = library(home, words);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

/// What the chat has to say beside its answers stands on stderr.
fn notice(chat: &mut Chat, line: &str, words: &str) {
    chat.say(line);
    chat.expect_on_stderr(words);
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn papers_go_in_from_the_command_line_and_are_found_in_a_chat() {
    let (home, (_held, papers)) = (TempHome::new(), papers());
    let added = told(&home, &["add", text(&papers)]);
    assert!(
        added.contains("manual.pdf: 3 passages") && added.contains("3 files indexed"),
        "{added}"
    );
    let again = told(&home, &["add", text(&papers)]);
    assert!(again.contains("0 files indexed") && again.contains("3 had not changed"), "{again}");
    let listed = told(&home, &["list"]);
    assert!(listed.contains("pump.md (admin, 1 passages)"), "{listed}");
    assert!(told(&home, &["check"]).contains("all is well: 3 files, 5 passages"));

    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    let found = chat.ask("/search how long is the pump's warranty?", "27 months");
    assert!(found.contains(&format!("1. [md] {}", papers.join("pump.md").display())), "{found}");
    chat.ask("/search red valve", "[pdf]");
    chat.ask("/search xylophone", "No matching documents found.");
    chat.ask("/docs", "pdf: 1 files, 3 passages");
    chat.ask("/ask xylophone", "No matching documents found.");
    let actions = chat.ask("/actions", "WEB_FETCH");
    assert!(
        !actions.contains("SEARCH_DOCS"),
        "a set that is off is offered to no model: {actions}"
    );

    assert!(told(&home, &["remove", "pump.md"]).contains("1 file taken out"));
    chat.ask("/search warranty", "No matching documents found.");
    assert!(papers.join("pump.md").exists());
    assert!(told(&home, &["rebuild"]).contains("2 files built again"));
    chat.ask("/search bicycle", "blue bicycle");
}

#[test]
fn a_chat_takes_files_from_the_open_folder_and_from_no_other() {
    let (home, (_held, papers)) = (TempHome::new(), papers());
    let (_other, outside) = self::papers();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    notice(&mut chat, "/index pump.md", "label it as public or admin");
    notice(&mut chat, "/index pump.md admin", "no folder is open yet");
    chat.end();
    assert!(told(&home, &["allow", text(&papers)]).contains("is open"));
    symlink("/etc/passwd", papers.join("link.txt")).unwrap();
    symlink(&outside, papers.join("away")).unwrap();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/index pump.md admin", "1 files indexed");
    chat.ask(&format!("/index {} admin", papers.join("letter.txt").display()), "1 files indexed");
    for (path, why) in [
        ("link.txt".to_owned(), "there is a link on the way"),
        ("away/pump.md".to_owned(), "there is a link on the way"),
        ("../pump.md".to_owned(), "leads out of its folder"),
        ("/etc/passwd".to_owned(), "is not in the folder that is open"),
        (outside.join("pump.md").display().to_string(), "is not in the folder that is open"),
        ("picture.png".to_owned(), "Unsupported file type"),
        ("none.pdf".to_owned(), "there is no such file"),
    ] {
        notice(&mut chat, &format!("/index {path} admin"), why);
    }
    // What everybody may see is asked for.
    chat.ask("/index pump.md public", "/approve");
    let said = refused(&home, &["allow", text(home.root())]);
    assert!(said.contains("SafeClaw's own home"), "{said}");
}

#[test]
fn an_answer_cites_what_was_found_and_what_was_not_is_marked() {
    let (home, (_held, papers)) = (TempHome::new(), papers());
    told(&home, &["add", text(&papers)]);
    let answer = "27 months [pump.md, Pump > Warranty], says also [made-up.pdf, page 9].";
    let ollama = OllamaServer::start([Says::text(answer)]);
    let host = ollama.host();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &host)]);
    let said = chat.ask("/ask How long is the warranty of the pump?", "page 9].");
    assert!(said.contains("[pump.md, Pump > Warranty]"), "{said}");
    chat.expect_on_stderr("not among the passages that were found: [made-up.pdf, page 9]");
    let prompts = ollama.prompts();
    let prompt = prompts.last().unwrap();
    assert!(prompt.contains("[pump.md, Pump > Warranty]"), "{prompt}");
    assert!(prompt.contains("a warranty of 27 months"), "{prompt}");
}
