//! What can be wrong with a model, split by what mends it.

use std::time::Duration;

/// Why a model gave no answer. Each text names the address that failed and says what to do, with a command to
/// copy where there is one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nothing listens at the address.
    #[error("nothing answers at {address} ({reason}); {mend}")]
    Unreachable {
        /// Where it was looked for.
        address: String,
        /// The system's words.
        reason: String,
        /// What starts it, such as "start it with `ollama serve`".
        mend: String,
    },
    /// The server does not have the model.
    #[error("{address} does not have the model {model}; {mend}")]
    UnknownModel {
        /// Where it was looked for.
        address: String,
        /// Its name.
        model: String,
        /// What fetches it, such as "fetch it with `ollama pull llama3.1:8B`".
        mend: String,
    },
    /// The server wants to know who asks.
    #[error("{address} refuses the key ({status}); {mend}")]
    WrongKey {
        /// Where it is.
        address: String,
        /// The status of HTTP: 401 or 403.
        status: u16,
        /// Which variable to set.
        mend: String,
    },
    /// The server has too much to do, or this key has asked too much.
    #[error(
        "{address} is busy ({status}: {words}); wait a little, or name another in llm.fallback"
    )]
    Busy {
        /// Where it is.
        address: String,
        /// The status of HTTP: 429, 503 or 529.
        status: u16,
        /// What it said, shortened.
        words: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// The prompt is longer than what the model holds.
    #[error(
        "the prompt is too long for {model} at {address} ({words}); say it in fewer words, or `/clear`"
    )]
    Overrun {
        /// Where it is.
        address: String,
        /// Its name.
        model: String,
        /// What it said, shortened.
        words: String,
    },
    /// The user's message alone is longer than what the model holds beside its rules.
    #[error(
        "the message is too long: about {tokens} tokens, and {model} at {address} has room for about {room} in its \
         window of {window}; say it in parts, or put it into a file in the workspace's output/ and ask for a summary of that"
    )]
    TooLong {
        /// Where it is.
        address: String,
        /// Its name.
        model: String,
        /// How long the message is, estimated in tokens.
        tokens: u64,
        /// How long it may be, estimated in tokens.
        room: u64,
        /// The largest window that the model may have here, in tokens.
        window: u64,
    },
    /// The server refused, or failed before the answer began.
    #[error("the model server at {address} answered {status}: {words}")]
    Status {
        /// Where it is.
        address: String,
        /// The status of HTTP.
        status: u16,
        /// What it said, shortened.
        words: String,
    },
    /// The server failed while it answered.
    #[error("the model server at {address} failed in the middle of the answer: {words}")]
    Server {
        /// Where it is.
        address: String,
        /// What it said, shortened.
        words: String,
    },
    /// What came is not what such a server sends.
    #[error("what came from {address} is not what {expected} sends ({shown:?}); check the address")]
    BadFrame {
        /// Where it came from.
        address: String,
        /// Who was expected there, such as Ollama.
        expected: String,
        /// The beginning of it.
        shown: String,
    },
    /// The connection ended before the answer did.
    #[error("the answer was cut off: {address} closed the connection; ask again")]
    Cut {
        /// Where it came from.
        address: String,
    },
    /// The connection broke.
    #[error("the connection to {address} broke ({reason}); ask again")]
    Transport {
        /// Where it led.
        address: String,
        /// The system's words.
        reason: String,
    },
    /// Nothing came for too long.
    #[error("{address} said nothing for {} s; {mend}", .waited.as_secs())]
    Silent {
        /// Where it is.
        address: String,
        /// How long it was waited for.
        waited: Duration,
        /// What tells more, such as "see what it does with `ollama ps`".
        mend: String,
    },
    /// The answer has no end.
    #[error(
        "the answer of {address} has no end and was stopped after {after}; ask for less, or try another model"
    )]
    Endless {
        /// Where it came from.
        address: String,
        /// How much, in words: "1048576 bytes", "1200 s".
        after: String,
    },
    /// It has failed too often of late and is not asked at the moment.
    #[error("{address} is not asked for another {} s after it failed {failures} times: {last}", .left.as_secs())]
    Resting {
        /// Where it is.
        address: String,
        /// How long still.
        left: Duration,
        /// How often in a row it has failed.
        failures: u32,
        /// How it failed last.
        last: Box<ModelError>,
    },
    /// It failed after words of the answer were shown.
    #[error("the answer is cut off: {0}")]
    CutOff(Box<ModelError>),
    /// There is no language model, and this needs one.
    #[error("this needs a language model, and there is none; start one with `ollama serve`")]
    NeedsModel,
    /// The settings don't say whom to ask.
    #[error("{0}")]
    Settings(String),
}

impl ModelError {
    /// Whether the same request may well succeed a moment later: the server is busy, is starting, or the way
    /// to it broke before an answer began.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Busy { .. }
            | Self::Transport { .. }
            | Self::Cut { .. } => true,
            Self::Status { status, .. } => *status >= 500 || *status == 408,
            Self::Server { .. } => true,
            _ => false,
        }
    }

    /// Whether there was too much to read for this model; a larger one may read it.
    #[must_use]
    pub fn is_of_size(&self) -> bool {
        matches!(self, Self::Overrun { .. } | Self::TooLong { .. })
    }

    /// What happened, without what mends it.
    #[must_use]
    pub fn what(&self) -> String {
        let text = self.to_string();
        text.rsplit_once("; ").map_or(text.as_str(), |(what, _)| what).to_owned()
    }

    /// The same failure, after words of the answer were shown.
    #[must_use]
    pub(super) fn cut_off(self) -> Self {
        match self {
            // It says so itself.
            Self::Cut { .. } | Self::CutOff(_) => self,
            other => Self::CutOff(Box::new(other)),
        }
    }

    /// How long the server asks to wait before the next try.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
