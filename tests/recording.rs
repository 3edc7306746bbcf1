//! The recorded session of README.md: a real run at a real terminal, with a model whose words are scripted.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::fs;
use std::path::Path;

use testkit::{OllamaServer, Says, TempHome, Terminal};

/// Where the picture is.
const PICTURE: &str = "docs/src/session.svg";

/// The variable with which `cargo xtask record` has the picture written.
const RECORD: &str = "SAFECLAW_RECORD";

/// The address of a model server as people have it.
const USUAL: &str = "127.0.0.1:11434";

fn says(message: &str, actions: &str) -> Says {
    Says::text(&format!(r#"{{"message": "{message}", "actions": [{actions}]}}"#))
}

fn recorded() -> String {
    let remember =
        r#"{"name": "_MEMORY_WRITE", "params": {"new_memory": {"tea": "without sugar"}}}"#;
    let post = r#"{"name": "CREATE_POST", "params": {"platform": "X", "text": "Tea at five."}}"#;
    let model = OllamaServer::start([
        says("", remember),
        says("Noted: your tea comes without sugar.", ""),
        says("", post),
        says(
            "Nothing was sent yet: put X_TOKEN into router/.env, and I ask you before I post.",
            "",
        ),
    ]);
    let home = TempHome::new();
    // The first start offers the set-up by the path of the program, which is another one everywhere.
    home.put("workspace/agent.lock", "");
    let host = model.host();
    let mut chat = Terminal::start(
        env!("CARGO_BIN_EXE_safeclaw"),
        &[],
        home.root(),
        &[("OLLAMA_HOST", &host), ("SAFECLAW_ACTIONS", "words"), ("LANG", "C.UTF-8")],
    );
    for (line, last) in [
        ("Remember that I take my tea without sugar.", "Noted: your tea"),
        ("Post 'Tea at five.' to X.", "before I post."),
    ] {
        chat.expect_last("you>");
        chat.press(line);
        chat.press("\r");
        chat.expect(last);
    }
    chat.expect_last("you>");
    let drawn = chat.svg().replace(&host, USUAL);
    drawn.replace(&home.root().display().to_string(), "~/safeclaw")
}

#[test]
fn the_picture_in_the_readme_shows_what_a_terminal_shows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PICTURE);
    let drawn = recorded();
    #[expect(
        clippy::disallowed_methods,
        reason = "the one who runs the test says whether to write"
    )]
    let writes = std::env::var_os(RECORD).is_some();
    if writes {
        return fs::write(path, drawn).unwrap();
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == drawn,
        "{PICTURE} is out of date; `cargo xtask record` draws it again:\n{drawn}"
    );
}
