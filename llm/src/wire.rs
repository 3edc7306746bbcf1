//! Sends the requests of a provider.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;
use tokio::time::timeout;

use crate::provider::{Place, Provider, Refusal, Request, Said, retry_after};
use crate::stream::{Failure, Watch, expired_at};
use crate::{Listener, ModelError};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// How long the body of an error may take.
const ERROR: Duration = Duration::from_secs(10);

/// How much of an error's body is read, in bytes.
const ERROR_LIMIT: usize = 16 * 1024;

/// How much of a list of models is read, in bytes: thousands of models.
const LIST_LIMIT: usize = 4 * 1024 * 1024;

/// Longer than this no server makes anybody wait.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A way to one server.
pub(crate) struct Wire(Client);

impl Wire {
    /// Makes one that follows no redirect.
    ///
    /// # Errors
    /// [`ModelError::Settings`] when this machine can't make an HTTP client.
    pub(crate) fn new(place: &Place) -> Result<Self, ModelError> {
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            .default_headers(place.headers.clone());
        // A proxy for the web knows nothing of a server on this machine or at home.
        let client = if place.is_local() { client.no_proxy() } else { client };
        let client = client.build();
        client.map(Self).map_err(|_| {
            ModelError::Settings(
                "no HTTP client can be made; see HTTPS_PROXY and HTTP_PROXY".to_owned(),
            )
        })
    }

    /// Gets a JSON value within `patience`.
    pub(crate) async fn fetch(
        &self,
        provider: &dyn Provider,
        model: &str,
        request: &Request,
        patience: Duration,
    ) -> Result<Value, Failure> {
        let place = provider.place();
        let fetched = async {
            let sent = self.request(request).send().await;
            let response = sent.map_err(|error| place.broken(&error))?;
            let mut response = accepted(provider, model, response).await?;
            let body =
                body(&mut response, LIST_LIMIT).await.map_err(|error| place.broken(&error))?;
            serde_json::from_slice(&body).map_err(|_| Failure::from(place.bad_frame(&body)))
        };
        timeout(patience, fetched).await.map_err(|_| place.silent(patience))?
    }

    /// Sends a request, and waits for the beginning of an answer that is none of an error.
    pub(crate) async fn open(
        &self,
        provider: &dyn Provider,
        model: &str,
        request: &Request,
        (watch, progress): (&Watch, &mut Listener<'_>),
    ) -> Result<Response, Failure> {
        let sent = watch.wait(self.request(request).send(), progress).await;
        let sent = sent.map_err(|expired| expired_at(provider, expired))?;
        let response = sent.map_err(|error| provider.place().broken(&error))?;
        accepted(provider, model, response).await
    }

    fn request(&self, request: &Request) -> RequestBuilder {
        match &request.body {
            None => self.0.get(&request.url),
            Some(body) => self.0.post(&request.url).json(body),
        }
    }
}

/// The response if it is none of an error.
async fn accepted(
    provider: &dyn Provider,
    model: &str,
    mut response: Response,
) -> Result<Response, Failure> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    // An error of which not all arrives is still that error.
    let read = timeout(ERROR, body(&mut response, ERROR_LIMIT)).await;
    let read = read.ok().and_then(Result::ok).unwrap_or_default();
    let value = serde_json::from_slice(&read).unwrap_or_default();
    let mut said = Said::new(status.as_u16(), &value);
    if status.is_redirection() {
        said.words =
            "it points to another address, which is not followed; write the right one".to_owned();
    } else if said.words.is_empty() {
        said.words = String::from_utf8_lossy(&read).into_owned();
    }
    let refusal = if status.is_redirection() { Refusal::Other } else { provider.refusal(&said) };
    let wait = retry_after(response.headers()).or(said.retry_after).map(|wait| wait.min(DAY));
    let error = provider.place().refused(model, &said, refusal, wait);
    Err(Failure { error, refusal, of_pictures: said.speaks_of_pictures() })
}

/// The body, up to about `limit` bytes.
async fn body(response: &mut Response, limit: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while body.len() <= limit
        && let Some(chunk) = response.chunk().await?
    {
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
