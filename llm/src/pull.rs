//! Has an Ollama server fetch a model.

use futures::StreamExt;
use ollama_rs::Ollama;
use ollama_rs::error::OllamaError;
use ollama_rs::models::pull::PullModelStatus;
use reqwest::Client;

use crate::address::is_near;
use crate::{Host, HostError};

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulling {
    /// What the server is at, in its own words, such as `verifying sha256 digest`.
    pub at: String,
    /// How many bytes of the present file are there, and how many it has, where the server says so.
    pub bytes: Option<(u64, u64)>,
}

/// Why the model was not fetched.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// The server says no, in its own words.
    #[error("Ollama can't fetch {model}: {said}")]
    Refused {
        /// The model.
        model: String,
        /// Its words.
        said: String,
    },
    /// It can't be reached, or the connection broke.
    #[error("the connection to Ollama broke; the same command goes on where it was")]
    Broken(#[source] OllamaError),
    /// OLLAMA_HOST is no address.
    #[error(transparent)]
    Host(#[from] HostError),
    /// Its answer ended before it was done.
    #[error("Ollama stopped before {0} was whole; the same command goes on where it was")]
    Cut(String),
}

/// What the server says when a model is whole (docs/api.md of Ollama, "Pull a Model").
const DONE: &str = "success";

/// Has the server at `host` fetch `model`, which may take an hour, and hands each step to `tell`. What is there already
/// is not fetched again.
///
/// # Errors
/// [`PullError`].
pub async fn pull(
    host: &Host,
    model: &str,
    mut tell: impl FnMut(Pulling),
) -> Result<(), PullError> {
    let failed = |error| match error {
        OllamaError::InternalError(error) => {
            PullError::Refused { model: model.to_owned(), said: error.message }
        }
        OllamaError::Other(said) => PullError::Refused { model: model.to_owned(), said },
        error => PullError::Broken(error),
    };
    let client = Client::builder();
    let client = if is_near(host.url()) { client.no_proxy() } else { client };
    let client = client.build().map_err(|error| PullError::Broken(error.into()))?;
    let server = Ollama::builder().url(host.url().clone()).reqwest_client(client).build();
    let mut steps = server.pull_model_stream(model.to_owned(), false).await.map_err(failed)?;
    let mut is_done = false;
    while let Some(step) = steps.next().await {
        let PullModelStatus { message, total, completed, .. } = step.map_err(failed)?;
        is_done = message == DONE;
        tell(Pulling { at: message, bytes: total.map(|all| (completed.unwrap_or_default(), all)) });
    }
    if is_done { Ok(()) } else { Err(PullError::Cut(model.to_owned())) }
}
