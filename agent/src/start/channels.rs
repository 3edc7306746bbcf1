//! The channels that are on.

use protocol::{NameError, Principal, SessionKey};
use tokio_util::sync::CancellationToken;

#[cfg(feature = "telegram")]
use super::telegram;
use crate::channel::Channel;
use crate::channel::console::{Console, OneMessage};
use crate::channel::http::Http;
use crate::channel::http::web::Page;
use crate::config::Settings;
use crate::workspace::Workspace;

/// A channel that is on.
pub(super) struct On {
    /// The channel.
    pub(super) channel: Box<dyn Channel>,
    /// A line for people who want to know.
    pub(super) line: String,
}

/// All of them, and a line for each but the console.
pub(super) struct Channels {
    /// The channels, the console first.
    pub(super) all: Vec<Box<dyn Channel>>,
    /// The lines.
    pub(super) lines: Vec<String>,
}

/// Every channel that is set up. `quit` is cancelled by who sits at the console.
pub(super) fn all(
    settings: &Settings,
    page: &Page,
    quit: &CancellationToken,
    says: Option<OneMessage>,
) -> Result<Channels, NameError> {
    let workspace = &*page.workspace;
    if says.is_some() {
        return Ok(Channels { all: vec![console(workspace, quit, says)?], lines: Vec::new() });
    }
    #[cfg(feature = "telegram")]
    let others = [telegram::channel(settings, workspace)?, http(settings, page)];
    #[cfg(not(feature = "telegram"))]
    let others = [http(settings, page)];
    let (mut all, mut lines) = (vec![console(workspace, quit, None)?], Vec::new());
    for on in others.into_iter().flatten() {
        all.push(on.channel);
        lines.push(on.line);
    }
    Ok(Channels { all, lines })
}

/// The console: who sits there is the owner and may end everything by `quit`.
fn console(
    workspace: &Workspace,
    quit: &CancellationToken,
    says: Option<OneMessage>,
) -> Result<Box<dyn Channel>, NameError> {
    Ok(Box::new(Console {
        session: SessionKey::owner(),
        principal: Principal::new("console:owner")?,
        typed: workspace.folder().join("console_history.txt"),
        personas: workspace.personas(),
        quit: quit.clone(),
        says,
    }))
}

fn http(settings: &Settings, page: &Page) -> Option<On> {
    let listen = settings.config.http.listen?.address();
    let channel = Http {
        listen,
        token: settings.http_token.clone(),
        sites: settings.config.http.sites.clone(),
        bridges: settings.config.http.bridges.clone(),
        page: Some(page.clone()),
    };
    Some(On {
        channel: Box::new(channel),
        line: format!("http:   at http://{listen}; /web gives a link that signs your browser in"),
    })
}
