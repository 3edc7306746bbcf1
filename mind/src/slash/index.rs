//! `/index PATH public|admin`: puts a file of the owner's folder into the library.

use std::sync::Arc;

use async_trait::async_trait;
use home::{counted, nearest};
use protocol::Object;
use serde_json::{Value, json};
use session::GivenPaper;

use super::library::{ask, meaning, text};
use super::perform::{At, Perform, Read};

/// How many files are named that were not taken in.
const NAMED: usize = 10;

#[derive(Debug)]
struct Index {
    path: String,
    /// What people call it; the path itself, where a person has typed that.
    name: String,
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

/// The question for whom the paper at `path` is that a person has given under `name`.
pub(super) fn given(path: String, name: String) -> Arc<dyn Perform> {
    Arc::new(Index { path, name, wish: Wish::Ask })
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
        typed => {
            let meant = nearest(typed, ["public", "admin", "skip"]);
            let is_word = path != rest && !scope.ends_with(['"', '\'']);
            return match meant.filter(|_| is_word) {
                Some(meant) => Err(format!(
                    "{scope} is no label; did you mean {meant}? A path that ends so stands in quotes"
                )),
                None => Ok(Index::of(unquoted(rest), Wish::Ask)),
            };
        }
    };
    Ok(Index::of(unquoted(path.trim()), wish))
}

/// `path` without the quotes that stand around it.
fn unquoted(path: &str) -> String {
    let inner = |quote: char| path.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(path).to_owned()
}

#[async_trait]
impl Perform for Index {
    async fn perform(&self, mut at: At<'_>) {
        match self.wish {
            Wish::Public => self.take_in(&mut at, "PUBLISH_DOC").await,
            Wish::Admin => self.take_in(&mut at, "INDEX_DOC").await,
            Wish::Skip => {
                let papers = &at.session.papers;
                let paper = papers.iter().find(|paper| paper.path == self.path);
                let name = paper.map_or(&self.name, |paper| &paper.name);
                at.text(format!("{name} was not indexed."));
            }
            Wish::Ask => return self.wait(&mut at),
        }
        let papers = &mut at.session.papers;
        let was_next = papers.front().is_some_and(|paper| paper.path == self.path);
        papers.retain(|paper| paper.path != self.path);
        if was_next {
            ask_next(&mut at);
        }
    }

    fn told(&self, done: &Object) -> Option<String> {
        Some(told(done))
    }
}

impl Index {
    /// What a person has typed.
    fn of(path: String, wish: Wish) -> Self {
        Self { name: path.clone(), path, wish }
    }

    /// Has the person asked for whom it is, once that is known of those before it.
    fn wait(&self, at: &mut At<'_>) {
        let session = &mut at.session;
        // What else was said has ended the question, and those behind it.
        if session.papers.front().is_none_or(|paper| session.choices != choices(&paper.path)) {
            session.papers.clear();
        }
        session.papers.retain(|paper| paper.path != self.path);
        let Some(first) = session.papers.front().map(|paper| paper.name.clone()) else {
            session.papers.push_back(self.paper());
            return ask_next(at);
        };
        session.papers.push_back(self.paper());
        let Self { name, path, .. } = self;
        at.text(format!("\"{name}\" comes behind \"{first}\".\n{}", at_once(path)));
    }

    fn paper(&self) -> GivenPaper {
        GivenPaper { path: self.path.clone(), name: self.name.clone() }
    }

    /// Takes the file in by `action`, and says what has come of it.
    async fn take_in(&self, at: &mut At<'_>, action: &str) {
        let (mut sum, mut before) = (Object::new(), 0);
        loop {
            let done = match ask(at, action, json!({"path": self.path})).await {
                Ok(done) => done,
                Err(why) => {
                    if !sum.is_empty() {
                        at.text(told(&sum));
                    }
                    return at.notice(why);
                }
            };
            let (left, next) = (number(&done, "left"), number(&done, "next"));
            add(&mut sum, done);
            if left == 0 || next <= before {
                break;
            }
            at.remark(format!("{next} of {} files ...", next + left));
            before = next;
        }
        at.text(told(&sum));
        // What is new is worked on behind the answer, where an embedder is set.
        meaning(at).await;
    }
}

/// Asks for whom the next paper is, if one is left.
fn ask_next(at: &mut At<'_>) {
    let Some(GivenPaper { path, name }) = at.session.papers.front().cloned() else { return };
    at.session.choices = choices(&path);
    let whole = at_once(&path);
    at.text(format!("Label \"{name}\" as public or admin?\n{QUESTION}\n{whole}"));
}

/// How it is said without a question.
fn at_once(path: &str) -> String {
    format!("Or at once: /index {path} public, or /index {path} admin")
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

fn number(done: &Object, key: &str) -> u64 {
    done.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// Adds what one more call has come to, which saw the files of those before again.
fn add(sum: &mut Object, mut done: Object) {
    let before = number(sum, "indexed");
    done.insert("unchanged".to_owned(), number(&done, "unchanged").saturating_sub(before).into());
    for key in ["indexed", "passages"] {
        done.insert(key.to_owned(), (number(sum, key) + number(&done, key)).into());
    }
    if let (Some(Value::Array(files)), Some(Value::Array(new))) =
        (sum.remove("files"), done.get_mut("files"))
    {
        new.splice(0..0, files);
    }
    *sum = done;
}

fn told(done: &Object) -> String {
    let number = |key: &str| number(done, key);
    let list = |key: &str| {
        done.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter()
    };
    let files = counted(number("indexed"), "file");
    let mut lines = vec![format!("{files} indexed, {}", counted(number("passages"), "passage"))];
    if number("unchanged") > 0 {
        lines.push(format!("{} had not changed", number("unchanged")));
    }
    let kept = number("keep_their_label");
    if kept > 0 {
        lines
            .push(format!("{kept} had another label and kept it: name a file to change its label"));
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
        assert!(read("my notes.md publik").unwrap_err().contains("did you mean public?"));
        assert_eq!(read("\"the publik\""), right("the publik", Wish::Ask));
        for (answer, command) in choices("my notes.md") {
            let rest = command.strip_prefix("/index ").unwrap();
            assert_ne!(index(rest).unwrap().wish, Wish::Ask, "{answer}");
        }
    }

    #[test]
    fn what_several_calls_have_come_to_is_one_sum() {
        let mut sum = Object::new();
        for done in [
            json!({"indexed": 1, "passages": 4, "unchanged": 7, "left": 3, "next": 9, "files": [{"name": "a"}]}),
            json!({"indexed": 2, "passages": 1, "unchanged": 8, "left": 0, "next": 12, "files": [{"name": "b"}]}),
        ] {
            add(&mut sum, done.as_object().unwrap().clone());
        }
        let counts = ["indexed", "passages", "unchanged", "left"].map(|key| number(&sum, key));
        assert_eq!(counts, [3, 5, 7, 0]);
        assert_eq!(sum["files"], json!([{"name": "a"}, {"name": "b"}]));
    }

    #[test]
    fn what_went_in_and_what_did_not_is_told() {
        let done = json!({
            "indexed": 1, "passages": 4, "unchanged": 2, "keep_their_label": 1, "left": 3,
            "files": [{"name": "a.pdf", "notes": ["9 characters of hidden text were left out"]}],
            "failed": [{"name": "b.pdf", "why": "the file is encrypted"}],
        });
        assert_eq!(
            told(done.as_object().unwrap()),
            "1 file indexed, 4 passages\n2 had not changed\n\
             1 had another label and kept it: name a file to change its label\na.pdf: 9 characters of hidden text were left out\n\
             b.pdf: the file is encrypted\n3 are left: say the same again to go on"
        );
    }
}
