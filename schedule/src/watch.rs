//! A watch: a job that looks first, and says something only when what it sees has changed.

use protocol::{ActionName, Object, Taint};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use answer::sanitize::one_line;

/// How much of what was seen is kept, in characters.
const KEPT: usize = 20_000;

/// How many changed lines are told, and how much of each, in characters.
const LINES: usize = 12;
const LINE: usize = 200;

/// What a job looks at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// The action that brings it.
    pub action: ActionName,
    /// Its parameters.
    #[serde(default)]
    pub params: Object,
    /// Under which condition a change is told; each is told without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_when: Option<String>,
    /// What was seen last.
    #[serde(default)]
    pub seen: String,
    /// Why the latest look brought nothing, if it did not. People have heard of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What is to be told and may not have been yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub news: Option<String>,
    /// The trust bits of what is told so.
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    pub brings: Taint,
}

/// What a look has brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The same as before.
    None,
    /// Lines that went, behind `- `, and lines that came, behind `+ `.
    Changed(String),
    /// Nothing, for this reason, for the first time.
    Failed(String),
}

impl Watch {
    /// A watch on what `action` brings with `params`, of which `seen` is what it brings now.
    #[must_use]
    pub fn new(action: ActionName, params: Object, only_when: Option<String>, seen: &str) -> Self {
        let (seen, brings) = (kept(seen), Taint::CLEAN);
        Self { action, params, only_when, seen, failed: None, news: None, brings }
    }

    /// What is looked at, on one line for people.
    #[must_use]
    pub fn what(&self) -> String {
        let shown = |value: &Value| match value {
            Value::String(text) => one_line(text),
            other => other.to_string(),
        };
        let params: Vec<String> = self.params.values().map(shown).collect();
        let condition =
            self.only_when.as_ref().map(|when| format!(", only when {}", one_line(when)));
        let words = std::iter::once(self.action.to_string()).chain(params).collect::<Vec<_>>();
        words.join(" ") + &condition.unwrap_or_default()
    }

    /// Takes in what a look has brought, or why it brought nothing.
    pub fn takes(&mut self, looked: Result<&str, String>) -> News {
        match looked {
            Ok(seen) => {
                self.failed = None;
                let before = std::mem::replace(&mut self.seen, kept(seen));
                match changes(&before, &self.seen) {
                    lines if lines.is_empty() => News::None,
                    lines => News::Changed(lines),
                }
            }
            Err(_) if self.failed.is_some() => News::None,
            Err(why) => {
                self.failed = Some(why.clone());
                News::Failed(why)
            }
        }
    }
}

/// As much of a text as is compared. What is cut off is no change.
fn kept(text: &str) -> String {
    text.trim_end().chars().take(KEPT).collect()
}

/// The lines that went and came; nothing where only white space has changed.
fn changes(before: &str, after: &str) -> String {
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(one_line).filter(|line| !line.is_empty()).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.iter().map(String::as_str).collect(), after.iter().map(String::as_str).collect());
    let diff = TextDiff::from_slices(&before, &after);
    let mut changed = Vec::new();
    for change in diff.iter_all_changes() {
        let mark = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let line: String = change.value().chars().take(LINE).collect();
        let cut = if line.len() < change.value().len() { "…" } else { "" };
        changed.push(format!("{mark} {line}{cut}"));
    }
    let more = changed.len().saturating_sub(LINES);
    changed.truncate(LINES);
    if more > 0 {
        changed.push(format!("and {more} more changed lines"));
    }
    changed.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(seen: &str) -> Watch {
        Watch::new(ActionName::new("WEB_FETCH").unwrap(), Object::new(), None, seen)
    }

    #[test]
    fn only_a_change_is_news_and_a_failure_is_once() {
        let mut watch = watch("Shoes\n10 €\nin stock");
        assert_eq!(watch.takes(Ok("Shoes\n\n  10 €\nin stock")), News::None);
        let change = News::Changed("- 10 €\n+ 9 €".to_owned());
        assert_eq!(watch.takes(Ok("Shoes\n9 €\nin stock")), change);
        assert_eq!(watch.takes(Ok("Shoes\n9 €\nin stock")), News::None);
        let gone = || Err("no route".to_owned());
        assert_eq!(watch.takes(gone()), News::Failed("no route".to_owned()));
        assert_eq!(watch.takes(gone()), News::None);
        assert_eq!(watch.takes(Ok("Shoes\n9 €\nin stock")), News::None);
        assert_eq!(watch.takes(gone()), News::Failed("no route".to_owned()));
    }

    #[test]
    fn a_page_that_changes_everywhere_is_told_in_short() {
        let page = |word: &str| (0..400).map(|n| format!("{word} {n}\n")).collect::<String>();
        let mut watch = watch(&page("old"));
        let News::Changed(told) = watch.takes(Ok(&page("new"))) else { panic!("it has changed") };
        assert_eq!(told.lines().count(), LINES + 1);
        assert!(told.ends_with("and 788 more changed lines"), "{told}");
        let long = "x".repeat(KEPT);
        watch.takes(Ok(&long));
        assert_eq!(watch.takes(Ok(&format!("{long} and more"))), News::None);
    }
}
