//! What can be wrong with a model, split by what mends it.

use std::borrow::Cow;
use std::mem::{Discriminant, discriminant};
use std::time::Duration;

/// What mends a server that has too much to do.
fn busy() -> String {
    format!("wait a little, or name another with `{}`", home::agent_command("config fallback"))
}

/// What mends a prompt that is too long.
const OVERRUN: &str = "say it in fewer words, or `/clear`";

/// What helps where a message is too long for the model.
const TOO_LONG: &str = "say it in parts, or put it into a file in the workspace's output/ and ask for a summary of that";

/// What helps where it may be the server or the way to it.
const AGAIN: &str = "ask again, or another with `/model TARGET`";

/// What helps where the server will not do it.
const ANOTHER: &str = "ask another with `/model TARGET`";

/// What helps where the server has rules of what it answers.
const OTHER_WORDS: &str = "say it in other words, or ask another with `/model TARGET`";

/// What mends an address at which somebody else answers.
fn look_at_the_address() -> String {
    format!("check the address with `{}`", home::agent_command("config llm"))
}

/// What helps where an answer has no end.
const LESS: &str = "ask for less, or another with `/model TARGET`";

/// What helps where there is no model, whoever is to serve one.
fn choose() -> String {
    format!("choose one with `{}`", home::agent_command("config llm"))
}

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
    #[error("{address} is busy ({status}: {words}); {}", busy())]
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
    #[error("the prompt is too long for {model} at {address} ({words}); {}", OVERRUN)]
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
         window of {window}; {}",
        TOO_LONG
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
    #[error("the model server at {address} answered {status}: {words}; {}", status_mend(*.status))]
    Status {
        /// Where it is.
        address: String,
        /// The status of HTTP.
        status: u16,
        /// What it said, shortened.
        words: String,
    },
    /// The server answers nothing to this prompt: what it says, or would say, is against its rules.
    #[error("the model server at {address} does not answer this ({word}); {}", OTHER_WORDS)]
    Declined {
        /// Where it is.
        address: String,
        /// Its word for why.
        word: String,
    },
    /// The server failed while it answered.
    #[error("the model server at {address} failed in the middle of the answer: {words}; {}", AGAIN)]
    Server {
        /// Where it is.
        address: String,
        /// What it said, shortened.
        words: String,
    },
    /// What came is not what such a server sends.
    #[error(
        "what came from {address} is not what {expected} sends ({shown:?}); {}",
        look_at_the_address()
    )]
    BadFrame {
        /// Where it came from.
        address: String,
        /// Who was expected there, such as Ollama.
        expected: String,
        /// The beginning of it.
        shown: String,
    },
    /// The connection ended before the answer did.
    #[error("the answer was cut off: {address} closed the connection; {}", AGAIN)]
    Cut {
        /// Where it came from.
        address: String,
    },
    /// The connection broke.
    #[error("the connection to {address} broke ({reason}); {}", AGAIN)]
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
    /// The model thought until it might write no more, or the server keeps its thoughts to itself and it looks so.
    #[error(
        "{model} at {address} used up its {tokens} tokens on thoughts and said nothing; {mend}"
    )]
    OnlyThought {
        /// Where it is.
        address: String,
        /// Its name.
        model: String,
        /// How many it had.
        tokens: u64,
        /// What gives it more.
        mend: String,
    },
    /// The answer has no end.
    #[error("the answer of {address} has no end and was stopped after {after}; {}", LESS)]
    Endless {
        /// Where it came from.
        address: String,
        /// How much, in words: "1048576 bytes", "1200 s".
        after: String,
    },
    /// It has failed too often of late and is not asked at the moment.
    #[error("{}", resting(.left, .last))]
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
    #[error("this needs a language model, and there is none; {}", choose())]
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
        let what = text.strip_suffix(&*self.mend()).and_then(|text| text.strip_suffix("; "));
        what.unwrap_or(&text).to_owned()
    }

    /// What mends it, which stands at the end of its text; nothing if the whole text says that.
    #[must_use]
    pub fn mend(&self) -> Cow<'_, str> {
        match self {
            Self::Unreachable { mend, .. }
            | Self::UnknownModel { mend, .. }
            | Self::WrongKey { mend, .. }
            | Self::Silent { mend, .. }
            | Self::OnlyThought { mend, .. } => mend.into(),
            Self::Busy { .. } => busy().into(),
            Self::Overrun { .. } => OVERRUN.into(),
            Self::TooLong { .. } => TOO_LONG.into(),
            Self::Status { status, .. } => status_mend(*status).into(),
            Self::Declined { .. } => OTHER_WORDS.into(),
            Self::Server { .. } | Self::Cut { .. } | Self::Transport { .. } => AGAIN.into(),
            Self::BadFrame { .. } => look_at_the_address().into(),
            Self::Endless { .. } => LESS.into(),
            Self::Resting { last, .. } => last.mend(),
            Self::CutOff(why) => why.mend(),
            Self::NeedsModel => choose().into(),
            Self::Settings(_) => "".into(),
        }
    }

    /// What tells two failures of one model apart for people: what it is, and the status of HTTP, 0 if there is none.
    #[must_use]
    pub fn kind(&self) -> (Discriminant<Self>, u16) {
        let status = match self {
            Self::WrongKey { status, .. }
            | Self::Busy { status, .. }
            | Self::Status { status, .. } => *status,
            _ => 0,
        };
        (discriminant(self), status)
    }

    /// What a guest hears, who is told neither where the owner's servers are nor what mends them.
    #[must_use]
    pub fn for_guests(&self) -> &'static str {
        match self {
            Self::Overrun { .. } => {
                "that is too long for the model; say it in fewer words, or `/clear`"
            }
            Self::Cut { .. } | Self::CutOff(_) => "the answer is cut off; ask again",
            Self::Declined { .. } => "the model does not answer this; say it in other words",
            Self::Endless { .. } => "the answer has no end and was stopped; ask for less",
            _ => "no model can answer at the moment; ask again later",
        }
    }

    /// The same failure, after words of the answer were shown.
    #[must_use]
    pub fn cut_off(self) -> Self {
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

/// What helps when a server answers with this status: who fails may do better the next time, who refuses does not.
fn status_mend(status: u16) -> &'static str {
    if status >= 500 || status == 408 { AGAIN } else { ANOTHER }
}

/// How a model failed that is not asked at the moment.
fn resting(left: &Duration, last: &ModelError) -> String {
    let (what, mend, left) = (last.what(), last.mend(), left.as_secs().max(1));
    let between = if mend.is_empty() { "" } else { "; " };
    format!("{what}, asked again in {left} s{between}{mend}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each, with `words` for what servers and systems say.
    fn all(words: &str) -> Vec<ModelError> {
        let address = || "a".to_owned();
        let (words, mend) = (|| words.to_owned(), || "do this; or `that`".to_owned());
        let (model, waited) = (|| "m".to_owned(), Duration::from_secs(9));
        let busy = |status| ModelError::Busy {
            address: address(),
            status,
            words: words(),
            retry_after: None,
        };
        let status = |status| ModelError::Status { address: address(), status, words: words() };
        vec![
            ModelError::Unreachable { address: address(), reason: words(), mend: mend() },
            ModelError::UnknownModel { address: address(), model: model(), mend: mend() },
            ModelError::WrongKey { address: address(), status: 401, mend: mend() },
            ModelError::WrongKey { address: address(), status: 403, mend: mend() },
            busy(429),
            busy(503),
            ModelError::Overrun { address: address(), model: model(), words: words() },
            status(400),
            status(500),
            ModelError::Declined { address: address(), word: words() },
            ModelError::Server { address: address(), words: words() },
            ModelError::BadFrame { address: address(), expected: "x".to_owned(), shown: words() },
            ModelError::Cut { address: address() },
            ModelError::Transport { address: address(), reason: words() },
            ModelError::Silent { address: address(), waited, mend: mend() },
            ModelError::Endless { address: address(), after: "9 s".to_owned() },
            ModelError::Resting {
                address: address(),
                left: waited,
                failures: 3,
                last: Box::new(busy(429)),
            },
            ModelError::CutOff(Box::new(status(502))),
            ModelError::NeedsModel,
        ]
    }

    #[test]
    fn each_is_one_line_of_what_happened_and_what_mends_it() {
        for error in all("boom; bang") {
            let (what, mend) = (error.what(), error.mend());
            assert_eq!(error.to_string(), format!("{what}; {mend}"));
            assert!(!mend.is_empty() && !what.ends_with(&*mend), "{error}");
        }
        let said = |error: &ModelError| error.to_string().contains("boom; bang");
        assert_eq!(all("boom; bang").iter().filter(|error| said(error)).count(), 12);
        let settings = ModelError::Settings("no key; write one".to_owned());
        assert_eq!((settings.what().as_str(), &*settings.mend()), ("no key; write one", ""));
    }

    #[test]
    fn what_needs_a_model_names_no_server_that_was_not_chosen() {
        let told = ModelError::NeedsModel.to_string();
        assert!(told.contains("config llm") && !told.contains("ollama"), "{told}");
    }

    #[test]
    fn each_is_of_a_kind_of_its_own_whatever_the_server_says_of_it() {
        for (one, first) in all("boom").iter().enumerate() {
            for (other, second) in all("bang").iter().enumerate() {
                assert_eq!(one == other, first.kind() == second.kind(), "{first} {second}");
            }
        }
    }

    #[test]
    fn what_guests_hear_names_no_address_and_no_command_of_the_owners() {
        for error in all("boom") {
            let told = error.for_guests();
            assert!(!told.contains("config") && !told.contains("/model"), "{told}");
        }
    }
}
