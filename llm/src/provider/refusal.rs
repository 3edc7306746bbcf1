//! What servers say instead of an answer, and what it means.

use std::time::Duration;

use serde_json::Value;

/// What a server said instead of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The status of HTTP; 0 in the middle of a stream.
    pub(crate) status: u16,
    /// Its words.
    pub(crate) words: String,
    /// Its own names for what is wrong, such as `not_found_error`.
    pub(crate) code: String,
    /// The size of the window, if it is said as a field of its own: llama.cpp's `n_ctx`.
    pub(crate) window: Option<u64>,
    /// How long it asks to wait, if that is said here and not in a header: Gemini's `retryDelay`.
    pub(crate) retry_after: Option<Duration>,
}

/// What it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such model.
    UnknownModel,
    /// The key is wrong, or must not do this.
    WrongKey,
    /// There is too much to do at the moment.
    Busy,
    /// The prompt is too long; with the size of the window in tokens, if that was said.
    Overrun(Option<u64>),
    /// The schema or the tools are not taken.
    Format,
    /// The temperature is not taken.
    Temperature,
    /// Something else.
    Other,
}

/// Words that are said when a prompt is too long, and what stands before the size of the window there.
pub(super) type Overruns = [(&'static str, &'static str)];

/// What servers complain of when they don't know schemas or tools.
const FORM: [&str; 10] = [
    "response_format",
    "json_schema",
    "grammar",
    "does not support tools",
    "support tool use",
    "tool_choice",
    "--jinja",
    "function calling",
    "structured output",
    "required for format",
];

/// What servers complain of when a model can't see.
const PICTURES: [&str; 6] = ["image", "vision", "multimodal", "multi-modal", "modalit", "mmproj"];

impl Said {
    /// Reads the body of an error: `{"error": {...}}`, `{"error": "..."}`, `{"message": ...}`, or a list with
    /// one of them. What is none of these has no words.
    pub(crate) fn new(status: u16, body: &Value) -> Self {
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").unwrap_or(body);
        let of = |name: &str| error[name].as_str().unwrap_or_default();
        let words = [error.as_str().unwrap_or_default(), of("message"), of("detail")];
        let details = || error["details"].as_array().into_iter().flatten();
        let reasons = details().filter_map(|detail| detail["reason"].as_str());
        let mut waits =
            details().filter_map(|detail| detail["retryDelay"].as_str()?.strip_suffix('s'));
        let codes = [of("type"), of("code"), of("status")].into_iter().chain(reasons);
        Self {
            status,
            words: words.into_iter().find(|words| !words.is_empty()).unwrap_or_default().to_owned(),
            code: codes.collect::<Vec<_>>().join(" ").trim().to_owned(),
            window: error["n_ctx"].as_u64(),
            retry_after: waits
                .find_map(|wait| Duration::try_from_secs_f64(wait.parse().ok()?).ok()),
        }
    }

    /// Whether words or code hold `part`, in whatever case.
    pub(super) fn holds(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        self.words.to_lowercase().contains(&part) || self.code.to_lowercase().contains(&part)
    }

    /// Whether it speaks of pictures.
    pub(crate) fn speaks_of_pictures(&self) -> bool {
        PICTURES.iter().any(|word| self.holds(word))
    }

    /// What it means, where providers agree; `overruns` are the words of this one.
    pub(super) fn refusal(&self, overruns: &Overruns) -> Refusal {
        if matches!(self.status, 429 | 503 | 529) {
            // No waiting brings money (OpenAI's error codes).
            let is_spent = self.code.contains("insufficient_quota");
            return if is_spent { Refusal::Other } else { Refusal::Busy };
        }
        if let Some((_, before)) = overruns.iter().find(|(words, _)| self.holds(words)) {
            return Refusal::Overrun(self.window.or_else(|| number_after(&self.words, before)));
        }
        let names_model = self.holds("model");
        match self.status {
            401 | 403 => Refusal::WrongKey,
            413 => Refusal::Overrun(None),
            _ if self.holds("temperature") => Refusal::Temperature,
            _ if FORM.iter().any(|words| self.holds(words)) => Refusal::Format,
            404 if names_model => Refusal::UnknownModel,
            _ if self.holds("not a valid model") || self.holds("invalid model name") => {
                Refusal::UnknownModel
            }
            _ => Refusal::Other,
        }
    }
}

/// The number that stands right behind `before`.
fn number_after(words: &str, before: &str) -> Option<u64> {
    if before.is_empty() {
        return None;
    }
    let (_, rest) = words.split_once(before)?;
    let digits: String = rest
        .trim_start_matches([' ', '(', ':'])
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok().filter(|&window| window > 0)
}
