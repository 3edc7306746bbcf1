//! `/index PATH public|admin`: puts a file of the owner's folder into the library.

use std::sync::Arc;

use async_trait::async_trait;
use home::counted;
use protocol::Object;
use serde_json::{Value, json};

use super::library::{ask, meaning, text};
use super::perform::{At, Perform, Read};

/// How many files are named that were not taken in.
const NAMED: usize = 10;

#[derive(Debug)]
struct Index {
    path: String,
    wish: Wish,
}

/// For whom a file is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Public,
    Admin,
    /// For nobody: a person has thought better of it.
    Skip,
    /// Nobody has said.
    Ask,
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(index(rest.trim())?))
}

/// A path, and behind it for whom. A path may hold spaces.
fn index(rest: &str) -> Result<Index, String> {
    let (path, scope) = rest.rsplit_once(char::is_whitespace).unwrap_or((rest, ""));
    let wish = match scope.to_ascii_lowercase().as_str() {
        "public" | "kb" => Wish::Public,
        "admin" => Wish::Admin,
        "skip" => Wish::Skip,
        _ if rest.is_empty() => {
            return Err("say what to index and for whom: /index PATH public|admin".to_owned());
        }
        _ => return Ok(Index { path: unquoted(rest), wish: Wish::Ask }),
    };
    Ok(Index { path: unquoted(path.trim()), wish })
}

/// `path` without the quotes that stand around it.
fn unquoted(path: &str) -> String {
    let inner = |quote: char| path.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(path).to_owned()
}

#[async_trait]
impl Perform for Index {
    async fn perform(&self, mut at: At<'_>) {
        let action = match self.wish {
            Wish::Public => "PUBLISH_DOC",
            Wish::Admin => "INDEX_DOC",
            Wish::Skip => return at.text(format!("{} was not indexed.", self.path)),
            Wish::Ask => {
                at.session.choices = choices(&self.path);
                let path = &self.path;
                let whole = format!("Or at once: /index {path} public, or /index {path} admin");
                return at.text(format!("Label {path} as public or admin?\n{QUESTION}\n{whole}"));
            }
        };
        match ask(&mut at, action, json!({"path": self.path})).await {
            Ok(done) => at.text(told(&done)),
            Err(why) => return at.notice(why),
        }
        // What is new is worked on behind the answer, where an embedder is set.
        meaning(&at).await;
    }

    fn told(&self, done: &Object) -> Option<String> {
        Some(told(done))
    }
}

/// What the answers to the question for whom are.
const QUESTION: &str =
    "1 public: everybody who talks with me may see it\n2 admin: you alone\n3 skip";

/// The answers to that question, each with the command that it stands for.
fn choices(path: &str) -> Vec<(String, String)> {
    let labels = ["public", "admin", "skip"].into_iter().enumerate();
    let choice = |(at, label): (usize, &str)| {
        let command = format!("/index {path} {label}");
        [((at + 1).to_string(), command.clone()), (label.to_owned(), command)]
    };
    labels.flat_map(choice).collect()
}

fn told(done: &Object) -> String {
    let number = |key: &str| done.get(key).and_then(Value::as_u64).unwrap_or(0);
    let list = |key: &str| {
        done.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter()
    };
    let files = counted(number("indexed"), "file");
    let mut lines = vec![format!("{files} indexed, {}", counted(number("passages"), "passage"))];
    if number("unchanged") > 0 {
        lines.push(format!("{} had not changed", number("unchanged")));
    }
    for file in list("files") {
        let notes = file.get("notes").and_then(Value::as_array).into_iter().flatten();
        let name = text(file, "name");
        lines.extend(notes.filter_map(Value::as_str).map(|note| format!("{name}: {note}")));
    }
    let failed = list("failed").take(NAMED);
    lines.extend(failed.map(|file| format!("{}: {}", text(file, "name"), text(file, "why"))));
    if number("left") > 0 {
        lines.push(format!("{} are left: say the same again to go on", number("left")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_for_whom_are_read() {
        let read = |rest: &str| index(rest).map(|index| (index.path, index.wish));
        let right = |path: &str, wish| Ok((path.to_owned(), wish));
        assert_eq!(read("my notes.md public"), right("my notes.md", Wish::Public));
        assert_eq!(read("a.pdf KB"), right("a.pdf", Wish::Public));
        assert_eq!(read("a.pdf admin"), right("a.pdf", Wish::Admin));
        assert_eq!(read("a.pdf"), right("a.pdf", Wish::Ask));
        assert_eq!(read("my notes.md"), right("my notes.md", Wish::Ask));
        assert!(read("").unwrap_err().contains("/index PATH"));
        for (answer, command) in choices("my notes.md") {
            let rest = command.strip_prefix("/index ").unwrap();
            assert_ne!(index(rest).unwrap().wish, Wish::Ask, "{answer}");
        }
    }

    #[test]
    fn what_went_in_and_what_did_not_is_told() {
        let done = json!({
            "indexed": 1, "passages": 4, "unchanged": 2, "left": 3,
            "files": [{"name": "a.pdf", "notes": ["9 characters of hidden text were left out"]}],
            "failed": [{"name": "b.pdf", "why": "the file is encrypted"}],
        });
        assert_eq!(
            told(done.as_object().unwrap()),
            "1 file indexed, 4 passages\n2 had not changed\na.pdf: 9 characters of hidden text were left out\n\
             b.pdf: the file is encrypted\n3 are left: say the same again to go on"
        );
    }
}
