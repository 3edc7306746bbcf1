//! Who answers when the one who should can't: the first of a chain that does.
//!
//! People hear of it in one line, once for each way of failing, and again when the first is back. What has been
//! shown can't be taken back, so a model that fails after its first words fails for good.

use std::mem::{Discriminant, discriminant};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::breaker::Standing;
use super::{Ask, Completion, InForce, Link, Listener, Model, ModelError, Progress};
use crate::notice::Notice;

/// Models that are asked in turn.
pub struct Chain {
    links: Vec<Arc<Link>>,
    told: Mutex<Told>,
}

/// What people have heard.
#[derive(Debug, Default)]
struct Told {
    /// Which link answers.
    answers: usize,
    /// Which links have failed, and how, since they answered last.
    failures: Vec<(usize, Discriminant<ModelError>)>,
}

/// The links that failed to one message, with the reasons.
type Failed = Vec<(usize, ModelError)>;

impl Chain {
    /// `links` in the order in which they are asked.
    #[must_use]
    pub fn new(links: Vec<Arc<Link>>) -> Self {
        Self { links, told: Mutex::default() }
    }

    /// The same, when people have heard already that the first can't answer at the moment.
    #[must_use]
    pub fn after(self, failure: &ModelError) -> Self {
        if let Some(first) = self.links.first() {
            first.seen(failure);
        }
        let told = Told { answers: 1, failures: vec![(0, discriminant(failure))] };
        Self { told: Mutex::new(told), ..self }
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

    /// What people should hear when `link` begins to answer after those in `failed`; nothing when they know.
    fn news(&self, link: usize, failed: &Failed) -> Option<Notice> {
        let told = self.told();
        let name = self.links[link].name();
        if link == 0 {
            return (!told.failures.is_empty())
                .then(|| Notice::new(format!("{name} answers again")));
        }
        let is_new = |(at, error): &&(usize, ModelError)| {
            !told.failures.contains(&(*at, discriminant(error)))
        };
        let mut parts: Vec<String> =
            failed.iter().filter(is_new).map(|(_, error)| error.to_string()).collect();
        if parts.is_empty() && told.answers == link {
            return None;
        }
        parts.push(match self.links[link].is_offline() {
            true => "answering without a language model".to_owned(),
            false => format!("{name} answers now"),
        });
        Some(Notice::new(parts.join("; ")))
    }

    /// What people have heard once `link` has answered after those in `failed`.
    fn tell(&self, link: usize, failed: &Failed) {
        let mut told = self.told();
        told.answers = link;
        told.failures.retain(|(at, _)| link != 0 && *at != link);
        for (at, error) in failed {
            let failure = (*at, discriminant(error));
            if !told.failures.contains(&failure) {
                told.failures.push(failure);
            }
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One link's turn. Goes on with its failure, unless words were shown.
    async fn ask(
        &self,
        link: usize,
        failed: &Failed,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> ControlFlow<Result<Completion, ModelError>, ModelError> {
        // Nobody hears what is said about a plain one, so nobody knows it afterwards.
        let is_heard = ask.turn.is_some();
        let mut news = if is_heard { self.news(link, failed) } else { None };
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
        if is_heard && (has_begun || ended.is_ok()) {
            self.tell(link, failed);
        }
        match ended {
            Ok(completion) => ControlFlow::Break(Ok(completion)),
            Err(error) if has_begun => ControlFlow::Break(Err(error.cut_off())),
            Err(error) => ControlFlow::Continue(error),
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
            // Who has read nothing of it can't say either what a model had no room for.
            let is_too_much = failed.iter().any(|(_, error)| error.is_of_size());
            if link.is_offline() && (ask.turn.is_none() || is_too_much) {
                continue;
            }
            match self.ask(at, &failed, ask, progress).await {
                ControlFlow::Continue(error) => failed.push((at, error)),
                ControlFlow::Break(ended) => return ended,
            }
        }
        let mut failures = failed.into_iter().map(|(_, error)| error);
        let first = failures.next().unwrap_or(ModelError::NeedsModel);
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
