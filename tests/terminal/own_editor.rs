//! A long message in an editor of the person's own, which something outside of the confined agent starts.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::editing::{SIZES, said};
use super::*;

const CTRL_X_CTRL_E: &str = "\x18\x05";

/// An editor that notes what it was given and what it could see, takes rows from the terminal up to `.`, and saves them.
fn editor(home: &TempHome) -> String {
    home.put(
        "write",
        "#!/bin/sh\n\
         stat -c '%a' \"$2\" > \"$1\" && stat -c '%a' \"$(dirname \"$2\")\" >> \"$1\"\n\
         echo \"$2\" >> \"$1\" && wc -c < \"$2\" >> \"$1\" && stty -a < /dev/tty | grep -o ' icanon' >> \"$1\"\n\
         echo \"key ${OPENAI_API_KEY:-none}\" >> \"$1\"\n\
         echo 'THE EDITOR IS OPEN'\n\
         while read -r row && [ \"$row\" != . ]; do echo \"$row\" >> \"$2\"; done\n\
         [ \"$row\" = . ]\n",
    );
    let program = home.root().join("write");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("'{}' '{}'", program.display(), home.root().join("noted").display())
}

#[test]
fn what_is_saved_in_the_persons_editor_is_said_and_the_file_is_gone() {
    for (size, opening) in SIZES.into_iter().zip(["/edit\r", CTRL_X_CTRL_E]) {
        let home = TempHome::new();
        let server = OllamaServer::start([Says::text("Well."), Says::text("Fine.")]);
        let (editor, host) = (editor(&home), server.host());
        let variables = [
            ("EDITOR", &*editor),
            ("OLLAMA_HOST", &*host),
            ("OPENAI_API_KEY", "sk-hunter2hunter2"),
        ];
        let mut chat = Terminal::start_sized(size, SAFECLAW, &[], home.root(), &variables);
        chat.expect_last(PROMPT);
        if opening == CTRL_X_CTRL_E {
            chat.press("Read this:");
            chat.expect_last("you> Read this:");
        }
        chat.press(opening);
        chat.expect("THE EDITOR IS OPEN");
        chat.press("the first 数学\rand the second\r.\r");
        chat.expect("Well.");
        chat.expect_last(PROMPT);
        said(&home, r"the first 数学\nand the second");
        if opening == CTRL_X_CTRL_E {
            said(&home, r"Read this:\nthe first");
        }
        let noted = home.text("noted");
        let noted: Vec<&str> = noted.lines().map(str::trim).collect();
        let [mode, folder, path, size, cooked, key] = noted[..] else { panic!("{noted:?}") };
        assert_eq!((mode, folder, size), ("600", "700", "0"));
        assert_eq!((cooked, key), ("icanon", "key none"));
        let path = PathBuf::from(path);
        assert!(!path.exists() && !path.parent().unwrap().exists(), "{}", path.display());
        // The terminal is the line editor's again.
        line(&mut chat, "And now?");
        chat.expect("Fine.");
        line(&mut chat, "quit");
        assert_eq!(chat.wait().code(), Some(0));
        assert_eq!(chat.settings(), untouched());
    }
}

/// Waits until this was told a second time.
fn twice(chat: &Terminal, told: &str) {
    testkit::wait_until("it is told again", || chat.screen().matches(told).count() == 2);
}

#[test]
fn what_is_not_saved_is_not_said_and_why_is_told() {
    let home = TempHome::new();
    let fails = "sh -c 'echo text > \"$0\"; exit 3'";
    for (editor, told) in [
        ("true", "[nothing was saved in the editor, so nothing was said]"),
        (fails, "[nothing was taken from the editor: "),
        ("", "[no editor is set: set VISUAL or EDITOR and start again"),
    ] {
        let mut chat = chat(&home, &[("VISUAL", editor), ("EDITOR", ""), ("LC_ALL", "C")]);
        line(&mut chat, "/edit");
        chat.expect(told);
        chat.expect_last(PROMPT);
        line(&mut chat, "/memory");
        chat.expect("Nothing is remembered.");
        // What stood in the line stands there again.
        chat.press("qu");
        chat.expect_last("you> qu");
        chat.press(CTRL_X_CTRL_E);
        twice(&chat, told);
        chat.expect_last("you> qu");
        chat.press("it\r");
        assert_eq!(chat.wait().code(), Some(0));
    }
}

#[test]
fn an_editor_can_be_opened_while_an_answer_comes_and_what_is_written_counts_at_once() {
    let home = TempHome::new();
    let server = OllamaServer::start([never(), Says::text("I am back.")]);
    let editor = editor(&home);
    let host = server.host();
    let mut chat = chat(&home, &[("VISUAL", &editor), ("OLLAMA_HOST", &host)]);
    line(&mut chat, "Are you there?");
    testkit::wait_until("the model is asked", || server.prompts().len() == 1);
    chat.press(CTRL_X_CTRL_E);
    chat.expect("THE EDITOR IS OPEN");
    chat.press("/cancel\r.\r");
    chat.expect("[stopped]");
    chat.expect_last(PROMPT);
    line(&mut chat, "And now?");
    chat.expect("I am back.");
}
