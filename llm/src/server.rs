//! One model of one server, ready to be asked.

use std::fmt;
use std::time::Duration;

use reqwest::header::HeaderValue;
use serde_json::Value;

use crate::provider::{Anthropic, Gemini, Ollama, OpenAi, Place, Provider, Request, Said};
use crate::stream::{Failure, Gathered, Reader, Watch};
use crate::wire::Wire;
use crate::{
    ApiKeys, CompletionRequest, Listed, Listener, ModelError, ProviderName, SizedBy, Target, Way,
};

/// How long the list of models may take.
const LIST: Duration = Duration::from_secs(10);

/// How long the server may take to say how large its window is. It need not.
const DESCRIBE: Duration = Duration::from_secs(5);

/// One model of one server.
pub struct Server {
    provider: Box<dyn Provider>,
    model: String,
    wire: Wire,
}

impl Server {
    /// The model that `target` names. For Ollama, the target's address is read as OLLAMA_HOST is, and without one it is
    /// Ollama's own.
    ///
    /// # Errors
    /// [`ModelError::Settings`] if an address is none or a key is missing, [`ModelError::NeedsModel`] for `offline`.
    pub fn new(target: &Target, keys: &ApiKeys) -> Result<Self, ModelError> {
        let url = target.base_url.as_deref();
        let provider: Box<dyn Provider> = match target.provider {
            ProviderName::Ollama => Box::new(Ollama::new(url)?),
            ProviderName::OpenAi => Box::new(OpenAi::new(url, keys)?),
            ProviderName::Anthropic => Box::new(Anthropic::new(url, keys)?),
            ProviderName::Gemini => Box::new(Gemini::new(url, keys)?),
            ProviderName::Offline => return Err(ModelError::NeedsModel),
        };
        let wire = Wire::new(provider.place())?;
        Ok(Self { provider, model: target.model.clone(), wire })
    }

    /// What people call it: `llama3.1:8B at 127.0.0.1:11434`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} at {}", self.model, self.address())
    }

    /// The model's own name.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Host and port, for people.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.place().address
    }

    /// Whether it is on this machine or in its own network, where no proxy leads to and no cloud is.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.place().is_local()
    }

    /// How it is asked for actions first if nobody says how.
    #[must_use]
    pub fn way(&self) -> Way {
        self.place().way
    }

    /// Who says how large the window is.
    #[must_use]
    pub fn sized(&self) -> SizedBy {
        self.place().sized
    }

    /// Whether its models can see pictures, where nobody says.
    #[must_use]
    pub fn sees(&self) -> bool {
        self.place().sees
    }

    /// Whether a key goes with each request.
    #[must_use]
    pub fn sends_key(&self) -> bool {
        self.place().headers.values().any(HeaderValue::is_sensitive)
    }

    /// What it means when the server does not have the model.
    #[must_use]
    pub fn unknown_model(&self) -> ModelError {
        self.place().unknown_model(&self.model)
    }

    fn place(&self) -> &Place {
        self.provider.place()
    }

    /// The models that the server has, sorted by name.
    ///
    /// # Errors
    /// Why it does not say.
    pub async fn models(&self) -> Result<Vec<Listed>, ModelError> {
        let provider = self.provider.as_ref();
        let fetched = self.wire.fetch(provider, &self.model, &provider.list(), LIST).await;
        let body = fetched.map_err(|failure| failure.error)?;
        let wrong = || self.place().bad_frame(body.to_string().as_bytes());
        let mut models = provider.listed(&body).ok_or_else(wrong)?;
        models.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(models)
    }

    /// What the server says of the model and of itself: how large the window and the model are, whether that sees, and in which
    /// versions; nothing in it if it says nothing.
    ///
    /// # Errors
    /// Only a server that is not there is one.
    pub async fn describe(&self) -> Result<Listed, ModelError> {
        let provider = self.provider.as_ref();
        let (mut said, mut is_whole) = (Listed::default(), true);
        for request in provider.describe(&self.model) {
            let body = match self.wire.fetch(provider, &self.model, &request, DESCRIBE).await {
                Ok(body) => body,
                Err(Failure { error: error @ ModelError::Unreachable { .. }, .. }) => {
                    return Err(error);
                }
                Err(_) => {
                    // Whoever told the window has told the versions, too.
                    is_whole &= said.window.is_some();
                    continue;
                }
            };
            let all = provider.listed(&body).unwrap_or_default();
            // Whoever has one model serves it under any name.
            let is_sole = all.len() == 1;
            for listed in all {
                if is_sole || listed.name.is_empty() || listed.name == self.model {
                    said.add(listed);
                }
            }
            if said.window.is_some() && said.parameters.is_some() {
                break;
            }
        }
        // Half of the versions would be taken for other ones.
        said.build = said.build.filter(|_| is_whole);
        Ok(said)
    }

    /// Completes `request`; `hear` is told what comes as it comes. Gives the whole answer, and how long its first token took.
    /// Dropping the future ends the work and closes the connection, which ends it on the server too.
    ///
    /// # Errors
    /// [`Failure`] says why there is no answer, and what the server meant if it refused.
    pub async fn complete(
        &self,
        request: &CompletionRequest<'_>,
        hear: &mut Listener<'_>,
    ) -> Result<(Gathered, Option<Duration>), Failure> {
        let provider = self.provider.as_ref();
        let sent = provider.complete(&self.model, request);
        let mut watch = Watch::new(request.budget.reads);
        let response = self.wire.open(provider, &self.model, &sent, (&watch, hear)).await?;
        let reader = Reader::new(provider, &self.model, request.budget);
        let gathered = reader.read(response, &mut watch, hear).await?;
        Ok((gathered, watch.first_token()))
    }

    /// The address and the body that `request` becomes, for whoever asks whether that is still the same.
    #[must_use]
    pub fn sends(&self, request: &CompletionRequest<'_>) -> String {
        let Request { url, body } = self.provider.complete(&self.model, request);
        format!("{url}\n{}\n", body.unwrap_or_default())
    }
}

impl Server {
    /// Reads `frame` in each way in which something of a server is read, and throws it away: for whoever tries whether there is
    /// one that ends in a panic.
    pub fn try_frame(&self, frame: &Value) {
        let _ = self.provider.parts(frame);
        let _ = self.provider.listed(frame);
        let _ = self.provider.refusal(&Said::new(400, frame));
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.name()).finish()
    }
}
