//! Who answers when the one who should can't: the first of a chain that does.
//!
//! The people of each session hear of it in one line when the next is asked, once for each way of failing, and again
//! when the first is back. Guests hear no address and no command. What has been shown can't be taken back, so a model
//! that fails after its first words fails for good.

mod told;

use std::ops::ControlFlow;
use std::sync::Arc;

use async_trait::async_trait;
use document::Notice;

use self::told::Told;
use super::breaker::Standing;
use super::retry::Tried;
use super::{Ask, Completion, Hearer, InForce, Link, Listener, Model, ModelError, Progress};

/// Models that are asked in turn.
pub struct Chain {
    links: Vec<Arc<Link>>,
    told: Told,
}

/// A link that failed to one message.
struct Failure {
    link: usize,
    tried: Tried,
    /// Whether people have heard of it while they waited.
    is_said: bool,
}

impl Chain {
    /// `links` in the order in which they are asked.
    #[must_use]
    pub fn new(links: Vec<Arc<Link>>) -> Self {
        Self { links, told: Told::default() }
    }

    /// The same, when the owner has heard already that the first can't answer at the moment.
    #[must_use]
    pub fn after(self, failure: &ModelError) -> Self {
        if let Some(first) = self.links.first() {
            first.seen(Some(failure));
        }
        Self { told: Told::at_start(failure), ..self }
    }

    /// Its links, in the order in which they are asked.
    #[must_use]
    pub fn links(&self) -> &[Arc<Link>] {
        &self.links
    }

    /// Who is asked at the moment: the first that does not rest.
    fn asked(&self) -> Option<&Arc<Link>> {
        self.links.iter().find(|link| !rests(link)).or(self.links.first())
    }

    /// What `hearer` should hear when `link` is asked after those that have failed; nothing when they know of them, or
    /// `link` will not be asked either.
    fn asks(&self, link: usize, failed: &mut [Failure], hearer: &Hearer) -> Option<Notice> {
        if rests(&self.links[link]) {
            return None;
        }
        let mut parts = Vec::new();
        for Failure { link, tried, is_said } in failed {
            if !self.told.knows(hearer, *link, &tried.error) {
                self.told.fails(hearer, *link, &tried.error);
                parts.push(tried.to_string());
                *is_said = true;
            }
        }
        if parts.is_empty() {
            return None;
        }
        let without = "answering without a language model";
        let (now, for_guests) = match self.links[link].is_offline() {
            true => (without.to_owned(), without),
            false => (format!("asking {}", self.links[link].name()), "another model is asked"),
        };
        parts.push(now);
        Some(Notice::new(parts.join("; ")).for_guests(for_guests))
    }

    /// What `hearer`, who has heard nothing of it yet, should hear when `link` begins to answer.
    fn answers(&self, link: usize, hearer: &Hearer) -> Option<Notice> {
        let name = self.links[link].name();
        let (text, for_guests) = match link {
            0 if self.told.expects_another(hearer, 0) => {
                (format!("{name} answers again"), "the model answers again")
            }
            0 => return None,
            _ if !self.told.expects_another(hearer, link) => return None,
            _ if self.links[link].is_offline() => {
                let without = "answering without a language model";
                (without.to_owned(), without)
            }
            _ => (format!("{name} answers now"), "another model answers now"),
        };
        Some(Notice::new(text).for_guests(for_guests))
    }

    /// One link's turn. Goes on with its failure, unless words were shown.
    async fn ask(
        &self,
        link: usize,
        failed: &mut [Failure],
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> ControlFlow<Result<Completion, ModelError>, Tried> {
        let asks = ask.hearer.and_then(|hearer| self.asks(link, failed, hearer));
        let unheard = ask.hearer.filter(|_| asks.is_none());
        let mut answers = unheard.and_then(|hearer| self.answers(link, hearer));
        if let Some(asks) = asks {
            progress(Progress::Notice(asks));
        }
        let mut watched = |step: Progress<'_>| {
            if step.is_words()
                && let Some(answers) = answers.take()
            {
                progress(Progress::Notice(answers));
            }
            progress(step);
        };
        let ended = self.links[link].complete(ask, &mut watched).await;
        if let Some(answers) = answers.take_if(|_| ended.is_ok()) {
            progress(Progress::Notice(answers));
        }
        if let Some(hearer) = ask.hearer.filter(|_| ask.was_shown() || ended.is_ok()) {
            self.told.answers(hearer, link);
        }
        match ended {
            Ok(completion) => ControlFlow::Break(Ok(completion)),
            Err(tried) if ask.was_shown() => ControlFlow::Break(Err(tried.error.cut_off())),
            Err(tried) => ControlFlow::Continue(tried),
        }
    }
}

/// Whether it is left alone at the moment.
fn rests(link: &Link) -> bool {
    matches!(link.standing(), Standing::Open { .. })
}

/// What people hear when the next model is outside of the house and may not read what is private.
fn withheld(name: &str) -> Notice {
    let text = format!(
        "{name} would be asked now, and is not: it is outside of your network, and this conversation holds what is private. \
         /model trust lets it read that from now on"
    );
    Notice::new(text).for_guests("no other model may read this conversation")
}

/// The failure of all of them: the first of which nobody has heard yet. The others are told.
fn ended(failed: Vec<Failure>, progress: &mut Listener<'_>) -> ModelError {
    let mut unsaid = failed.into_iter().filter(|failure| !failure.is_said);
    let first = unsaid.next().map_or(ModelError::NeedsModel, |failure| failure.tried.error);
    for other in unsaid {
        progress(Progress::Notice(Notice::new(other.tried.to_string())));
    }
    first
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
        let mut failed = Vec::new();
        for (at, link) in self.links.iter().enumerate() {
            // Who has read nothing of it can't say either what a model had no room for.
            let is_too_much = failed.iter().any(|one: &Failure| one.tried.error.is_of_size());
            if link.is_offline() && (ask.turn.is_none() || ask.needs_model || is_too_much) {
                continue;
            }
            if at > 0 && ask.is_private && !link.may_read_private() {
                progress(Progress::Notice(withheld(&link.name())));
                continue;
            }
            match self.ask(at, &mut failed, ask, progress).await {
                ControlFlow::Continue(tried) => {
                    failed.push(Failure { link: at, tried, is_said: false });
                }
                ControlFlow::Break(ended) => return ended,
            }
        }
        Err(ended(failed, progress))
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
