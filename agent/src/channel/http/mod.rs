//! A channel for programs: HTTP on this machine alone, for whoever has the token.
//!
//! ```text
//! POST /v1/messages  {"text": "...", "session"?: "...", "stream"?: true}    the answer, whole or as it comes
//! POST /v1/answers   {"id": "...", "answer": "yes" | "no" | "always", "code"?: "..."}
//! POST /v1/cancel    {"session"?: "..."}
//! GET  /v1/events    ?session=...                                           all that is said there, as it comes
//! GET  /v1/status
//! ```
//!
//! Who has the token is the owner: without `session` it is the owner's session, which all of the owner's channels share.
//! A name makes a session of its own. A web page needs no more than this.

mod connections;
mod guard;
mod routes;

mod asked;
mod hub;
mod listener;

mod answered;
mod events;
mod refusal;

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};
use tokio::net::TcpListener;

use self::guard::Guard;
use self::hub::Hub;
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
        let hub = Hub::new(line.incoming);
        let app = routes::all(hub.clone(), Guard { here, token });
        let over = hub.over();
        let serving = connections::serve(listener, app, over.clone());
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
