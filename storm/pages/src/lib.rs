//! Storms in a browser: sessions, an editor for agents and one for sessions, and the conversation.
//!
//! ```text
//! GET  /storm/...                      the pages; their files stand in web/ and are everybody's
//! GET  /sessions, /agent-editor[/NAME], /session-editor[/ID], /conversation/ID     AIStorm's paths lead there
//!
//! GET  /v1/storms                      all sessions; POST makes one
//! GET  /v1/storms/ID                   one, with its agents and what was said last; ?before=N what was said earlier; DELETE
//! PUT  /v1/storms/ID/premise           until something was said, as for its agents
//! GET  /v1/storms/ID/agents/NAME       PUT, DELETE
//! POST /v1/storms/ID/agents            copies an agent in
//! POST /v1/storms/ID/say | next | stop
//! GET  /v1/storms/ID/events            how it goes on, as it happens
//! GET  /v1/storms/ID/export/FORM       md, html or jsonl
//! GET  /v1/agents                      the agents that are copied in; /v1/agents/NAME: GET, PUT, DELETE
//! GET  /v1/services                    whom an agent may name
//! ```
//!
//! Who may ask is decided before: this crate has no door of its own.

mod files;
mod refusal;
mod revision;
mod told;

mod agents;
mod conversation;
mod sessions;

mod events;
mod live;

mod models;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post, put};
use storm_runner::Shelf;

pub use files::is_open;
pub use models::{Models, Service};
pub use told::Told;

use live::Live;

/// What the pages show.
#[derive(Clone)]
pub struct Storms {
    /// The storms.
    shelf: Shelf,
    /// Where agents are copied from.
    templates: PathBuf,
    /// Who thinks for agents.
    models: Arc<dyn Models>,
    /// How many tokens the agents of one storm may take.
    tokens: u64,
    live: Live,
}

impl Storms {
    /// The storms of `shelf`, whose agents are copied from the files in `templates` and may take so many tokens each.
    #[must_use]
    pub fn new(shelf: Shelf, templates: PathBuf, models: Arc<dyn Models>, tokens: u64) -> Self {
        Self { shelf, templates, models, tokens, live: Live::default() }
    }

    /// The pages, and what they ask for.
    pub fn routes(self) -> Router {
        let one = get(conversation::one).delete(sessions::remove);
        let copy = get(agents::copy).put(agents::put_copy).delete(agents::drop_copy);
        let template = get(agents::template).put(agents::put).delete(agents::remove);
        Router::new()
            .route("/v1/storms", get(sessions::list).post(sessions::create))
            .route("/v1/storms/{id}", one)
            .route("/v1/storms/{id}/premise", put(sessions::premise))
            .route("/v1/storms/{id}/agents", post(agents::copy_in))
            .route("/v1/storms/{id}/agents/{name}", copy)
            .route("/v1/storms/{id}/say", post(conversation::say))
            .route("/v1/storms/{id}/next", post(conversation::next))
            .route("/v1/storms/{id}/stop", post(conversation::stop))
            .route("/v1/storms/{id}/events", get(events::listen))
            .route("/v1/storms/{id}/export/{form}", get(conversation::export))
            .route("/v1/agents", get(agents::list))
            .route("/v1/agents/{name}", template)
            .route("/v1/services", get(agents::services))
            .with_state(self)
            .merge(files::routes())
    }
}

/// Does what takes the disk's time beside everything else.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, refusal::Refusal> + Send + 'static,
) -> Result<T, refusal::Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| refusal::Refusal::Failed(error.to_string().into()))?
}

#[cfg(test)]
mod tests;
