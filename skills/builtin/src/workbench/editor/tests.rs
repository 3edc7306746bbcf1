//! The editor on real files.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

const HELLO: &str = "#include <stdio.h>\n\n\nvoid main() {\n  printf(\"Hello world\\n\");\n}\n";

const LIMIT: Duration = Duration::from_secs(20);

fn editor(files: &[(&str, &str)]) -> (tempfile::TempDir, Editor) {
    let project = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::create_dir_all(project.path().join(name).parent().unwrap()).unwrap();
        fs::write(project.path().join(name), text).unwrap();
    }
    let editor = Editor::at(project.path());
    (project, editor)
}

/// What a command says to a model that has seen the screen; it must succeed.
fn says(editor: &mut Editor, command: &str) -> String {
    editor.note_seen();
    goes_on(editor, command)
}

/// The same to a model that has seen no screen since the command before. There is one.
fn goes_on(editor: &mut Editor, command: &str) -> String {
    let said = editor.command(command, LIMIT);
    assert_eq!(said.exit_code, Some(0), "{command}: {}", said.output);
    editor.screen();
    said.output
}

fn fails(editor: &mut Editor, command: &str) -> String {
    editor.note_seen();
    fails_at_once(editor, command)
}

fn fails_at_once(editor: &mut Editor, command: &str) -> String {
    let said = editor.command(command, LIMIT);
    assert_eq!(said.exit_code, Some(1), "{command}: {}", said.output);
    said.output
}

#[test]
fn a_view_follows_its_function() {
    let (project, mut editor) = editor(&[("hello.c", HELLO)]);
    says(&mut editor, "goto_definition main");
    let seen =
        "> hello.c: function \"main\", lines 4-6\nvoid main() {\n  printf(\"Hello world\\n\");\n}";
    assert_eq!(editor.screen(), seen);
    let moved = HELLO.replace("\n\n\n", "\n\nint x;\n\nint y;\n").replace("world", "moon");
    fs::write(project.path().join("hello.c"), moved).unwrap();
    assert_eq!(editor.screen(), seen.replace("4-6", "6-8").replace("world", "moon"));
}

#[test]
fn an_edit_exchanges_the_whole_file_and_leaves_its_mode_and_links_as_they_are() {
    let (project, mut editor) = editor(&[("a.sh", "one\ntwo\n")]);
    let at = |name: &str| project.path().join(name);
    fs::set_permissions(at("a.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("a.sh", at("b.sh")).unwrap();
    // Whoever reads it meanwhile has the old text to its end.
    let mut before = fs::File::open(at("a.sh")).unwrap();
    says(&mut editor, "view b.sh /two/");
    editor.screen();
    says(&mut editor, "edit b.sh 2-2\nTWO");
    assert_eq!(fs::read_to_string(at("a.sh")).unwrap(), "one\nTWO\n");
    let mut old = String::new();
    before.read_to_string(&mut old).unwrap();
    assert_eq!(old, "one\ntwo\n");
    assert_eq!(at("a.sh").metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert!(at("b.sh").is_symlink());
    assert_eq!(fs::read_dir(project.path()).unwrap().count(), 2);
}

#[test]
fn an_edit_of_an_empty_file_fills_it() {
    let (project, mut editor) = editor(&[("n.txt", "")]);
    says(&mut editor, "view n.txt");
    editor.screen();
    says(&mut editor, "edit n.txt 1-1\nhello");
    assert_eq!(fs::read_to_string(project.path().join("n.txt")).unwrap(), "hello");
}

#[test]
fn definitions_in_all_five_languages() {
    for (file, text, name, title) in [
        (
            "a.py",
            "import x\n\nclass A:\n    def go(self):\n        return 1\n\n    y = 2\n",
            "go",
            "function \"go\", lines 4-5",
        ),
        (
            "a.rs",
            "use x;\n\npub(crate) struct A {\n    b: u8,\n}\n",
            "A",
            "struct \"A\", lines 3-5",
        ),
        ("a.js", "const f = (a) => {\n  return '{';\n};\n", "f", "function \"f\", lines 1-3"),
        (
            "a.go",
            "package a\n\nfunc (s *S) Run() {\n\tx()\n}\n",
            "Run",
            "function \"Run\", lines 3-5",
        ),
        ("a.h", "struct point {\n  int x;\n};\n", "point", "struct \"point\", lines 1-3"),
    ] {
        let (_project, mut editor) = editor(&[(file, text)]);
        says(&mut editor, &format!("goto_definition {name}"));
        let screen = editor.screen();
        assert!(screen.starts_with(&format!("> {file}: {title}\n")), "{screen}");
    }
    let (_project, mut editor) = editor(&[("a.py", "")]);
    assert!(fails(&mut editor, "goto_definition none").starts_with("No definition of \"none\""));
}

#[test]
fn views_go_by_patterns_and_to_the_next_match() {
    let (_project, mut editor) = editor(&[("a.txt", "one\nx\nend\none\ny\nend\n")]);
    says(&mut editor, "view a.txt /one/ /end/ part");
    assert!(editor.screen().starts_with("> a.txt: \"part\", lines 1-3\none\nx"));
    says(&mut editor, "next_match 1");
    assert!(editor.screen().starts_with("> a.txt: \"part\", lines 4-6\none\ny"));
    assert_eq!(fails(&mut editor, "next_match 1"), "There is no further match.");
    says(&mut editor, "prev_match 1");
    assert_eq!(
        fails(&mut editor, "view a.txt /(/"),
        "Invalid regex pattern: error: unclosed group"
    );
    says(&mut editor, "close part");
    assert_eq!(editor.screen(), "(no views)");
}

#[test]
fn only_what_is_shown_and_unchanged_is_edited() {
    let (project, mut editor) = editor(&[("a.txt", "a\nb\nc\n")]);
    assert!(fails(&mut editor, "edit a.txt 2-2\nB").contains("not all in a view"));
    says(&mut editor, "view a.txt /b/");
    editor.screen();
    assert!(fails(&mut editor, "edit a.txt 2-3\nB").contains("not all in a view"));
    fs::write(project.path().join("a.txt"), "a\nb\nd\n").unwrap();
    assert!(fails(&mut editor, "edit a.txt 2-2\nB").contains("has changed since it was shown"));
    editor.screen();
    says(&mut editor, "edit a.txt 2-2\nb\nb2");
    assert_eq!(fs::read_to_string(project.path().join("a.txt")).unwrap(), "a\nb\nb2\nd\n");
}

#[test]
fn a_line_whose_end_no_screen_shows_is_not_edited() {
    let long = "x".repeat(201);
    let (project, mut editor) = editor(&[("a.txt", &format!("a\n{long}\n"))]);
    says(&mut editor, "view a.txt");
    says(&mut editor, "edit a.txt 1-1\na\nb");
    let said = fails_at_once(&mut editor, "edit a.txt 2-2\ny");
    assert_eq!(
        said,
        "Line 2 of a.txt is longer than a view shows, so you have not seen all of it; change it with bash or python."
    );
    let text = fs::read_to_string(project.path().join("a.txt")).unwrap();
    assert_eq!(text, format!("a\nb\n{long}\n"));
}

#[test]
fn edits_of_one_reply_go_by_the_screen_before_it() {
    let (project, mut editor) = editor(&[("a.txt", "a\nb\nc\nd\ne\nf\n")]);
    let text = || fs::read_to_string(project.path().join("a.txt")).unwrap();
    says(&mut editor, "view a.txt");
    says(&mut editor, "edit a.txt 2-2\nB1\nB2\nB3");
    goes_on(&mut editor, "edit a.txt 4-5\nDE");
    goes_on(&mut editor, "edit a.txt 1-1\n");
    goes_on(&mut editor, "edit a.txt 6-6\nF");
    assert_eq!(text(), "B1\nB2\nB3\nc\nDE\nF\n");
    let said = fails_at_once(&mut editor, "edit a.txt 3-4\nx");
    assert_eq!(said, "Lines 4-5 of a.txt are already edited; look at the view again, then edit.");
    // The next reply goes by the screen that it has seen.
    says(&mut editor, "edit a.txt 4-4\nC");
    assert_eq!(text(), "B1\nB2\nB3\nC\nDE\nF\n");
}

#[test]
fn what_changes_between_the_commands_of_one_reply_was_not_seen() {
    let (project, mut editor) = editor(&[("a.txt", "a\nb\nc\n"), ("b.txt", "x\n")]);
    says(&mut editor, "view a.txt");
    says(&mut editor, "view b.txt");
    assert!(fails_at_once(&mut editor, "edit b.txt 1-1\ny").contains("that you have seen"));
    says(&mut editor, "edit a.txt 1-1\nA");
    // As a command of bash does.
    fs::write(project.path().join("a.txt"), "new\nA\nb\nc\n").unwrap();
    editor.screen();
    let said = fails_at_once(&mut editor, "edit a.txt 2-2\nB");
    assert!(said.contains("has changed since it was shown"), "{said}");
    says(&mut editor, "edit a.txt 3-3\nB");
    assert_eq!(fs::read_to_string(project.path().join("a.txt")).unwrap(), "new\nA\nB\nc\n");
}

#[test]
fn a_file_is_made_once_and_inside_the_project() {
    let (project, mut editor) = editor(&[("a.txt", "a\n")]);
    says(&mut editor, "create src/new.rs\nfn main() {}\n");
    assert_eq!(fs::read_to_string(project.path().join("src/new.rs")).unwrap(), "fn main() {}\n");
    assert!(fails(&mut editor, "create a.txt\nx").contains("exists already"));
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), project.path().join("out")).unwrap();
    for path in ["../x", "/etc/x", "out/x", "a/../../x"] {
        assert!(
            fails(&mut editor, &format!("create {path}\nx")).contains("outside the project"),
            "{path}"
        );
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_broken_view_is_shown_once() {
    let (project, mut editor) = editor(&[("a.txt", "a\n"), ("b.bin", "x\0y")]);
    assert_eq!(fails(&mut editor, "view b.bin"), "b.bin is binary.");
    says(&mut editor, "view a.txt");
    fs::remove_file(project.path().join("a.txt")).unwrap();
    assert!(editor.screen().contains("there is no such file. (this view is closed)"));
    assert_eq!(editor.screen(), "(no views)");
}

#[test]
fn a_search_leaves_out_what_git_leaves_out() {
    let (_project, mut editor) = editor(&[
        ("a.rs", "let x = 1;\n"),
        ("b/c.rs", "x\n"),
        ("d.txt", "x\n"),
        ("t/e.rs", "x\n"),
        (".gitignore", "t/\n"),
    ]);
    assert_eq!(says(&mut editor, "search \"\\bx\\b\" *.rs"), "a.rs:1: let x = 1;\nb/c.rs:1: x");
    assert_eq!(says(&mut editor, "search none"), "No line fits.");
}

#[test]
fn what_looks_through_files_ends_when_the_time_is_up() {
    let (_project, mut editor) = editor(&[("a.rs", "fn a() {}\n")]);
    let mut says = |command: &str| editor.command(command, Duration::ZERO).output;
    assert_eq!(
        says("search a"),
        "No line fits.\n... [stopped after 0 files, because the time was up; a narrower glob reaches others]"
    );
    assert_eq!(
        says("goto_definition a"),
        "No definition of \"a\" was found: stopped after 0 files, because the time was up. Use search with a glob."
    );
}

#[test]
fn the_oldest_view_makes_room() {
    let (_project, mut editor) = editor(&[("a.txt", "a\n")]);
    for _ in 0..VIEWS {
        says(&mut editor, "view a.txt");
    }
    assert!(says(&mut editor, "view a.txt").ends_with("View 1 was closed to make room."));
}
