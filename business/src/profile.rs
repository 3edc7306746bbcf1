//! `business.json`: what the owner says of the business.

use std::collections::BTreeSet;

use document::Document;
use serde::{Deserialize, Serialize};
use url::Url;

use super::escalation::{self, HANDED_OVER};

/// How long the file may be, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A business.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// Its name; without one there is no business.
    pub name: String,
    /// What a customer hears first.
    pub greeting: String,
    /// What customers are answered about; without any, about all that the business allows.
    pub topics: Vec<Topic>,
    /// What holds for every answer.
    pub rules: Vec<String>,
    /// Pages that may be read and cited.
    pub allowed_urls: Vec<Page>,
    /// When a person is called, and where.
    pub escalation: Calls,
}

/// Something that customers ask about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Topic {
    /// What it is called.
    pub name: String,
    /// What belongs to it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether a person answers it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub escalate: bool,
}

/// A page: its address alone, or with what it is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Page {
    /// Its address.
    Address(String),
    /// Its address with a label.
    Labelled {
        /// What it is called.
        label: String,
        /// Its address.
        url: String,
    },
}

/// When a person is called, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Calls {
    /// The chat that is told; without one, the owner's own conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_chat: Option<String>,
    /// The words that call a person at once.
    pub escalate_keywords: BTreeSet<String>,
    /// What a customer hears whose question is passed on, and what a model says that passes one on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sentence: String,
}

impl Page {
    /// The page that a person has typed: `https://acme.com/pricing`, or `Pricing https://acme.com/pricing`.
    ///
    /// # Errors
    /// Words that say what is right.
    pub fn read(text: &str) -> Result<Self, String> {
        let (label, address) = match text.trim().rsplit_once(char::is_whitespace) {
            Some((label, address)) => (label.trim(), address),
            None => ("", text.trim()),
        };
        if address_of(address).is_none() {
            return Err(format!(
                "{address:?} is no address; write one such as https://acme.com/pricing"
            ));
        }
        let url = address.to_owned();
        Ok(match label {
            "" => Self::Address(url),
            label => Self::Labelled { label: label.to_owned(), url },
        })
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> &str {
        match self {
            Self::Address(url) | Self::Labelled { url, .. } => url,
        }
    }

    /// What it is called, if that was said.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        match self {
            Self::Address(_) => None,
            Self::Labelled { label, .. } => Some(label),
        }
    }
}

fn address_of(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    (matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain).then_some(url)
}

impl Profile {
    /// Whether there is a business.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !self.name.trim().is_empty()
    }

    /// What a customer hears whose question is passed on.
    #[must_use]
    pub fn handed_over(&self) -> &str {
        Some(self.escalation.sentence.trim()).filter(|own| !own.is_empty()).unwrap_or(HANDED_OVER)
    }

    /// Whether a model's answer says that the question is passed on.
    #[must_use]
    pub fn hands_over(&self, said: &str) -> bool {
        escalation::holds(said, self.handed_over())
    }

    /// Whether the page at this address may be read for customers: it is one of those that are allowed, to the letter, but for
    /// the place on the page.
    #[must_use]
    pub fn allows(&self, address: &str) -> bool {
        let plain = |text: &str| {
            address_of(text).map(|mut url| {
                url.set_fragment(None);
                url
            })
        };
        let asked = plain(address);
        asked.is_some() && self.allowed_urls.iter().any(|page| plain(page.url()) == asked)
    }

    /// All of it, for its owner.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut lines = vec![format!("name: {}", self.name)];
        if !self.greeting.is_empty() {
            lines.push(format!("greeting: {}", self.greeting));
        }
        lines.extend(self.topics.iter().enumerate().map(|(at, topic)| {
            let about = if topic.description.is_empty() { "" } else { ": " };
            let person = if topic.escalate { " (a person answers)" } else { "" };
            format!("topic {}. {}{about}{}{person}", at + 1, topic.name, topic.description)
        }));
        lines.extend(self.rules.iter().map(|rule| format!("rule: {rule}")));
        lines.extend(self.allowed_urls.iter().map(|page| match page.label() {
            Some(label) => format!("page: {label} {}", page.url()),
            None => format!("page: {}", page.url()),
        }));
        let words: Vec<&str> =
            self.escalation.escalate_keywords.iter().map(String::as_str).collect();
        lines.push(match words.as_slice() {
            [] => "words that call a person: none; the model decides".to_owned(),
            words => format!("words that call a person: {}", words.join(", ")),
        });
        if self.handed_over() != HANDED_OVER {
            lines.push(format!("what is said when a person is called: {}", self.handed_over()));
        }
        lines.push(match &self.escalation.admin_chat {
            Some(chat) => format!("who is told: {chat}"),
            None => "who is told: you, in your own conversation".to_owned(),
        });
        lines.join("\n")
    }
}

impl Document for Profile {
    const LIMIT: u64 = LONGEST;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        // A list would fill the fields in their order.
        let object: protocol::Object = document::json(text)?;
        let read = serde_json::from_value(object.into());
        let profile: Self = read.map_err(|error| error.to_string())?;
        match profile.allowed_urls.iter().find(|page| address_of(page.url()).is_none()) {
            Some(page) => Err(format!("allowed_urls: {:?} is no address", page.url())),
            None => Ok(profile),
        }
    }

    fn to_text(&self) -> String {
        document::pretty(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_own_form_is_read() {
        let text = r#"{"name": "Acme Support", "greeting": "Hi!", "topics": [{"name": "Pricing", "description": "Plans"},
            {"name": "Returns", "escalate": true}], "rules": ["Always respond in English"],
            "allowed_urls": [{"label": "Pricing", "url": "https://acme.com/pricing"}, "https://acme.com/faq"],
            "escalation": {"admin_chat": "telegram-12345", "escalate_keywords": ["refund", "human"]}}"#;
        let profile = Profile::from_text(text, &mut Vec::new()).unwrap();
        assert_eq!(Profile::from_text(&profile.to_text(), &mut Vec::new()), Ok(profile.clone()));
        insta::assert_snapshot!(profile.shown(), @r"
        name: Acme Support
        greeting: Hi!
        topic 1. Pricing: Plans
        topic 2. Returns (a person answers)
        rule: Always respond in English
        page: Pricing https://acme.com/pricing
        page: https://acme.com/faq
        words that call a person: human, refund
        who is told: telegram-12345
        ");
        for wrong in ["", "[]", "{\"nmae\": \"x\"}", "{\"allowed_urls\": [\"file:///etc/passwd\"]}"]
        {
            assert!(Profile::from_text(wrong, &mut Vec::new()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_page_is_allowed_to_the_letter() {
        let pages = ["https://acme.com/faq", "Prices http://acme.com/p?x=1"];
        let allowed_urls = pages.iter().map(|page| Page::read(page).unwrap()).collect();
        let profile = Profile { allowed_urls, ..Profile::default() };
        for right in
            ["https://acme.com/faq", "https://ACME.com:443/faq#top", "http://acme.com/p?x=1"]
        {
            assert!(profile.allows(right), "{right}");
        }
        for wrong in [
            "https://acme.com/faq/",
            "https://acme.com/faq?leak=secret",
            "https://acme.com.evil.example/faq",
            "https://user@acme.com/faq",
            "http://acme.com/faq",
            "file:///etc/passwd",
            "",
        ] {
            assert!(!profile.allows(wrong), "{wrong}");
        }
        assert!(Page::read("ftp://x").is_err() && Page::read("Pricing").is_err());
    }
}
