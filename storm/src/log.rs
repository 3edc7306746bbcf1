//! What was said: `<id>.log.md`, a tag for the session with a title, and a tag with a heading for each message.
//!
//! Messages are only ever added behind what stands there, so a log that people have edited stays as they left it.

use std::fmt;

use crate::escape::{escaped, escaped_tags, unescaped, unescaped_tags};
use crate::segment::{Properties, Segment};
use crate::stamp::Stamp;

/// A log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// When it began, if it says so.
    pub created: Option<Stamp>,
    /// What it is, in a line, if it says so.
    pub description: Option<String>,
    /// What stands below the tag of the session: `# Title`.
    pub heading: String,
    /// What was said, in its order.
    pub entries: Vec<Entry>,
}

/// One piece of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Something that was said.
    Message(Message),
    /// Something that can't be read as a message. It is kept as it stands, and nobody hears it.
    Raw(String),
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who: the name of an agent, or `user`.
    pub from: String,
    /// When.
    pub at: Stamp,
    /// The words, without the speaker's name before them.
    pub text: String,
}

/// What is wrong with a piece of a log that is kept as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line of its tag, from 1 on.
    pub line: usize,
    /// What is wrong, for people.
    pub why: &'static str,
}

/// Why a text is no log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// There is text, and no tag in it.
    #[error(
        "it has no line such as <aistorm type=\"session\" created=\"2025-03-01T15:00:00\" /> at its top"
    )]
    NoTag,
}

impl Log {
    /// A log in which nothing was said yet.
    #[must_use]
    pub fn new(created: Stamp, title: &str) -> Self {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            created: Some(created),
            description: Some(title.clone()),
            heading: format!("# {title}"),
            entries: Vec::new(),
        }
    }

    /// Reads a log, and says which pieces of it can't be read.
    ///
    /// # Errors
    /// [`LogError`] when it is no log at all. An empty file is one in which nothing was said.
    pub fn read(text: &str) -> Result<(Self, Vec<Warning>), LogError> {
        let segments = Segment::all(text);
        if segments.is_empty() && !text.trim().is_empty() {
            return Err(LogError::NoTag);
        }
        let (mut log, mut warnings) = (Self::default(), Vec::new());
        for segment in &segments {
            log.add(segment, &mut warnings);
        }
        Ok((log, warnings))
    }

    /// Takes in one piece of a file.
    pub(crate) fn add(&mut self, segment: &Segment<'_>, warnings: &mut Vec<Warning>) {
        if segment.kind() == Some("session") && self.is_untouched() {
            self.created = segment.properties.get("created").and_then(Stamp::read);
            self.description = segment.properties.get("description").map(str::to_owned);
            self.heading = unescaped_tags(segment.text());
            return;
        }
        self.entries.push(match Message::of(segment) {
            Ok(message) => Entry::Message(message),
            Err(why) => {
                warnings.push(Warning { line: segment.line, why });
                Entry::Raw(segment.raw.trim_end().to_owned())
            }
        });
    }

    fn is_untouched(&self) -> bool {
        self.created.is_none() && self.heading.is_empty() && self.entries.is_empty()
    }

    /// The messages, in their order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Message(message) => Some(message),
            Entry::Raw(_) => None,
        })
    }

    /// The whole file.
    #[must_use]
    pub fn write(&self) -> String {
        let mut tag = Properties::default().with("type", "session");
        if let Some(created) = self.created {
            tag.set("created", created.to_string());
        }
        if let Some(description) = &self.description {
            tag.set("description", description);
        }
        let mut out = format!("{tag}\n");
        if !self.heading.is_empty() {
            out.push_str(&format!("\n{}\n", escaped_tags(&self.heading)));
        }
        for entry in &self.entries {
            match entry {
                Entry::Message(message) => out.push_str(&format!("\n{}", message.written("\n"))),
                Entry::Raw(raw) => out.push_str(&format!("\n{raw}\n")),
            }
        }
        out
    }
}

impl Message {
    /// The message that a piece of a file is.
    fn of(segment: &Segment<'_>) -> Result<Self, &'static str> {
        if segment.kind() != Some("message") {
            return Err("this is no message");
        }
        let from = segment.properties.get("from").map(str::trim).filter(|from| !from.is_empty());
        let from = from.ok_or("the message has no sender (from)")?.to_owned();
        let at =
            segment.properties.get("timestamp").ok_or("the message has no time (timestamp)")?;
        let at = Stamp::read(at).ok_or("the message's time is none in UTC")?;
        let body = segment.text();
        // Without a heading the whole is what was said.
        let text = match body.strip_prefix(heading(&from).as_str()) {
            Some(text) if text.is_empty() || text.starts_with(segment.newline) => {
                segment.after_newlines(text, 2)
            }
            _ => body,
        };
        Ok(Self { from, at, text: unescaped(text) })
    }

    /// What is added behind `file`, a log, when this is said.
    #[must_use]
    pub fn behind(&self, file: &str) -> String {
        // Each piece is read with the ends of lines that its tag has, and the one before ends where this begins.
        let newline = if is_crlf(file) { "\r\n" } else { "\n" };
        let end = if file.is_empty() || file.ends_with('\n') { "" } else { newline };
        let blank = if file.is_empty() { "" } else { newline };
        format!("{end}{blank}{}", self.written(newline))
    }

    fn written(&self, newline: &str) -> String {
        let tag = Properties::default()
            .with("type", "message")
            .with("from", self.from.as_str())
            .with("timestamp", self.at.to_string());
        let (heading, text) = (heading(&self.from), escaped(&self.text));
        format!("{tag}{newline}{newline}{heading}{newline}{newline}{text}{newline}")
    }
}

/// The line that says in the Markdown who speaks.
fn heading(from: &str) -> String {
    let from: String = from.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("## [{from}]:")
}

/// Whether the last piece of `file` ends its lines as Windows does.
fn is_crlf(file: &str) -> bool {
    let tag = file.rfind("\n<aistorm").map_or(file, |at| &file[at + 1..]);
    tag.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n"))
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}: {}; it is kept as it stands, and no agent hears it",
            self.line, self.why
        )
    }
}

#[cfg(test)]
mod tests;
