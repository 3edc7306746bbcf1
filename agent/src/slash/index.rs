//! `/index PATH public|admin`: puts a file of the owner's folder into the library.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Object;
use serde_json::{Value, json};

use super::library::{ask, text};
use super::perform::{At, Perform, Read};

/// How many files are named that were not taken in.
const NAMED: usize = 10;

#[derive(Debug)]
struct Index {
    path: String,
    is_public: bool,
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(index(rest.trim())?))
}

/// A path, and behind it for whom. A path may hold spaces.
fn index(rest: &str) -> Result<Index, String> {
    let (path, scope) = rest.rsplit_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_public = match scope.to_ascii_lowercase().as_str() {
        "public" | "kb" => true,
        "admin" => false,
        _ if rest.is_empty() => {
            return Err("say what to index and for whom: /index PATH public|admin".to_owned());
        }
        _ => {
            return Err(format!(
                "label it as public or admin: /index {rest} public for everybody who talks with me, \
                 /index {rest} admin for you alone"
            ));
        }
    };
    Ok(Index { path: path.trim().to_owned(), is_public })
}

#[async_trait]
impl Perform for Index {
    async fn perform(&self, mut at: At<'_>) {
        let action = if self.is_public { "PUBLISH_DOC" } else { "INDEX_DOC" };
        match ask(&mut at, action, json!({"path": self.path})).await {
            Ok(done) => at.text(told(&done)),
            Err(why) => at.notice(why),
        }
    }
}

fn told(done: &Object) -> String {
    let number = |key: &str| done.get(key).and_then(Value::as_u64).unwrap_or(0);
    let list = |key: &str| {
        done.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter()
    };
    let mut lines =
        vec![format!("{} files indexed, {} passages", number("indexed"), number("passages"))];
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
        let read = |rest: &str| index(rest).map(|index| (index.path, index.is_public));
        assert_eq!(read("my notes.md public"), Ok(("my notes.md".to_owned(), true)));
        assert_eq!(read("a.pdf KB"), Ok(("a.pdf".to_owned(), true)));
        assert_eq!(read("a.pdf admin"), Ok(("a.pdf".to_owned(), false)));
        assert!(read("a.pdf").unwrap_err().contains("/index a.pdf public"));
        assert!(read("").unwrap_err().contains("/index PATH"));
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
            "1 files indexed, 4 passages\n2 had not changed\na.pdf: 9 characters of hidden text were left out\n\
             b.pdf: the file is encrypted\n3 are left: say the same again to go on"
        );
    }
}
