//! The way to a model: the agent's own endpoint.

use std::path::Path;
use std::sync::Arc;

use agent::config::{ProviderName, Settings, Target};
use agent::model::{ApiKeys, Ask, Completion, Endpoint, Model, Way};
use agent::workspace::Endpoints;
use anyhow::{Context, Result};
use home::Home;

/// A model of a server.
#[derive(Debug)]
pub struct Server {
    target: Target,
    keys: ApiKeys,
    known: Arc<Endpoints>,
}

impl Server {
    /// A model of `provider` at an address such as `http://127.0.0.1:8080/v1`, or at the provider's own; without a name,
    /// the one that the server lists first. What is learned of it is kept in `folder`.
    ///
    /// # Errors
    /// When a key is missing or nobody answers there.
    pub async fn find(
        provider: ProviderName,
        url: Option<String>,
        model: Option<String>,
        folder: &Path,
    ) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        let settings = Settings::read(&Home::find(None)?)?;
        let known = Arc::new(Endpoints::at(folder));
        let target = Target { provider, model: model.unwrap_or_default(), base_url: url };
        let mut server = Self { target, keys: settings.keys, known };
        if server.target.model.is_empty() {
            let listed = server.endpoint()?.models().await?;
            server.target.model = listed.first().context("the server has no model")?.name.clone();
        }
        Ok(server)
    }

    /// Which model it is. A server that was started with a file calls it by its path.
    #[must_use]
    pub fn model(&self) -> &str {
        self.target.model.rsplit('/').next().unwrap_or_default()
    }

    /// Asks in this way, at temperature 0.
    ///
    /// # Errors
    /// When no answer comes.
    pub async fn ask(&self, ask: &Ask<'_>, way: Way) -> Result<Completion> {
        let endpoint = self.endpoint()?.with_way(Some(way));
        Ok(endpoint.complete(ask, &mut |_| {}).await?)
    }

    fn endpoint(&self) -> Result<Endpoint> {
        Ok(Endpoint::new(&self.target, &self.keys, Arc::clone(&self.known))?)
    }
}
