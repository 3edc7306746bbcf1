//! Ollama, the server of local models.
//!
//! The types are those of ollama-rs. Its requests are not used: its streaming loses text when a character
//! stands in two chunks, writes errors in the middle of an answer to stderr, and knows no timeout; its list
//! of models keeps the status of an error to itself.

mod host;
mod lines;
mod reader;

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use ollama_rs::generation::chat::{ChatMessage, request::ChatMessageRequest};
use ollama_rs::models::{LocalModel, ModelOptions};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use tokio::time::timeout;

pub use host::{Host, HostError};
use reader::{Reader, shown};

use super::{Ask, Completion, Fit, Listener, Model, ModelError, Progress, Way};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// How long the list of models may take.
const LIST: Duration = Duration::from_secs(10);

/// How long the first token, and then each next one, may take. A large model on a small machine is read
/// from the disk and reads a long prompt in this time.
const TOKEN: Duration = Duration::from_secs(120);

/// The smallest context window that is asked for, in tokens. A server that serves different windows in
/// turn loads the model anew each time, so it grows in doublings only.
const WINDOW: u64 = 8_192;

/// Small models keep to the form of the answer best when they don't gamble.
const TEMPERATURE: f32 = 0.0;

/// How much of an error's body is read, in bytes.
const ERROR_LIMIT: usize = 4_096;

/// How much of the list of models is read, in bytes: thousands of models.
const LIST_LIMIT: usize = 4 * 1024 * 1024;

/// What `/api/tags` answers (Ollama's docs/api.md).
#[derive(Deserialize)]
struct List {
    models: Vec<LocalModel>,
}

/// One model of an Ollama server.
#[derive(Debug, Clone)]
pub struct Ollama {
    name: String,
    model: String,
    address: String,
    host: Host,
    client: Client,
}

impl Ollama {
    /// The model `model` of the server at `host`.
    ///
    /// # Errors
    /// [`ModelError::Transport`] when this machine can't make an HTTP client.
    pub fn new(host: Host, model: impl Into<String>) -> Result<Self, ModelError> {
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            // A proxy for the web knows nothing of a server on this machine or at home.
            .no_proxy()
            .build()
            .map_err(|error| ModelError::Settings(deepest(&error)))?;
        let (model, address) = (model.into(), host.to_string());
        Ok(Self { name: format!("{model} at {address}"), model, address, host, client })
    }

    /// The names of the models that the server has, sorted.
    ///
    /// # Errors
    /// As for [`Model::complete`].
    pub async fn models(&self) -> Result<Vec<String>, ModelError> {
        let listed = async {
            let request = self.client.get(format!("{}api/tags", self.host.url()));
            let mut response = self.send(request, LIST).await?;
            self.body(&mut response, LIST_LIMIT).await
        };
        let body = timeout(LIST, listed).await.map_err(|_| self.silent(LIST))??;
        let list: List = serde_json::from_slice(&body).map_err(|_| ModelError::BadFrame {
            address: self.address.clone(),
            expected: "Ollama".to_owned(),
            shown: shown(&body),
        })?;
        let mut names: Vec<String> = list.models.into_iter().map(|model| model.name).collect();
        names.sort();
        Ok(names)
    }

    /// Sends a request and waits for the beginning of an answer that is none of an error.
    async fn send(
        &self,
        request: RequestBuilder,
        patience: Duration,
    ) -> Result<Response, ModelError> {
        let mut response = timeout(patience, request.send())
            .await
            .map_err(|_| self.silent(patience))?
            .map_err(|error| self.transport(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let retry_after = retry_after(&response);
        // An error of which not all arrives is still that error.
        let body = timeout(LIST, self.body(&mut response, ERROR_LIMIT)).await;
        let body = body.ok().and_then(Result::ok).unwrap_or_default();
        Err(match self.refused(response.status(), &body) {
            ModelError::Status { address, status: status @ (429 | 503), words } => {
                ModelError::Busy { address, status, words, retry_after }
            }
            other => other,
        })
    }

    /// The body, up to about `limit` bytes.
    async fn body(&self, response: &mut Response, limit: usize) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while body.len() <= limit
            && let Some(chunk) = response.chunk().await.map_err(|error| self.transport(&error))?
        {
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn request(&self, prompt: &str) -> serde_json::Value {
        let options = ModelOptions::default().num_ctx(window(prompt)).temperature(TEMPERATURE);
        let messages = vec![ChatMessage::user(prompt.to_owned())];
        let request = ChatMessageRequest::new(self.model.clone(), messages).options(options);
        // Texts and numbers always have a JSON form. The type keeps its `stream` to itself.
        let mut request = serde_json::to_value(request).unwrap_or_default();
        request["stream"] = true.into();
        request
    }

    fn refused(&self, status: StatusCode, body: &[u8]) -> ModelError {
        let error = serde_json::from_slice::<serde_json::Value>(body).ok();
        let words = error.as_ref().and_then(|error| error["error"].as_str());
        // `model 'x' not found` is what the server says since its first versions.
        if status == StatusCode::NOT_FOUND && words.is_some_and(|words| words.contains("not found"))
        {
            return self.not_pulled();
        }
        let words = match words.map_or_else(|| shown(body), |words| shown(words.as_bytes())) {
            page if page.starts_with('<') => "a web page, so this may not be Ollama".to_owned(),
            empty if empty.is_empty() => "no reason".to_owned(),
            words => words,
        };
        ModelError::Status { address: self.address.clone(), status: status.as_u16(), words }
    }

    fn transport(&self, error: &reqwest::Error) -> ModelError {
        let reason = deepest(error);
        if error.is_connect() {
            let mend = "start it with `ollama serve`".to_owned();
            ModelError::Unreachable { address: self.address.clone(), reason, mend }
        } else {
            ModelError::Transport { address: self.address.clone(), reason }
        }
    }

    fn silent(&self, waited: Duration) -> ModelError {
        let mend = "see what it does with `ollama ps`".to_owned();
        ModelError::Silent { address: self.address.clone(), waited, mend }
    }

    /// What it means when the server does not have the model.
    #[must_use]
    pub fn not_pulled(&self) -> ModelError {
        let mend = format!("fetch it with `ollama pull {}`", self.model);
        let (address, model) = (self.address.clone(), self.model.clone());
        ModelError::UnknownModel { address, model, mend }
    }
}

#[async_trait]
impl Model for Ollama {
    fn name(&self) -> String {
        self.name.clone()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let prompt = ask.prompt(Fit { way: Way::ToolCode, bytes: usize::MAX });
        let mut words = |piece: &str| progress(Progress::Piece(piece));
        let url = format!("{}api/chat", self.host.url());
        let request = self.client.post(url).json(&self.request(&prompt.text));
        let mut response = self.send(request, TOKEN).await?;
        let mut reader = Reader::default();
        loop {
            let chunk = timeout(TOKEN, response.chunk())
                .await
                .map_err(|_| self.silent(TOKEN))?
                .map_err(|error| self.transport(&error))?;
            let is_complete = match chunk {
                Some(chunk) => reader.push(&chunk, &self.address, &mut words)?,
                None => reader.end(&self.address, &mut words).map(|()| true)?,
            };
            if is_complete {
                return Ok(Completion::new(reader.text()));
            }
        }
    }
}

/// How long the server asks to wait, if it does so in seconds (RFC 9110, 10.2.3).
fn retry_after(response: &Response) -> Option<Duration> {
    let header = response.headers().get("retry-after")?.to_str().ok()?;
    header.trim().parse().ok().map(Duration::from_secs)
}

/// A window that holds the prompt, at three bytes a token, and an answer.
fn window(prompt: &str) -> u64 {
    let needed = prompt.len() as u64 / 3 + 2_048;
    needed.next_power_of_two().max(WINDOW)
}

/// The innermost reason, which is what the system said.
fn deepest(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests;
