//! Who answers when the one who should can't: the first of a chain that does.
//!
//! The people of each session hear of it in one line, once for each way of failing, and again when the first is back.
//! Guests hear no address and no command. What has been
//! shown can't be taken back, so a model that fails after its first words fails for good.

use std::collections::HashMap;
use std::mem::Discriminant;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use protocol::SessionKey;

use super::breaker::Standing;
use super::retry::Tried;
use super::{Ask, Completion, Hearer, InForce, Link, Listener, Model, ModelError, Progress};
use crate::notice::Notice;
use crate::workspace::OWNER;

/// Models that are asked in turn.
pub struct Chain {
    links: Vec<Arc<Link>>,
    /// What the people of each session know. Those who know of no failure are not in it.
    told: Mutex<HashMap<SessionKey, Told>>,
}

/// What people have heard.
#[derive(Debug, Clone, Default)]
struct Told {
    /// Which link answers.
    answers: usize,
    /// Which links have failed, and how, since they answered last.
    failures: Vec<(usize, (Discriminant<ModelError>, u16))>,
}

/// The links that failed to one message, with the reasons.
type Failed = Vec<(usize, Tried)>;

impl Chain {
    /// `links` in the order in which they are asked.
    #[must_use]
    pub fn new(links: Vec<Arc<Link>>) -> Self {
        Self { links, told: Mutex::default() }
    }

    /// The same, when the owner has heard already that the first can't answer at the moment.
    #[must_use]
    pub fn after(self, failure: &ModelError) -> Self {
        if let Some(first) = self.links.first() {
            first.seen(Some(failure));
        }
        let told = Told { answers: 1, failures: vec![(0, failure.kind())] };
        let told = SessionKey::new(OWNER).ok().map(|owner| (owner, told));
        Self { told: Mutex::new(told.into_iter().collect()), ..self }
    }

    /// Its links, in the order in which they are asked.
    #[must_use]
    pub fn links(&self) -> &[Arc<Link>] {
        &self.links
    }

    /// Who is asked at the moment: the first that does not rest.
    fn asked(&self) -> Option<&Arc<Link>> {
        let is_asked = |link: &&Arc<Link>| !matches!(link.standing(), Standing::Open { .. });
        self.links.iter().find(is_asked).or(self.links.first())
    }

    /// What `hearer` should hear when `link` begins to answer after those in `failed`; nothing when they know.
    fn news(&self, link: usize, failed: &Failed, hearer: &Hearer) -> Option<Notice> {
        let told = self.told().get(hearer.session()).cloned().unwrap_or_default();
        let name = self.links[link].name();
        if link == 0 {
            let back = Notice::new(format!("{name} answers again"));
            return (!told.failures.is_empty()).then(|| back.for_guests("the model answers again"));
        }
        let is_new =
            |(at, tried): &&(usize, Tried)| !told.failures.contains(&(*at, tried.error.kind()));
        let mut parts: Vec<String> =
            failed.iter().filter(is_new).map(|(_, tried)| tried.to_string()).collect();
        if parts.is_empty() && told.answers == link {
            return None;
        }
        let without = "answering without a language model";
        let (now, for_guests) = match self.links[link].is_offline() {
            true => (without.to_owned(), without),
            false => (format!("{name} answers now"), "another model answers now"),
        };
        parts.push(now);
        Some(Notice::new(parts.join("; ")).for_guests(for_guests))
    }

    /// What `hearer` has heard once `link` has answered after those in `failed`.
    fn tell(&self, link: usize, failed: &Failed, hearer: &Hearer) {
        let mut sessions = self.told();
        if link == 0 {
            sessions.remove(hearer.session());
            return;
        }
        let told = sessions.entry(hearer.session().clone()).or_default();
        told.answers = link;
        told.failures.retain(|(at, _)| *at != link);
        for (at, tried) in failed {
            let failure = (*at, tried.error.kind());
            if !told.failures.contains(&failure) {
                told.failures.push(failure);
            }
        }
    }

    fn told(&self) -> MutexGuard<'_, HashMap<SessionKey, Told>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One link's turn. Goes on with its failure, unless words were shown.
    async fn ask(
        &self,
        link: usize,
        failed: &Failed,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> ControlFlow<Result<Completion, ModelError>, Tried> {
        let mut news = ask.hearer.and_then(|hearer| self.news(link, failed, hearer));
        let mut has_begun = false;
        let mut watched = |step: Progress<'_>| {
            if step.is_words() {
                has_begun = true;
                if let Some(news) = news.take() {
                    progress(Progress::Notice(news));
                }
            }
            progress(step);
        };
        let ended = self.links[link].complete(ask, &mut watched).await;
        if let Some(news) = news.take_if(|_| ended.is_ok()) {
            progress(Progress::Notice(news));
        }
        if let Some(hearer) = ask.hearer.filter(|_| has_begun || ended.is_ok()) {
            self.tell(link, failed, hearer);
        }
        match ended {
            Ok(completion) => ControlFlow::Break(Ok(completion)),
            Err(tried) if has_begun => ControlFlow::Break(Err(tried.error.cut_off())),
            Err(tried) => ControlFlow::Continue(tried),
        }
    }
}

#[async_trait]
impl Model for Chain {
    fn name(&self) -> String {
        self.asked().map(|link| link.name()).unwrap_or_default()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let mut failed = Failed::new();
        for (at, link) in self.links.iter().enumerate() {
            if link.is_offline() && ask.turn.is_none() {
                continue;
            }
            match self.ask(at, &failed, ask, progress).await {
                ControlFlow::Continue(tried) => failed.push((at, tried)),
                ControlFlow::Break(ended) => return ended,
            }
        }
        let mut failures = failed.into_iter().map(|(_, tried)| tried);
        let first = failures.next().map_or(ModelError::NeedsModel, |tried| tried.error);
        for other in failures {
            progress(Progress::Notice(Notice::new(other.to_string())));
        }
        Err(first)
    }

    async fn describe(&self) {
        if let Some(link) = self.asked() {
            link.describe().await;
        }
    }

    fn in_force(&self) -> Option<InForce> {
        self.asked().and_then(|link| link.in_force())
    }
}

#[cfg(test)]
mod tests;
