//! The models of all chats, which can be exchanged while they go on.

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use llm::{ProviderName, Target};

use super::{
    Ask, Chain, Completion, InForce, Link, Listed, Listener, Maker, Model, ModelError, Proof, prove,
};

/// Asks whichever chain is set at the moment. A completion that runs keeps the one that it began with.
pub struct Switch {
    maker: Maker,
    at: RwLock<At>,
}

/// What is set.
#[derive(Clone)]
struct At {
    first: Target,
    chain: Arc<Chain>,
}

impl Switch {
    /// The chain that begins with `first`, and the means to make another.
    #[must_use]
    pub fn new(maker: Maker, first: Target, chain: Chain) -> Self {
        Self { maker, at: RwLock::new(At { first, chain: Arc::new(chain) }) }
    }

    /// This model alone, where nobody else is to be asked.
    #[must_use]
    pub fn of(model: Arc<dyn Model>) -> Self {
        let chain = Chain::new(vec![Arc::new(Link::new(model))]);
        Self::new(Maker::default(), Target::OFFLINE, chain)
    }

    /// Whom it asks first.
    #[must_use]
    pub fn first(&self) -> Target {
        self.at().first
    }

    /// Who is asked at the moment.
    #[must_use]
    pub fn chain(&self) -> Arc<Chain> {
        self.at().chain
    }

    /// What models are made with.
    #[must_use]
    pub fn maker(&self) -> &Maker {
        &self.maker
    }

    /// The models that the server of the first one has.
    ///
    /// # Errors
    /// Why it does not say.
    pub async fn models(&self) -> Result<Vec<Listed>, ModelError> {
        self.maker.endpoint(&self.first())?.models().await
    }

    /// Asks `target` first from now on, once it has answered; without a language model there is nothing to prove.
    ///
    /// # Errors
    /// Why it did not; all stays as it was then.
    pub async fn change(
        &self,
        target: Target,
        progress: &mut Listener<'_>,
    ) -> Result<Option<Proof>, ModelError> {
        let proof = match target.provider {
            ProviderName::Offline => None,
            _ => Some(prove(&*self.maker.endpoint(&target)?, progress).await?),
        };
        let chain = Arc::new(self.maker.chain(&target));
        if let Some(first) = chain.links().first().filter(|_| proof.is_some()) {
            first.seen(None);
        }
        *self.at.write().unwrap_or_else(PoisonError::into_inner) = At { first: target, chain };
        Ok(proof)
    }

    fn at(&self) -> At {
        self.at.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Model for Switch {
    fn name(&self) -> String {
        self.chain().name()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let chain = self.chain();
        chain.complete(ask, progress).await
    }

    async fn describe(&self) {
        self.chain().describe().await;
    }

    fn in_force(&self) -> Option<InForce> {
        self.chain().in_force()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::sleep;

    use super::*;
    use crate::scripted::{Scripted, hear};

    #[tokio::test(start_paused = true)]
    async fn what_runs_keeps_the_chain_that_it_began_with() {
        let slow = Scripted::new("a", [Ok("from a")]).taking(Duration::from_secs(2));
        let switch = Switch::of(Arc::new(slow));
        let (mut said, mut told) = (Vec::new(), Vec::new());
        let (mut hear_words, mut hear_change) = (hear(&mut said), hear(&mut told));
        let ask = Ask::plain("");
        let running = switch.complete(&ask, &mut hear_words);
        let changing = async {
            sleep(Duration::from_secs(1)).await;
            switch.change(Target::OFFLINE, &mut hear_change).await
        };
        let (completed, changed) = tokio::join!(running, changing);
        assert_eq!((completed.unwrap().text.as_str(), changed), ("from a", Ok(None)));
        assert_eq!((switch.name().as_str(), switch.first()), ("offline", Target::OFFLINE));
    }

    #[tokio::test(start_paused = true)]
    async fn what_can_not_be_asked_changes_nothing() {
        let switch = Switch::of(Arc::new(Scripted::new("a", [])));
        let target: Target = "openai:gpt-4o-mini".parse().unwrap();
        let error = switch.change(target, &mut |_| {}).await.unwrap_err();
        insta::assert_snapshot!(error, @"OpenAI wants a key; write OPENAI_API_KEY=... into .env in the home, or set it in the environment");
        assert_eq!(switch.name(), "a");
    }
}
