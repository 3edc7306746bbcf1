//! The page on which the owner talks with the agent in a browser.
//!
//! ```text
//! GET  /                 the page; its files stand in channel/web and are everybody's
//! GET  /sign-in?code=    a form with one button; POST uses the link up
//! GET  /v1/page          how the agent stands
//! GET  /v1/model         who thinks, what filled the window, and the models that there are
//! GET  /v1/page/events   what was told lately and is told now, with ids by which a page goes on
//! GET  /v1/history       what was said before
//! GET  /v1/conversations      those that were put away; ?words= finds, /NUMBER is one, ?form=md|html|json saves it
//! GET  /v1/commands      the slash commands
//! .... /v1/files ...     files that are dropped into the chat, and come back: see [`drops`]
//! GET  /v1/pictures/...  a picture that an action has made
//! POST /v1/sign-out      signs this browser out
//! POST /v1/markdown      Markdown as a tree, so that no text of a model is ever read as HTML
//! ```

mod conversations;
mod drops;
mod files;
mod markdown;
mod words;

mod cookies;
mod door;
mod sign_in;
mod signed_in;

mod show;
mod thinks;

use std::sync::Arc;

pub use door::Door;
pub(super) use show::routes;
pub use signed_in::{SignIns, SignedIn};

use conversation::workspace::Workspace;
use model::Switch;
use session::OwnersStanding;

use crate::GivenFiles;

/// What the page needs of the agent.
#[derive(Clone)]
pub struct Page {
    /// The agent's files.
    pub workspace: Arc<Workspace>,
    /// Who thinks.
    pub model: Arc<Switch>,
    /// How the owner's conversation stands.
    pub standing: OwnersStanding,
    /// The files that the owner has given, here and elsewhere.
    pub given: Arc<GivenFiles>,
}

impl Page {
    /// The page of this agent.
    #[must_use]
    pub fn new(workspace: &Arc<Workspace>, model: &Arc<Switch>, standing: &OwnersStanding) -> Self {
        let given = Arc::new(GivenFiles::below(workspace.folder()));
        let (workspace, model) = (Arc::clone(workspace), Arc::clone(model));
        Self { workspace, model, standing: standing.clone(), given }
    }
}

/// Whether everybody may see what stands at `path`: there is nothing of the owner's in it.
pub(super) fn is_open(path: &str) -> bool {
    path == mind::links::PATH || files::find(path).is_some()
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").finish_non_exhaustive()
    }
}
