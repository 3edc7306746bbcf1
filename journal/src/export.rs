//! A journal written down for other programs and people.

use std::fmt::Write as _;

use jiff::Timestamp;
use protocol::Millis;
use serde_json::json;

use crate::{JournalEvent, Role};

/// How a conversation is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people and programs alike.
    Markdown,
    /// For a browser.
    Html,
    /// For programs.
    Json,
}

impl Form {
    /// The one with this name, whatever its case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" => Some(Self::Html),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The end of a file's name.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Json => "json",
        }
    }

    /// All that was said and done in a conversation with this title.
    #[must_use]
    pub fn write(self, title: &str, events: &[JournalEvent]) -> String {
        match self {
            Self::Markdown => markdown(title, events),
            Self::Html => html(title, events),
            Self::Json => json(title, events),
        }
    }
}

/// Who has said it, for people.
fn speaker(event: &JournalEvent) -> &str {
    match event.role {
        Role::User => "You",
        Role::Assistant => "SafeClaw",
        Role::Action => "Action",
        Role::Clock => "Clock",
        Role::Persona | Role::Program if !event.from.is_empty() => &event.from,
        Role::Persona => "Persona",
        Role::Program => "Program",
        Role::Clear => "",
    }
}

fn time(at: Millis) -> String {
    let at = i64::try_from(at.0).ok().and_then(|at| Timestamp::from_millisecond(at).ok());
    at.unwrap_or_default().strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn said(events: &[JournalEvent]) -> impl Iterator<Item = &JournalEvent> {
    events.iter().filter(|event| event.role != Role::Clear)
}

fn markdown(title: &str, events: &[JournalEvent]) -> String {
    let mut text = format!("# {}\n", title);
    for event in said(events) {
        // A line of a message that looks like a heading of this file is quoted.
        let words = event.text.replace("\n### ", "\n\\### ");
        // Writing to a String can't fail.
        let _ =
            write!(text, "\n### {}, {}\n\n{}\n", speaker(event), time(event.at), words.trim_end());
    }
    text
}

fn html(title: &str, events: &[JournalEvent]) -> String {
    let title = escaped(title);
    let mut text = format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>body{{max-width:45em;margin:2em auto;padding:0 1em;\
         font-family:sans-serif;line-height:1.5}}p{{white-space:pre-wrap;overflow-wrap:anywhere}}h2{{font-size:1em;margin:2em 0 0}}\
         </style>\n<h1>{title}</h1>\n"
    );
    for event in said(events) {
        let (who, words) = (escaped(speaker(event)), escaped(event.text.trim_end()));
        let _ = write!(text, "<h2>{who}, {}</h2>\n<p>{words}</p>\n", time(event.at));
    }
    text
}

fn json(title: &str, events: &[JournalEvent]) -> String {
    let events: Vec<&JournalEvent> = said(events).collect();
    format!("{:#}\n", json!({ "title": title, "events": events }))
}

/// A text in which a browser sees nothing but text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use protocol::Taint;

    use super::*;

    fn events() -> Vec<JournalEvent> {
        let event = |role, text: &str| JournalEvent {
            at: Millis(1_700_000_000_000),
            role,
            from: String::new(),
            text: text.to_owned(),
            bits: Taint::CLEAN,
        };
        vec![
            event(Role::User, "hi <b>"),
            event(Role::Clear, ""),
            event(Role::Assistant, "well\n### You, now\n<script>alert(1)</script>"),
        ]
    }

    #[test]
    fn a_conversation_is_written_in_three_forms() {
        insta::assert_snapshot!(markdown("hi <b>", &events()), @r"
        # hi <b>

        ### You, 2023-11-14 22:13:20 UTC

        hi <b>

        ### SafeClaw, 2023-11-14 22:13:20 UTC

        well
        \### You, now
        <script>alert(1)</script>
        ");
        let html = html("hi <b>", &events());
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
        let value: serde_json::Value = serde_json::from_str(&json("hi <b>", &events())).unwrap();
        assert_eq!(value["events"].as_array().unwrap().len(), 2);
    }
}
