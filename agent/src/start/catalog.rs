//! What the router says that it can run: waited for at start, followed from then on.

use std::sync::Arc;
use std::time::Duration;

use conversation::workspace::{Cards, Workspace};
use protocol::Catalog;
use tokio::sync::watch;

/// How long the start waits for the first catalogue.
const FIRST: Duration = Duration::from_secs(2);

/// What is known of the router when the chat starts.
#[derive(Debug)]
pub(super) enum Router {
    /// It has said what it can run.
    Ready(Catalog),
    /// It has not said anything yet. One of the first version never does.
    Silent,
    /// It has ended already.
    Gone,
}

/// Waits for the first catalogue, unless it can't come or takes too long.
pub(super) async fn wait_for_first(
    catalog: &mut watch::Receiver<Option<Catalog>>,
    workspace: &Workspace,
) -> Router {
    match tokio::time::timeout(FIRST, catalog.wait_for(Option::is_some)).await {
        Err(_) => Router::Silent,
        Ok(Err(_)) => Router::Gone,
        Ok(Ok(published)) => match published.clone() {
            None => Router::Silent,
            Some(catalog) => {
                take_over(&catalog, workspace);
                Router::Ready(catalog)
            }
        },
    }
}

/// Writes the router's cards to router_actions.json whenever they change.
pub(super) async fn follow(
    mut catalog: watch::Receiver<Option<Catalog>>,
    workspace: Arc<Workspace>,
) {
    while catalog.changed().await.is_ok() {
        let published = catalog.borrow_and_update().clone();
        // One that publishes nothing leaves the file as it stands.
        if let Some(catalog) = published {
            take_over(&catalog, &workspace);
        }
    }
}

fn take_over(catalog: &Catalog, workspace: &Workspace) {
    if let Err(error) = workspace.router_actions.save(Cards(catalog.cards.clone())) {
        tracing::warn!(%error, "the router's actions are kept in memory only");
    }
}

impl Router {
    /// Two lines for people: the router, which is reached by `way`, and its skills.
    pub(super) fn lines(&self, way: String, workspace: &Workspace) -> [String; 2] {
        let words = settings::words();
        let (router, skills) = match self {
            Self::Ready(catalog) => {
                // Those of a set are shown by /sets.
                let always = catalog.cards.iter().filter(|card| card.set.is_none());
                let names: Vec<&str> = always.map(|card| card.name.as_str()).collect();
                let none = names.is_empty().then(|| words.get("start.none").to_owned());
                (way, none.unwrap_or_else(|| names.join(", ")))
            }
            Self::Silent => {
                let known = workspace.router_actions.read().0.len();
                (way, words.fill("start.silent", &[("count", &known)]))
            }
            Self::Gone => {
                (words.get("start.gone").to_owned(), words.get("start.goneSkills").to_owned())
            }
        };
        [
            words.fill("start.router", &[("router", &router)]),
            words.fill("start.skills", &[("skills", &skills)]),
        ]
    }
}
