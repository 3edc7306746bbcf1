//! One model of one provider, ready to be asked.

mod describe;
mod gloss;
mod measure;
mod memo;
mod mend;
mod plan;
mod sends;
mod small;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use document::Notice;
use llm::{Delta, Failure, Format, Gathered, Listed, Server, Target};

use gloss::Glossed;
use memo::Memo;
use mend::Mending;
use plan::{Knows, Plan, TooLong};

use super::{
    ApiKeys, Ask, Assist, Completion, InForce, Listener, Model, ModelError, Progress, Usage, Way,
};
use crate::Endpoints;

/// One model of one provider.
pub struct Endpoint {
    server: Server,
    memo: Memo,
    way: Option<Way>,
    window: Option<u64>,
    assist: Assist,
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
        let server = Server::new(target, keys)?;
        let memo = Memo::new(known, &server);
        let (assist, glossed) = (Assist::default(), Glossed::default());
        Ok(Self { server, memo, way: None, window: None, assist, glossed })
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

    /// Helps it so, if it is small.
    #[must_use]
    pub fn with_assist(self, assist: Assist) -> Self {
        Self { assist, ..self }
    }

    /// The models that the server has, sorted by name.
    ///
    /// # Errors
    /// As for [`Model::complete`].
    pub async fn models(&self) -> Result<Vec<Listed>, ModelError> {
        self.server.models().await
    }

    /// Where its server is, for people.
    #[must_use]
    pub fn address(&self) -> String {
        self.server.address().to_owned()
    }

    /// Whether its server is on this machine or in its own network.
    #[must_use]
    pub fn is_near(&self) -> bool {
        self.server.is_local()
    }

    /// What it means when the server does not have the model.
    #[must_use]
    pub fn unknown_model(&self) -> ModelError {
        self.server.unknown_model()
    }

    /// Forgets what the server has refused, so that it is asked anew.
    pub fn ask_anew(&self) {
        self.memo.forget();
    }

    fn plan<'p>(&self, ask: &Ask<'p>, way: Way, gloss: Option<&str>) -> Plan<'p> {
        Plan::new(ask, way, gloss, &self.knows())
    }

    fn knows(&self) -> Knows<'_> {
        Knows { memo: &self.memo, wish: self.window, assist: self.assist }
    }

    /// Makes sure that the whole message is read, or none of it.
    fn readable(&self, plan: &Plan<'_>) -> Result<(), ModelError> {
        let Some(TooLong { tokens, room }) = plan.too_long else { return Ok(()) };
        Err(ModelError::TooLong {
            address: self.server.address().to_owned(),
            model: self.server.model().to_owned(),
            tokens,
            room,
            window: plan.size.window,
        })
    }

    async fn attempt(
        &self,
        plan: &Plan<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<(Gathered, Option<Duration>), Failure> {
        let mut hear = |delta: Delta<'_>| progress(delta.into());
        let (gathered, first_token) = self.server.complete(&plan.request(), &mut hear).await?;
        if gathered.thinks() {
            self.memo.thought();
        }
        Ok((gathered, first_token))
    }

    /// Learns from an answer how the model is to be asked, and gives what people should hear of it. `refused` says what
    /// happened when it was asked otherwise.
    fn learned(
        &self,
        plan: &Plan<'_>,
        gathered: &Gathered,
        refused: Option<&str>,
    ) -> Option<Notice> {
        if self.way.is_some() || !plan.asks_for_actions {
            return None;
        }
        match plan.format {
            // Nothing at all says nothing of the server.
            Format::Schema(_) if gathered.text.trim().is_empty() => None,
            Format::Schema(_) if !looks_like_json(&gathered.text) => self.memo.ignored(),
            _ => self.memo.worked(plan.way, refused),
        }
    }

    /// Learns from an answer what fits, and gives it.
    fn completed(
        &self,
        plan: Plan<'_>,
        mut gathered: Gathered,
        first_token: Option<Duration>,
    ) -> Completion {
        let tokens = gathered.tokens;
        self.memo.held(plan.size.window);
        let mut cut = plan.rendered.cut.clone();
        self.memo.has_read(tokens.read.unwrap_or_default());
        match tokens.read {
            // A server that fills the whole window with the prompt has left out what was too much.
            Some(read) if read >= plan.size.window && self.memo.asks_for_window() => {
                self.memo.overran(plan.size, plan.fits, None);
                cut.push("a part of the prompt, by the server, because it was too long".to_owned());
            }
            // What a picture took is counted as well.
            Some(read) if plan.picture.is_none() => self.memo.counted(plan.bytes(), read),
            _ => {}
        }
        let calls = gathered.take_calls();
        let ended = gathered.done().cloned().unwrap_or_default();
        self.memo.keep();
        let usage = Usage {
            by: self.name(),
            read: tokens.read,
            cached: tokens.cached,
            written: tokens.written,
            window: Some(plan.size.window),
            first_token,
            cut,
            shares: plan.shares(),
        };
        Completion {
            text: gathered.text,
            calls,
            words_alone: plan.is_talk(),
            unanswered: false,
            ended,
            usage,
        }
    }
}

#[async_trait]
impl Model for Endpoint {
    fn name(&self) -> String {
        self.server.name()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        self.memo.refresh();
        let described = self.described().await;
        if described.is_ok() && self.talks_apart(ask) {
            return self.decided(ask, progress).await;
        }
        self.asked(ask, described, progress).await
    }

    async fn describe(&self) {
        self.memo.refresh();
        // Whoever asks it will hear that it is not there.
        let _ = self.described().await;
    }

    fn in_force(&self) -> Option<InForce> {
        Some(self.memo.in_force(self.way, self.window))
    }
}

impl Endpoint {
    /// Asks in one way after the other, until one is taken.
    async fn asked(
        &self,
        ask: &Ask<'_>,
        described: Result<(), ModelError>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let mut ask = *ask;
        let way = self.way.unwrap_or_else(|| self.memo.way());
        let gloss = match &described {
            Ok(()) if !ask.talks => self.gloss(&ask, way, progress).await,
            _ => None,
        };
        let gloss = gloss.as_deref();
        let mut plan = self.plan(&ask, way, gloss);
        // The prompt is told even if nobody is there to be asked: people look at what stands in it.
        plan.tell(progress);
        described?;
        let mut mending = Mending::default();
        loop {
            self.readable(&plan)?;
            match self.attempt(&plan, progress).await {
                Ok((gathered, first_token)) => {
                    if let Some(words) = &mending.blind {
                        self.memo.refused_picture(words);
                    }
                    if let Some(news) = self.learned(&plan, &gathered, mending.form.as_deref()) {
                        progress(Progress::Notice(news));
                    }
                    return Ok(self.completed(plan, gathered, first_token));
                }
                Err(failure) => {
                    let failed = self.server.sends(&plan.request());
                    let Some(way) = self.mended(&failure, &plan, &mut ask, &mut mending) else {
                        return Err(failure.error);
                    };
                    plan = self.plan(&ask, way, gloss);
                    // What was learned need not change what is sent: some providers always leave the same room for thoughts.
                    if self.server.sends(&plan.request()) == failed {
                        return Err(failure.error);
                    }
                    plan.tell(progress);
                }
            }
        }
    }
}

/// Whether a model that was told to write one JSON object did so, perhaps in a block of code.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches("```json").trim_start_matches("```");
    text.trim_start().starts_with('{')
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Endpoint").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests;
