//! `/help`: the commands that one may use here, by what they are about, and what each of them does.

use std::fmt::Write;
use std::sync::Arc;

use async_trait::async_trait;

use super::command::is_for_customers;
use super::perform::{At, Perform, Read};
use super::table::{SlashEntry, TABLE, Who};

/// What commands are about, and their names in the order in which they are shown.
const TOPICS: &[(&str, &[&str])] = &[
    ("Conversations", &["/new", "/sessions", "/open", "/rename", "/delete", "/export", "/clear"]),
    ("What it does", &["/actions", "/skills", "/run", "/cancel", "/stop", "/last", "/did", "/log"]),
    ("Your yes", &["/approvals", "/approve", "/deny", "/unlock", "/grants", "/net"]),
    ("Memory", &["/memory", "/remember", "/forget"]),
    ("Papers", &["/index", "/search", "/ask", "/docs"]),
    ("The clock", &["/remind", "/cron", "/watch", "/jobs"]),
    ("This machine", &["/work", "/plan", "/undo", "/exec", "/read"]),
    ("Who thinks", &["/model", "/agents", "/agent", "/storm"]),
    ("Other people", &["/pair", "/unpair", "/mode", "/business", "/reply"]),
    ("Settings", &["/status", "/sets", "/web", "/help", "/start"]),
];

/// What is to be shown.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    /// The names of all commands.
    Names,
    /// All commands with what they do.
    All,
    /// Those that have to do with these words.
    About(String),
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(match rest.trim() {
        "" => Wanted::Names,
        "all" => Wanted::All,
        words => Wanted::About(words.to_lowercase()),
    }))
}

#[async_trait]
impl Perform for Wanted {
    async fn perform(&self, at: At<'_>) {
        let reader = match at.session.is_owners() {
            true => Reader::Owner,
            false if at.mind.reception.is_customer(&at.session.key) => Reader::Customer,
            false => Reader::Guest,
        };
        at.text(match self {
            Self::Names => names(reader),
            Self::All => all(reader),
            Self::About(words) => about(words, reader),
        });
    }
}

/// Who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Owner,
    Guest,
    Customer,
}

/// The lines of the commands that whoever reads them may use.
fn usable(reader: Reader) -> impl Iterator<Item = &'static SlashEntry> {
    TABLE.iter().filter(move |entry| match reader {
        Reader::Owner => true,
        Reader::Guest => entry.who == Who::Everyone,
        Reader::Customer => is_for_customers(entry.name()),
    })
}

/// The topics with those of their commands that one may use; none is empty.
fn topics(reader: Reader) -> Vec<(&'static str, Vec<&'static str>)> {
    let may = |name: &str| usable(reader).any(|entry| entry.name() == name);
    let own = |names: &[&'static str]| names.iter().copied().filter(|name| may(name)).collect();
    let all = TOPICS.iter().map(|(topic, names)| (*topic, own(names)));
    all.filter(|(_, names): &(_, Vec<_>)| !names.is_empty()).collect()
}

fn names(reader: Reader) -> String {
    let mut text = String::from("Say what you want in your own words, or use a command:\n");
    for (topic, names) in topics(reader) {
        // Writing to a String can't fail.
        let _ = writeln!(text, "  {topic:<15} {}", names.join(" "));
    }
    text.push_str("/help COMMAND explains one, such as /help cancel; /help all explains all.\n");
    text.push_str(ends(reader));
    text.trim_end().to_owned()
}

fn all(reader: Reader) -> String {
    let mut text = String::new();
    for (topic, names) in topics(reader) {
        let _ = writeln!(text, "{topic}");
        for name in names {
            lines(&mut text, usable(reader).filter(|entry| entry.name() == name));
        }
    }
    text.push_str(ends(reader));
    text.trim_end().to_owned()
}

/// The commands of this name or topic; where there is none, those with the words in what they do.
fn about(words: &str, reader: Reader) -> String {
    let word = words.trim_start_matches('/');
    let of_topic = |entry: &&SlashEntry| {
        TOPICS
            .iter()
            .any(|(topic, names)| topic.to_lowercase() == word && names.contains(&entry.name()))
    };
    let named = |entry: &&SlashEntry| &entry.name()[1..] == word || of_topic(entry);
    let says = |entry: &&SlashEntry| {
        entry.name().contains(word) || entry.about.to_lowercase().contains(word)
    };
    let mut text = String::new();
    lines(&mut text, usable(reader).filter(named));
    if text.is_empty() {
        lines(&mut text, usable(reader).filter(says));
    }
    if text.is_empty() && ["edit", "quit", "exit", "q"].contains(&word) {
        return ends(reader).to_owned();
    }
    if text.is_empty() {
        return format!("No command has to do with {words:?}; /help shows all of them.");
    }
    text.trim_end().to_owned()
}

fn lines(text: &mut String, entries: impl Iterator<Item = &'static SlashEntry>) {
    for entry in entries {
        let _ = writeln!(text, "  {:<22} {}", entry.usage, entry.about);
    }
}

fn ends(reader: Reader) -> &'static str {
    match reader {
        Reader::Owner => {
            "At the console Ctrl-C stops an answer, /edit opens your editor for a message, and /quit ends the chat."
        }
        Reader::Guest => "What else there is, only the owner may use.",
        Reader::Customer => "",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_has_one_topic() {
        let in_topics: Vec<&str> = TOPICS.iter().flat_map(|(_, names)| *names).copied().collect();
        let once: BTreeSet<&str> = in_topics.iter().copied().collect();
        assert_eq!(once.len(), in_topics.len(), "a command has two topics");
        assert_eq!(once, TABLE.iter().map(SlashEntry::name).collect());
    }

    #[test]
    fn a_command_a_topic_or_a_word_is_explained() {
        assert!(about("cancel", Reader::Owner).starts_with("  /cancel "));
        assert!(about("/cancel", Reader::Owner).ends_with("a job of the clock"));
        assert!(about("the clock", Reader::Owner).contains("/watch PATTERN"));
        assert!(about("browser", Reader::Owner).contains("/web"), "by what it does");
        assert!(about("sets", Reader::Guest).starts_with("No command has to do with"));
    }

    #[test]
    fn guests_see_what_they_may_use() {
        assert!(
            names(Reader::Owner).contains("/remind") && all(Reader::Owner).contains("/remind SPAN")
        );
        assert!(
            !names(Reader::Guest).contains("/remind")
                && !all(Reader::Guest).contains("/remind SPAN")
        );
        let customers = all(Reader::Customer);
        assert!(
            customers.contains("/ask QUESTION") && customers.contains("/skills"),
            "{customers}"
        );
        assert!(!customers.contains("/run") && !customers.contains("/sessions"), "{customers}");
    }
}
