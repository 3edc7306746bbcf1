//! One model of one provider, ready to be asked.

mod gloss;
mod measure;
mod memo;
mod plan;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use gloss::Glossed;
use memo::Memo;
use plan::{Plan, Server};
use wire::Wire;

use super::provider::{Anthropic, Form, Gemini, Listed, Ollama, OpenAi, Provider, Refusal};
use super::stream::{Failure, Gathered, Reader, Watch};
use super::{ApiKeys, Ask, Completion, Listener, Model, ModelError, Usage, Way};
use crate::config::{ProviderName, Target};
use crate::workspace::Endpoints;

/// How long the list of models may take.
const LIST: Duration = Duration::from_secs(10);

/// How long the server may take to say how large its window is. It need not.
const DESCRIBE: Duration = Duration::from_secs(5);

/// One model of one provider.
pub struct Endpoint {
    provider: Box<dyn Provider>,
    model: String,
    wire: Wire,
    memo: Memo,
    way: Option<Way>,
    window: Option<u64>,
    glossed: Glossed,
}

impl Endpoint {
    /// The model that `target` names; `known` is what was learned of servers before. For Ollama, the target's
    /// address is read as OLLAMA_HOST is, and without one it is Ollama's own.
    ///
    /// # Errors
    /// [`ModelError::Settings`] if an address is none or a key is missing, [`ModelError::NeedsModel`] for
    /// `offline`.
    pub fn new(target: &Target, keys: &ApiKeys, known: Arc<Endpoints>) -> Result<Self, ModelError> {
        let url = target.base_url.as_deref();
        let provider: Box<dyn Provider> = match target.provider {
            ProviderName::Ollama => Box::new(Ollama::new(url)?),
            ProviderName::OpenAi => Box::new(OpenAi::new(url, keys.openai.as_ref())?),
            ProviderName::Anthropic => Box::new(Anthropic::new(url, keys.anthropic.as_ref())?),
            ProviderName::Gemini => Box::new(Gemini::new(url, keys.gemini.as_ref())?),
            ProviderName::Offline => return Err(ModelError::NeedsModel),
        };
        let wire = Wire::new(provider.place())?;
        let memo = Memo::new(known, provider.place(), &target.model);
        let model = target.model.clone();
        Ok(Self {
            provider,
            model,
            wire,
            memo,
            way: None,
            window: None,
            glossed: Glossed::default(),
        })
    }

    /// Asks for actions in this way, whatever the server thinks of it. Without one, the endpoint finds out.
    #[must_use]
    pub fn with_way(self, way: Option<Way>) -> Self {
        Self { way, ..self }
    }

    /// Shows it pictures, or none, whatever the server says. Without a word, the endpoint finds out.
    #[must_use]
    pub fn with_vision(self, vision: Option<bool>) -> Self {
        Self { memo: self.memo.with_vision(vision), ..self }
    }

    /// Uses a window of at most so many tokens.
    #[must_use]
    pub fn with_window(self, window: Option<u64>) -> Self {
        Self { window, ..self }
    }

    /// The models that the server has, sorted by name.
    ///
    /// # Errors
    /// As for [`Model::complete`].
    pub async fn models(&self) -> Result<Vec<Listed>, ModelError> {
        let provider = self.provider.as_ref();
        let fetched = self.wire.fetch(provider, &self.model, &provider.list(), LIST).await;
        let body = fetched.map_err(|failure| failure.error)?;
        let wrong = || provider.place().bad_frame(body.to_string().as_bytes());
        let mut models = provider.listed(&body).ok_or_else(wrong)?;
        models.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(models)
    }

    /// What it means when the server does not have the model.
    #[must_use]
    pub fn unknown_model(&self) -> ModelError {
        self.provider.place().unknown_model(&self.model)
    }

    /// Asks the server once how large its window is, and whether the model sees. Only a server that is not there is an error.
    async fn describe(&self) -> Result<(), ModelError> {
        if !self.memo.wants_window() {
            return Ok(());
        }
        let provider = self.provider.as_ref();
        let mut sees = None;
        for request in provider.describe(&self.model) {
            let body = match self.wire.fetch(provider, &self.model, &request, DESCRIBE).await {
                Ok(body) => body,
                Err(Failure { error: error @ ModelError::Unreachable { .. }, .. }) => {
                    return Err(error);
                }
                Err(_) => continue,
            };
            let models = provider.listed(&body).unwrap_or_default();
            let this =
                models.iter().find(|listed| listed.name.is_empty() || listed.name == self.model);
            sees = sees.or(this.and_then(|listed| listed.sees));
            if let Some(window) = this.and_then(|listed| listed.window) {
                self.memo.asked(Some(window), sees);
                return Ok(());
            }
        }
        self.memo.asked(None, sees);
        Ok(())
    }

    fn plan<'p>(&self, ask: &Ask<'p>, way: Way, gloss: Option<&str>) -> Plan<'p> {
        Plan::new(ask, way, gloss, &self.server())
    }

    fn server(&self) -> Server<'_> {
        Server { model: &self.model, memo: &self.memo, wish: self.window }
    }

    async fn attempt(
        &self,
        plan: &Plan<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<(Gathered, Watch), Failure> {
        let provider = self.provider.as_ref();
        let request = provider.complete(&plan.asked(&self.model));
        let mut watch = Watch::new(plan.tokens());
        let response = self.wire.open(provider, &self.model, &request, (&watch, progress)).await?;
        let reader = Reader::new(provider, &self.model);
        let gathered = reader.read(response, &mut watch, progress).await?;
        Ok((gathered, watch))
    }

    /// Learns from an answer, and gives it.
    fn completed(&self, plan: Plan<'_>, mut gathered: Gathered, watch: &Watch) -> Completion {
        let tokens = gathered.tokens;
        let mut cut = plan.rendered.cut.clone();
        match tokens.read {
            // A server that fills the whole window with the prompt has left out what was too much.
            Some(read) if read >= plan.size.window => {
                self.memo.overran(plan.size, plan.fits, None);
                cut.push("a part of the prompt, by the server, because it was too long".to_owned());
            }
            // What a picture took is counted as well.
            Some(read) if plan.picture.is_none() => self.memo.counted(plan.bytes(), read),
            _ => {}
        }
        if self.way.is_none() && plan.asks_for_actions {
            self.memo.worked(plan.way);
        }
        let calls = gathered.take_calls();
        if self.way.is_none() && matches!(plan.form, Form::Schema(_)) {
            self.memo.had_form(looks_like_json(&gathered.text));
        }
        self.memo.keep();
        let usage = Usage {
            by: self.name(),
            read: tokens.read,
            cached: tokens.cached,
            written: tokens.written,
            window: Some(plan.size.window),
            first_token: watch.first_token(),
            cut,
        };
        Completion { text: gathered.text, calls, usage }
    }
}

#[async_trait]
impl Model for Endpoint {
    fn name(&self) -> String {
        format!("{} at {}", self.model, self.provider.place().address)
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let described = self.describe().await;
        let mut ask = *ask;
        let way = self.way.unwrap_or_else(|| self.memo.way());
        let gloss = match &described {
            Ok(()) => self.gloss(&ask, way, progress).await,
            Err(_) => None,
        };
        let gloss = gloss.as_deref();
        let mut plan = self.plan(&ask, way, gloss);
        // The prompt is written even if nobody is there to be asked: people look at what stands in it.
        described?;
        let (mut overran, mut is_blind) = (false, false);
        loop {
            let failure = match self.attempt(&plan, progress).await {
                Ok((gathered, watch)) => {
                    if is_blind {
                        self.memo.refused_picture();
                    }
                    return Ok(self.completed(plan, gathered, &watch));
                }
                Err(failure) => failure,
            };
            if plan.picture.is_some() && may_refuse_picture(&failure) {
                tracing::info!(error = %failure.error, "the model is asked without the picture");
                // One that has no room for it may have some the next time.
                is_blind = !matches!(failure.refusal, Refusal::Overrun(_));
                ask = ask.with_picture(None);
                plan = self.plan(&ask, plan.way, gloss);
                continue;
            }
            match failure.refusal {
                Refusal::Overrun(said) if !overran => {
                    overran = true;
                    self.memo.overran(plan.size, plan.fits, said);
                    // Only a prompt that is written for the model can be written shorter.
                    if ask.turn.is_none() {
                        return Err(failure.error);
                    }
                }
                Refusal::Temperature if self.memo.takes_temperature() => {
                    self.memo.refused_temperature();
                }
                _ if refuses_form(&failure) && plan.form != Form::Free && self.way.is_none() => {
                    let Some(next) = plan::next(plan.way) else { return Err(failure.error) };
                    tracing::info!(error = %failure.error, ?next, "the model is asked in another way");
                    plan.way = next;
                }
                _ => return Err(failure.error),
            }
            plan = self.plan(&ask, plan.way, gloss);
        }
    }
}

/// Whether the server may have refused because it does not know schemas or tools.
fn refuses_form(failure: &Failure) -> bool {
    let is_likely = matches!(failure.error, ModelError::Status { status: 400 | 422 | 501, .. });
    failure.refusal == Refusal::Form || is_likely
}

/// Whether the server may have refused because of the picture: it has no room, says so, or does not say what it was.
fn may_refuse_picture(failure: &Failure) -> bool {
    let is_likely =
        matches!(failure.error, ModelError::Status { status: 400 | 415 | 422 | 501, .. });
    match failure.refusal {
        Refusal::Busy | Refusal::WrongKey => false,
        Refusal::Overrun(_) => true,
        _ => failure.of_pictures || is_likely,
    }
}

/// Whether a model that was told to write one JSON object did so, perhaps in a block of code. Nothing at all
/// says nothing of the server.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches("```json").trim_start_matches("```");
    text.is_empty() || text.trim_start().starts_with('{')
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Endpoint").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests;
