//! HTTP on this machine alone: for programs that have the token, and for the owner's own page in a browser.
//!
//! ```text
//! POST /v1/messages  {"text": "...", "session"?: "...", "stream"?: true}    the answer, whole or as it comes
//!                    {"text": "...", "session"?: "...", "wait": false}      its mark; the answer comes as events
//! POST /v1/answers   {"id": "...", "answer": "yes" | "no" | "always", "code"?: "...", "pin"?: "...", "times"?: 5, "minutes"?: 120}
//! POST /v1/cancel    {"session"?: "..."}
//! GET  /v1/events    ?session=...                                           all that is said there, as it comes
//! GET  /v1/status
//! GET  /metrics                                                            numbers for Prometheus
//! ```
//!
//! Who has the token is the owner: without `session` it is the owner's session, which all of the owner's channels share.
//! A name makes a session of its own. A bridge has a token of its own, and speaks in its own sessions alone. What the page needs besides stands in [`web`].

pub mod web;

mod guard;
mod site;

mod routes;
mod storms;

mod asked;
mod hub;
mod listener;
mod ring;
mod told;

mod answered;
mod events;
mod numbers;
mod refusal;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mind::links::Links;
use secrecy::{ExposeSecret, SecretString};
use settings::{Bridge, Site};
use tokio::net::TcpListener;

use self::guard::Guard;
use self::hub::Hub;
use self::site::Sites;
use self::web::{Door, Page, SignIns};
use super::{Channel, ChannelError, Line};

/// Its name.
pub const NAME: &str = "http";

/// How short a token may be, in bytes: a shorter one could be guessed.
const SHORTEST: usize = 16;

/// How long answers that are being written may take when the agent ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// The channel, not begun.
#[derive(Debug)]
pub struct Http {
    /// Where it listens. The port 0 is one that is free.
    pub listen: SocketAddr,
    /// What a program has to show. Without it nobody is served.
    pub token: Option<SecretString>,
    /// The further names under which a proxy of the owner's serves it.
    pub sites: Vec<Site>,
    /// The programs that carry the talk of other people in.
    pub bridges: Vec<Bridge>,
    /// What the page shows, if there is one.
    pub page: Option<Page>,
}

#[async_trait]
impl Channel for Http {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError> {
        let listener = self.bind().await.map_err(failed)?;
        self.serve(listener, line).await
    }
}

fn failed(reason: String) -> ChannelError {
    ChannelError { channel: NAME, reason }
}

impl Http {
    async fn bind(&self) -> Result<TcpListener, String> {
        let listen = self.listen;
        if !listen.ip().is_loopback() {
            return Err(format!(
                "{listen} is not on this machine alone; http.listen takes 127.0.0.1 or [::1]"
            ));
        }
        TcpListener::bind(listen).await.map_err(|error| {
            let mend = home::agent_command("config http 127.0.0.1:PORT");
            let mend = format!("set another port: `{mend}`");
            format!("{listen} can't be listened on: {error}; {mend}")
        })
    }

    /// Serves on a listener that is there already, until the agent ends.
    ///
    /// # Errors
    /// [`ChannelError`] when it fails.
    pub async fn serve(self, listener: TcpListener, line: Line) -> Result<(), ChannelError> {
        let here = listener.local_addr().map_err(|error| failed(error.to_string()))?;
        tracing::info!("programs are served at http://{here}");
        let mend = home::agent_command("config http");
        let no_token =
            format!("SAFECLAW_HTTP_TOKEN in .env is missing or too short: `{mend}` makes one");
        let token = self.token.filter(|token| token.expose_secret().len() >= SHORTEST);
        let token = token.ok_or_else(|| failed(no_token))?;
        let hub = Hub::new(line.incoming, self.page.as_ref().map(|page| page.standing.clone()));
        let sites = Arc::new(Sites::new(here, self.sites));
        let page = self.page.map(|page| {
            // A link is checked here and made elsewhere.
            let links = Links::new(&token, Vec::new());
            let door = Door::new(links, SignIns::of(&page.workspace), here.port());
            (page, Arc::new(door))
        });
        let door = page.as_ref().map(|(_, door)| Arc::clone(door));
        let mut app = routes::programs(hub.clone());
        if let Some((page, door)) = page {
            app = app.merge(storms::routes(&page, &door));
            app = app.merge(web::routes(hub.clone(), page, door, Arc::clone(&sites)));
        }
        let bridges = guard::bridges(self.bridges, &token);
        let app = routes::behind(app, Guard { sites, token, bridges, door });
        let over = hub.over();
        let serving = loopback::serve(listener, app, over.clone());
        let farewell = async {
            over.cancelled().await;
            tokio::time::sleep(FAREWELL).await;
        };
        tokio::select! {
            ((), ()) = async { tokio::join!(serving, hub.hear(line.outgoing)) } => {}
            () = farewell => {}
        }
        Ok(())
    }
}
