//! What has come into the conversation, kept beside it: as long as a text is there, so is the word on it.

use std::collections::VecDeque;

use document::Json;
use protocol::{Millis, SAID_LONGEST, TYPED_LONGEST, TYPED_MOST, Taint};
use serde::{Deserialize, Serialize};

/// How many sources of others' text are named; who reads more than that?
const SOURCES: usize = 8;

/// How long the name of a source may be, in characters.
const SOURCE: usize = 200;

/// How much of a message is kept beside the conversation while it is being answered, in characters.
const ANSWERING_LONGEST: usize = 20_000;

/// What has come into a conversation. Only code raises a bit, and only a person's `clear` takes both away,
/// with the texts that raised them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entered {
    taint: Taint,
    /// What raised the bits, as `WEB_FETCH https://example.com`.
    #[serde(default)]
    from: Vec<String>,
    /// The URLs that the person typed, newest last.
    #[serde(default)]
    typed: VecDeque<String>,
    /// When a person last began afresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begun: Option<Millis>,
    /// What the person typed for the message that is being answered.
    #[serde(skip)]
    said: Option<String>,
    /// The message that is being answered, as far as it is kept: whoever finds it at a start finds one without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answering: Option<String>,
    /// When the message came that is being answered, or the latest one.
    #[serde(skip)]
    pub asked: Option<Millis>,
}

/// What holds when nobody knows: both.
impl Default for Entered {
    fn default() -> Self {
        let taint = Taint { untrusted: true, private: true };
        let from = vec!["a conversation of which nothing else is known".to_owned()];
        Self { taint, from, ..Self::nothing() }
    }
}

impl Entered {
    /// Nothing has.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            taint: Taint::CLEAN,
            from: Vec::new(),
            typed: VecDeque::new(),
            begun: None,
            said: None,
            answering: None,
            asked: None,
        }
    }

    /// Nothing has since a person has begun afresh, at `now`: the router keeps a new account then.
    #[must_use]
    pub fn afresh(now: Millis) -> Self {
        Self { begun: Some(now), ..Self::nothing() }
    }

    /// The bits.
    #[must_use]
    pub fn taint(&self) -> Taint {
        self.taint
    }

    /// What raised them, in words.
    #[must_use]
    pub fn sources(&self) -> &[String] {
        &self.from
    }

    /// The URLs that the person typed, newest last.
    #[must_use]
    pub fn typed(&self) -> Vec<String> {
        self.typed.iter().cloned().collect()
    }

    /// Raises the bits that `taint` has, because of what `source` brought.
    pub fn raise(&mut self, taint: Taint, source: &str) {
        if taint.is_clean() {
            return;
        }
        self.taint = self.taint.with(taint);
        let source: String = source.chars().take(SOURCE).collect();
        if !self.from.contains(&source) && self.from.len() < SOURCES {
            self.from.push(source);
        }
    }

    /// When a person last began afresh.
    #[must_use]
    pub fn begun(&self) -> Option<Millis> {
        self.begun
    }

    /// What the person typed for the message that is being answered, if it is not too long to be compared with.
    #[must_use]
    pub fn said(&self) -> Option<&str> {
        self.said.as_deref()
    }

    /// Takes in that `message` is being answered.
    pub fn is_begun(&mut self, message: &str) {
        self.answering = Some(message.chars().take(ANSWERING_LONGEST).collect());
    }

    /// Takes in that the message is answered: what comes later has been asked for by nobody.
    pub fn is_answered(&mut self) {
        (self.said, self.answering) = (None, None);
    }

    /// The message that had no answer yet when the agent ended, once.
    pub fn unanswered(&mut self) -> Option<String> {
        self.answering.take()
    }

    /// Takes in what a person has typed: the URLs in it are theirs.
    pub fn was_typed(&mut self, message: &str) {
        let is_short = message.chars().count() <= SAID_LONGEST;
        self.said = is_short.then(|| message.to_owned());
        self.were_typed(urls(message));
    }

    /// Takes in addresses that a person has typed, now or earlier.
    pub fn were_typed<'u>(&mut self, urls: impl IntoIterator<Item = &'u str>) {
        for url in urls {
            self.typed.retain(|earlier| earlier != url);
            self.typed.push_back(url.to_owned());
            if self.typed.len() > TYPED_MOST {
                self.typed.pop_front();
            }
        }
    }
}

impl Json for Entered {
    const LIMIT: u64 = 1024 * 1024;
}

/// The web addresses in a text, as they stand there; people leave out `https://`.
pub fn urls(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`' | '\\')).filter_map(
        |word| {
            let schemes = ["https://", "http://"].into_iter();
            let url = match schemes.filter_map(|scheme| find(word, scheme)).min() {
                Some(at) => Some(trimmed(&word[at..])).filter(|url| has_host(url)),
                None => bare(word),
            };
            url.filter(|url| url.chars().count() <= TYPED_LONGEST)
        },
    )
}

fn has_host(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| url.has_host())
}

/// The word as an address without its scheme, if it begins with a domain: names with dots between them, the
/// last one of letters. That `notes.txt` looks the same does no harm: nothing stands in it that a page could
/// have put there.
fn bare(word: &str) -> Option<&str> {
    let word = trimmed(word.trim_start_matches(['(', '[', '{', '\'', '“', '„', '«', '‘']));
    let host = word.split(['/', '?', '#', ':']).next()?;
    let (rest, last) = host.rsplit_once('.')?;
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_domain = last.chars().count() >= 2 && last.chars().all(char::is_alphabetic);
    (is_domain && rest.split('.').all(is_name)).then_some(word)
}

fn find(word: &str, scheme: &str) -> Option<usize> {
    word.to_ascii_lowercase().find(scheme)
}

/// The address without the marks that end a sentence or a bracket around it.
fn trimmed(url: &str) -> &str {
    let mut url = url;
    loop {
        let shorter = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '”', '’', '»']);
        let shorter = match shorter.chars().next_back() {
            Some(')') if !shorter.contains('(') => shorter.strip_suffix(')').unwrap_or(shorter),
            Some(']') if !shorter.contains('[') => shorter.strip_suffix(']').unwrap_or(shorter),
            Some('}') if !shorter.contains('{') => shorter.strip_suffix('}').unwrap_or(shorter),
            _ => shorter,
        };
        if shorter.len() == url.len() {
            return url;
        }
        url = shorter;
    }
}

#[cfg(test)]
mod tests {
    use document::Document as _;

    use super::*;

    fn typed(messages: &[&str]) -> Vec<String> {
        let mut entered = Entered::nothing();
        messages.iter().for_each(|message| entered.was_typed(message));
        entered.typed()
    }

    #[test]
    fn addresses_are_found_as_they_were_typed() {
        assert_eq!(
            typed(&[
                "Fetch https://example.com/a?b=c#d, please (see http://x.example/y).",
                r#"/run WEB_FETCH {"url": "HTTPS://Example.com/Z"}"#,
                "<https://en.wikipedia.org/wiki/A_(b)> and http://[2001:db8::1]/",
            ]),
            [
                "https://example.com/a?b=c#d",
                "http://x.example/y",
                "HTTPS://Example.com/Z",
                "https://en.wikipedia.org/wiki/A_(b)",
                "http://[2001:db8::1]/",
            ]
        );
        assert!(
            typed(&["https:// http://, ftp://x.example a@b.example 1.5 e.g. so... a..com .com"])
                .is_empty()
        );
    }

    #[test]
    fn people_leave_the_scheme_out() {
        assert_eq!(
            typed(&["What does example.com say, and (www.bücher.example/a?b=c)? “x.example:8080”"]),
            ["example.com", "www.bücher.example/a?b=c", "x.example:8080"]
        );
    }

    #[test]
    fn the_newest_sixteen_are_kept_and_none_that_is_too_long() {
        let many: Vec<String> = (0..20).map(|n| format!("https://{n}.example/")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let kept = typed(&many);
        assert_eq!(kept.len(), TYPED_MOST);
        assert_eq!(kept.last().unwrap(), "https://19.example/");
        assert_eq!(
            typed(&["http://a.example http://b.example http://a.example"])[1],
            "http://a.example"
        );
        assert!(typed(&[&format!("https://a.example/{}", "x".repeat(TYPED_LONGEST))]).is_empty());
    }

    #[test]
    fn what_was_said_counts_for_its_own_message_alone() {
        let mut entered = Entered::nothing();
        entered.was_typed("Tell Bob: hello");
        assert_eq!(entered.said(), Some("Tell Bob: hello"));
        entered.is_answered();
        assert_eq!(entered.said(), None);
        entered.was_typed(&"x".repeat(SAID_LONGEST + 1));
        assert_eq!(entered.said(), None, "half of it would be something else");
    }

    #[test]
    fn bits_are_raised_and_never_cleared() {
        let mut entered = Entered::nothing();
        entered.raise(Taint::CLEAN, "nobody");
        assert_eq!(entered, Entered::nothing());
        entered.raise(Taint { untrusted: true, private: false }, "WEB_FETCH");
        entered.raise(Taint { untrusted: false, private: true }, "READ_MAIL");
        assert_eq!(String::from(entered.taint()), "TP");
        assert_eq!(entered.sources(), ["WEB_FETCH", "READ_MAIL"]);
        assert_eq!(Entered::from_text(&entered.to_text(), &mut Vec::new()), Ok(entered));
        assert_eq!(String::from(Entered::default().taint()), "TP");
    }
}
