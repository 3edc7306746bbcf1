//! One endpoint of a chain: asked with patience, and left alone while it rests.

use std::sync::Arc;

use llm::Target;

use super::breaker::Standing;
use super::gate::Gate;
use super::retry::{self, Tried};
use super::{Ask, Completion, InForce, Listener, Model, ModelError, Trusted};

/// A model in a chain, with what is known of its failures.
pub struct Link {
    model: Arc<dyn Model>,
    gate: Gate,
    stands_in: bool,
    /// What it is called in the settings, where it is outside of the house, and who is trusted there.
    outside: Option<(Target, Trusted)>,
}

impl Link {
    /// A language model.
    #[must_use]
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self { model, gate: Gate::default(), stands_in: false, outside: None }
    }

    /// A language model behind this gate, perhaps outside of the house.
    #[must_use]
    pub(super) fn behind(
        gate: Gate,
        outside: Option<(Target, Trusted)>,
        model: Arc<dyn Model>,
    ) -> Self {
        Self { gate, outside, ..Self::new(model) }
    }

    /// What it is called in the settings, if it is outside of the house.
    #[must_use]
    pub fn outside(&self) -> Option<&Target> {
        self.outside.as_ref().map(|(target, _)| target)
    }

    /// Whether it may read what is private when it stands in.
    #[must_use]
    pub fn may_read_private(&self) -> bool {
        self.outside.as_ref().is_none_or(|(target, trusted)| trusted.has(target))
    }

    /// What answers without a language model, and only messages.
    #[must_use]
    pub fn offline(model: Arc<dyn Model>) -> Self {
        Self { stands_in: true, ..Self::new(model) }
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> String {
        self.model.name()
    }

    /// How it is asked at the moment, if there is something to say of that.
    #[must_use]
    pub fn in_force(&self) -> Option<InForce> {
        self.model.in_force()
    }

    /// Asks its server what it is, if that is not known.
    pub(super) async fn describe(&self) {
        self.model.describe().await;
    }

    /// Whether it answers without a language model.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.stands_in
    }

    /// How the breaker before it stands now.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.gate.standing()
    }

    /// Takes in what was seen of it while nobody waited for an answer: that it is well, or this failure.
    pub(super) fn seen(&self, failure: Option<&ModelError>) {
        self.gate.ended(failure);
    }

    /// Completes, with further tries where they are worth it.
    ///
    /// # Errors
    /// As [`Model::complete`], and [`ModelError::Resting`].
    pub(super) async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, Tried> {
        let name = self.name();
        let pass = self.gate.pass(&name).map_err(|error| Tried { error, tries: 0 })?;
        let mut ended = retry::complete(&*self.model, ask, progress, pass.tries()).await;
        pass.end(ended.as_ref().err().map(|tried| &tried.error));
        if let Ok(completion) = &mut ended
            && completion.usage.by.is_empty()
        {
            completion.usage.by = name;
        }
        ended
    }
}
