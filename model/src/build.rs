//! Makes models from what is set.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use llm::{ProviderName, Target};

use super::{
    ApiKeys, Ask, Breakers, Chain, Completion, Endpoint, Endpoints, Link, Listed, Listener, Llm,
    Model, ModelError, Offline, Trusted,
};

/// A model whose server tells what else it has.
#[async_trait]
pub trait Lists: Model {
    /// The models that the server has, sorted by name.
    ///
    /// # Errors
    /// As for [`Model::complete`].
    async fn models(&self) -> Result<Vec<Listed>, ModelError>;

    /// Where its server is, for people.
    fn address(&self) -> String;

    /// Whether its server is on this machine or in its own network.
    fn is_near(&self) -> bool;

    /// What it means when the server does not have this model.
    fn unknown(&self) -> ModelError;

    /// Forgets what the server has refused, so that it is asked anew.
    fn ask_anew(&self);
}

/// What models are made with.
#[derive(Debug, Clone, Default)]
pub struct Maker {
    /// The owner's wishes.
    pub llm: Llm,
    /// Where Ollama is, as OLLAMA_HOST has it.
    pub ollama_host: Option<String>,
    /// The keys of the providers.
    pub keys: ApiKeys,
    /// Where a choice that is to last is noted.
    pub chosen: PathBuf,
    /// What was learned of servers before.
    pub known: Arc<Endpoints>,
    /// How those that were asked are. Chains come and go, and who is down stays down.
    pub breakers: Arc<Breakers>,
    /// Who outside of the house may read what is private.
    pub trusted: Trusted,
}

impl Maker {
    /// The language model that `target` names.
    ///
    /// # Errors
    /// [`ModelError::Settings`] when something is missing without which it can't even be asked.
    pub fn endpoint(&self, target: &Target) -> Result<Arc<dyn Lists>, ModelError> {
        Ok(Arc::new(self.make(target)?))
    }

    /// The same as what it is.
    ///
    /// # Errors
    /// As for [`Maker::endpoint`].
    pub fn make(&self, target: &Target) -> Result<Endpoint, ModelError> {
        let mut target = target.clone();
        if target.provider == ProviderName::Ollama && target.base_url.is_none() {
            target.base_url.clone_from(&self.ollama_host);
        }
        let endpoint = Endpoint::new(&target, &self.keys, Arc::clone(&self.known))?;
        let endpoint = endpoint.with_way(self.llm.way.way()).with_vision(self.llm.vision.sees());
        Ok(endpoint.with_window(self.llm.window.map(u64::from)))
    }

    /// The link of a chain that asks `target`. One that can't be made is there all the same, and says why.
    #[must_use]
    pub fn link(&self, target: &Target) -> Link {
        if target.provider == ProviderName::Offline {
            let offline = match self.llm.provider {
                ProviderName::Offline => Offline::chosen(),
                ProviderName::Ollama => Offline::new(&self.llm.model),
                _ => Offline::instead_of(&self.llm.model),
            };
            return Link::offline(Arc::new(offline));
        }
        match self.endpoint(target) {
            Ok(model) => {
                let gate = self.breakers.gate(&model.address(), &model.name());
                let outside = (!model.is_near()).then(|| (target.clone(), self.trusted.clone()));
                Link::behind(gate, outside, model)
            }
            Err(why) => Link::new(Arc::new(Unusable { name: target.to_string(), why })),
        }
    }

    /// `first`, and those behind it that are set as its fallback.
    #[must_use]
    pub fn chain(&self, first: &Target) -> Chain {
        Chain::new(self.beside(first).links(first))
    }

    /// The same where `first` is asked as well: if that is OpenAI, its key is for nobody else.
    fn beside(&self, first: &Target) -> Self {
        let openai_is_set = self.keys.openai_is_set || first.is_openai();
        Self { keys: ApiKeys { openai_is_set, ..self.keys.clone() }, ..self.clone() }
    }

    fn links(&self, first: &Target) -> Vec<Arc<Link>> {
        let others = self.llm.fallback.iter().filter(|target| *target != first);
        let all = std::iter::once(first).chain(others);
        all.map(|target| Arc::new(self.link(target))).collect()
    }
}

/// What stands in a chain for a model that can't be made.
struct Unusable {
    name: String,
    why: ModelError,
}

#[async_trait]
impl Model for Unusable {
    fn name(&self) -> String {
        self.name.clone()
    }

    async fn complete(&self, _: &Ask<'_>, _: &mut Listener<'_>) -> Result<Completion, ModelError> {
        Err(self.why.clone())
    }
}

#[async_trait]
impl Lists for Endpoint {
    async fn models(&self) -> Result<Vec<Listed>, ModelError> {
        Endpoint::models(self).await
    }

    fn address(&self) -> String {
        Endpoint::address(self)
    }

    fn is_near(&self) -> bool {
        Endpoint::is_near(self)
    }

    fn unknown(&self) -> ModelError {
        self.unknown_model()
    }

    fn ask_anew(&self) {
        Endpoint::ask_anew(self);
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use crate::Standing;
    use crate::scripted::gone;

    #[test]
    fn the_key_of_openai_stays_with_it_when_it_is_chosen_beside_others() {
        let keys = ApiKeys { openai: Some(SecretString::from("x")), ..ApiKeys::default() };
        let maker = Maker { keys, ..Maker::default() };
        let (openai, other) = ("openai:gpt-4o", "openai:m@https://example.com/v1");
        let url = url::Url::parse("https://example.com/v1").unwrap();
        let sends = |first: &str| {
            let maker = maker.beside(&first.parse().unwrap());
            maker.keys.of(ProviderName::OpenAi, &url).1.is_some()
        };
        assert!(sends(other) && sends("offline") && !sends(openai));
    }

    #[tokio::test(start_paused = true)]
    async fn who_rests_in_one_chain_rests_in_the_next() {
        let target = |text: &str| text.parse::<Target>().unwrap();
        let maker = Maker::default();
        let first = maker.chain(&target("ollama:m@http://127.0.0.1:9"));
        for _ in 0..3 {
            first.links()[0].seen(Some(&gone("127.0.0.1:9")));
        }
        let standing = |text: &str| maker.chain(&target(text)).links()[0].standing();
        let resting = first.links()[0].standing();
        assert!(matches!(resting, Standing::Open { .. }), "{resting}");
        assert_eq!(standing("ollama:m@http://127.0.0.1:9"), resting);
        assert_eq!(standing("ollama:other@http://127.0.0.1:9"), resting);
        assert_eq!(standing("ollama:m@http://127.0.0.1:7"), Standing::Closed { failures: 0 });
    }
}
