//! The channels that are on.

use std::sync::Arc;

use business::Reception;
use channel::Channel;
use channel::console::{Console, DimLine, OneMessage, OwnEditor};
use channel::http::Http;
use channel::http::web::Page;
use protocol::{NameError, Principal, SessionKey};
use schedule::Book;
use session::OwnersStanding;
use settings::Settings;
use tokio_util::sync::CancellationToken;

#[cfg(feature = "telegram")]
use super::telegram;

/// A channel that is on.
pub(super) struct On {
    /// The channel.
    pub(super) channel: Box<dyn Channel>,
    /// A line for people who want to know.
    pub(super) line: String,
}

/// What the console is given beside the others.
pub(super) struct Seat {
    /// How the owner's conversation stands.
    pub(super) standing: OwnersStanding,
    /// What starts an editor of the person's own.
    pub(super) editor: Option<Arc<dyn OwnEditor>>,
    /// The one message that is said instead of a conversation.
    pub(super) says: Option<OneMessage>,
    /// What is to be said later.
    pub(super) book: Option<Arc<Book>>,
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
    (quit, reception): (&CancellationToken, &Arc<Reception>),
    seat: Seat,
) -> Result<Channels, NameError> {
    let is_one = seat.says.is_some();
    let mut all = vec![console(page, quit, seat)?];
    if is_one {
        return Ok(Channels { all, lines: Vec::new() });
    }
    #[cfg(feature = "telegram")]
    let others = [telegram::channel(settings, page, reception)?, http(settings, page)];
    #[cfg(not(feature = "telegram"))]
    let _ = reception;
    #[cfg(not(feature = "telegram"))]
    let others = [http(settings, page)];
    let mut lines = Vec::new();
    for on in others.into_iter().flatten() {
        all.push(on.channel);
        lines.push(on.line);
    }
    Ok(Channels { all, lines })
}

/// Who sits at the console.
pub(super) fn at_the_console() -> Result<Principal, NameError> {
    Principal::new("console:owner")
}

/// The console: who sits there is the owner and may end everything by `quit`.
fn console(
    page: &Page,
    quit: &CancellationToken,
    seat: Seat,
) -> Result<Box<dyn Channel>, NameError> {
    let workspace = &*page.workspace;
    Ok(Box::new(Console {
        session: SessionKey::owner(),
        principal: at_the_console()?,
        typed: workspace.folder().join("console_history.txt"),
        personas: workspace.personas(),
        output: workspace.folder().join("output"),
        dim: DimLine::new(Arc::clone(&page.model), seat.standing),
        quit: quit.clone(),
        editor: seat.editor,
        says: seat.says,
        book: seat.book,
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
        line: settings::words().fill("start.http", &[("address", &listen)]),
    })
}
