//! What can be wrong with a model, split by what mends it.

use std::time::Duration;

/// Why a model gave no answer. Each text says what to do, with a command to copy where there is one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nothing listens at the address.
    #[error("no Ollama answers at {address} ({reason}); start it with `ollama serve`")]
    Unreachable {
        /// Where it was looked for.
        address: String,
        /// The system's words.
        reason: String,
    },
    /// The server does not have the model.
    #[error("Ollama does not have the model {model}; fetch it with `ollama pull {model}`")]
    NotPulled {
        /// Its name.
        model: String,
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
    #[error("the model server failed in the middle of the answer: {0}")]
    Server(String),
    /// What came is not what Ollama sends.
    #[error(
        "what came from {address} is not what Ollama sends ({shown:?}); \
         check the address in OLLAMA_HOST"
    )]
    BadLine {
        /// Where it came from.
        address: String,
        /// The beginning of it.
        shown: String,
    },
    /// The connection ended before the answer did.
    #[error("the answer was cut off: the model server closed the connection; ask again")]
    Cut,
    /// The connection broke.
    #[error("the connection to the model server broke ({0}); ask again")]
    Transport(String),
    /// Nothing came for too long.
    #[error(
        "the model server said nothing for {} s; see what it does with `ollama ps`", .0.as_secs()
    )]
    Silent(Duration),
    /// The answer has no end.
    #[error("the answer is over {0} bytes and was stopped; ask for less, or try another model")]
    TooLarge(usize),
    /// There is no language model, and this needs one.
    #[error("this needs a language model, and there is none; start one with `ollama serve`")]
    NeedsModel,
}
