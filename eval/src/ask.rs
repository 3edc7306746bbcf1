//! The way to a model: the agent's own, with its settings and its second tries.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use home::Home;
use model::{
    Ask, Assist, Chain, Completion, Endpoint, Endpoints, Link, Maker, Model, Progress, Way,
};
use settings::{ProviderName, Settings, Target};
use sha2::{Digest, Sha256};

/// Whom somebody wants to ask; what is not said is as the agent has it in its settings.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// Who serves it. With an address alone it is whoever speaks OpenAI's API.
    pub provider: Option<ProviderName>,
    /// Where the server listens.
    pub url: Option<String>,
    /// The model; of another server than the agent's, the first that it lists.
    pub model: Option<String>,
}

impl Wish {
    /// The target that is meant, where the agent asks `set`; its model is empty if the server has to say.
    fn target(&self, set: &Target) -> Target {
        let own = if self.url.is_some() { ProviderName::OpenAi } else { set.provider };
        let provider = self.provider.unwrap_or(own);
        let is_set = self.url.is_none() && provider == set.provider;
        let (base_url, model) = match is_set {
            true => (set.base_url.clone(), set.model.clone()),
            false => (self.url.clone(), String::new()),
        };
        Target { provider, model: self.model.clone().unwrap_or(model), base_url }
    }
}

/// A model of a server.
#[derive(Debug)]
pub struct Server {
    target: Target,
    maker: Maker,
    /// Whether the server has named the model.
    is_listed: bool,
    /// What it is helped with, if it is small.
    assist: Assist,
}

impl Server {
    /// The model that `wish` means in `home`. What is learned of it is kept in `folder`.
    ///
    /// # Errors
    /// When no model is set, a key is missing or nobody answers there.
    pub async fn find(wish: &Wish, home: &Home, folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        let settings = Settings::read(home)?;
        let maker = settings.maker(Arc::new(Endpoints::at(folder)));
        let target = wish.target(&settings.config.llm.target());
        ensure!(
            target.provider != ProviderName::Offline,
            "no language model is set; name one with --url or --provider, or set one with `agent config llm`"
        );
        let is_listed = target.model.is_empty();
        let assist = Assist::default();
        let mut server = Self { target, maker, is_listed, assist };
        if is_listed {
            let listed = server.maker.make(&server.target)?.models().await?;
            server.target.model = listed.first().context("the server has no model")?.name.clone();
        }
        Ok(server)
    }

    /// The same, helped so if it is small.
    #[must_use]
    pub fn helped(self, assist: Assist) -> Self {
        Self { assist, ..self }
    }

    /// Which model it is. A server that was started with a file calls it by its path.
    #[must_use]
    pub fn model(&self) -> &str {
        self.target.model.rsplit('/').next().unwrap_or_default()
    }

    /// The options that name it. A name that the server lists first need not be said, and may be a path of its machine.
    #[must_use]
    pub fn options(&self) -> String {
        let Target { provider, model, base_url } = &self.target;
        let provider = match (provider, base_url) {
            (ProviderName::OpenAi, Some(_)) => String::new(),
            (provider, _) => format!(" --provider {provider}"),
        };
        let url = base_url.as_ref().map(|url| format!(" --url {url}")).unwrap_or_default();
        let model = if self.is_listed { String::new() } else { format!(" --model {model}") };
        format!("{provider}{url}{model}")
    }

    /// The same, asked in this way at temperature 0, as often as the agent asks.
    ///
    /// # Errors
    /// When a key is missing.
    pub fn asked(&self, way: Way) -> Result<Lane> {
        let endpoint = self.maker.make(&self.target)?.with_way(Some(way));
        Ok(Lane(Arc::new(endpoint.with_assist(self.assist))))
    }
}

/// One model that is asked in one way.
#[derive(Debug)]
pub struct Lane(Arc<Endpoint>);

impl Lane {
    /// What tells this ask from every other: a digest of address, prompt and form, in hex.
    pub async fn digest(&self, ask: &Ask<'_>) -> String {
        let digest = Sha256::digest(self.0.sends(ask).await);
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Asks.
    ///
    /// # Errors
    /// When no answer comes, also after further tries.
    pub async fn ask(&self, ask: &Ask<'_>) -> Result<Completion> {
        self.ask_heard(ask, &mut |_| {}).await
    }

    /// Asks, and tells `hear` how the model gets on.
    ///
    /// # Errors
    /// When no answer comes, also after further tries.
    pub async fn ask_heard(
        &self,
        ask: &Ask<'_>,
        hear: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Completion> {
        let mut hear = |step: Progress<'_>| {
            if let Progress::Notice(notice) = &step {
                eprintln!("[{notice}]");
            }
            hear(step);
        };
        let link = Link::new(Arc::clone(&self.0) as Arc<dyn Model>);
        Ok(Chain::new(vec![Arc::new(link)]).complete(ask, &mut hear).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_wished_for_is_as_it_is_set() {
        let set: Target = "ollama:llama3.1:8B@http://10.0.0.5:11434".parse().unwrap();
        let meant = |provider, url: Option<&str>, model: Option<&str>| {
            let (url, model) = (url.map(str::to_owned), model.map(str::to_owned));
            Wish { provider, url, model }.target(&set).to_string()
        };
        assert_eq!(meant(None, None, None), set.to_string());
        assert_eq!(meant(None, None, Some("a")), "ollama:a@http://10.0.0.5:11434");
        assert_eq!(meant(Some(ProviderName::Ollama), None, None), set.to_string());
        assert_eq!(meant(Some(ProviderName::OpenAi), None, Some("a")), "openai:a");
        assert_eq!(meant(None, Some("http://h/v1"), None), "openai@http://h/v1");
        let named = meant(Some(ProviderName::Ollama), Some("http://h"), None);
        assert_eq!(named, "ollama@http://h");
    }
}
