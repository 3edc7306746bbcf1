//! One browser context: a session of its own, with a profile of its own, that is closed whatever happens.

use std::time::Duration;

use fantoccini::error::{ErrorStatus, NewSessionError};
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::timeout;
use url::Url;

use crate::launch::ENDED;
use crate::look::LookError;

/// How long a session may take to open: a grid queues.
const OPENING: Duration = Duration::from_secs(30);

/// How long a look waits for its session's end. One that is stuck in a script ends later, by itself.
const CLOSING: Duration = Duration::from_secs(3);

/// An open session. It is closed when it is dropped, too.
#[derive(Debug)]
pub(super) struct Session {
    /// None once it is being closed.
    client: Option<Client>,
    /// The place among those that may be open at once.
    place: Option<OwnedSemaphorePermit>,
}

impl Session {
    /// Opens one at `driver`, which people know as `shown`. If nobody waits for it any more when it is open, it is
    /// closed.
    pub(super) async fn open(
        driver: &Url,
        capabilities: Value,
        shown: &str,
        place: OwnedSemaphorePermit,
    ) -> Result<Self, LookError> {
        let Value::Object(capabilities) = capabilities else {
            return Err(LookError::Browser("its capabilities are no object".to_owned()));
        };
        let (told, opened) = oneshot::channel();
        tokio::spawn(connect(driver.clone(), capabilities, place, told));
        match timeout(OPENING, opened).await {
            Ok(Ok(Ok(session))) => Ok(session),
            Ok(Ok(Err(error))) => Err(unopened(&error, shown)),
            Ok(Err(_)) => Err(LookError::Browser(format!("the browser at {shown} was given up"))),
            Err(_) => Err(full(shown, &format!("it gave none within {} s", OPENING.as_secs()))),
        }
    }

    /// What it is driven with.
    pub(super) fn client(&self) -> Option<&Client> {
        self.client.as_ref()
    }

    /// Closes it.
    pub(super) async fn close(mut self) {
        if let Some(closing) = self.begin_to_close() {
            let _ = timeout(CLOSING, closing).await;
        }
    }

    fn begin_to_close(&mut self) -> Option<tokio::task::JoinHandle<()>> {
        let (client, place) = (self.client.take()?, self.place.take());
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(runtime.spawn(async move {
            if let Err(error) = client.close().await {
                tracing::info!(%error, "a browser's session was gone before it was closed");
            }
            drop(place);
        }))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.begin_to_close());
    }
}

async fn connect(
    driver: Url,
    capabilities: Capabilities,
    place: OwnedSemaphorePermit,
    told: oneshot::Sender<Result<Session, NewSessionError>>,
) {
    let mut builder = ClientBuilder::new(HttpConnector::new());
    let connected = builder.capabilities(capabilities).connect(driver.as_str()).await;
    // A session that nobody takes is dropped here, which closes it.
    let _ = told.send(connected.map(|client| Session { client: Some(client), place: Some(place) }));
}

fn full(shown: &str, why: &str) -> LookError {
    LookError::Browser(format!(
        "the browser server at {shown} has no free browser: {why}; try again later"
    ))
}

/// Why there is no session, for people: who is not there, who has no room, and who does not want.
fn unopened(error: &NewSessionError, shown: &str) -> LookError {
    let why = match error {
        NewSessionError::SessionNotCreated(said) => {
            let said = said.message.lines().next().unwrap_or_default().trim().to_owned();
            let queued = ["queue", "timed out", "timeout", "no free", "slots", "capacity"];
            if queued.iter().any(|word| said.to_ascii_lowercase().contains(word)) {
                return full(shown, &said);
            }
            format!("{shown} gives no browser: {said}")
        }
        NewSessionError::Failed(_) | NewSessionError::FailedC(_) | NewSessionError::Lost(_) => {
            format!(
                "nothing answers at {shown}; start the browser server there, or correct its address"
            )
        }
        NewSessionError::NotW3C(_) => format!("{shown} does not speak WebDriver"),
        other => format!("{shown} gives no browser: {other}"),
    };
    LookError::Browser(why)
}

/// Whether a command failed because the session, or its browser, is gone.
pub(super) fn is_gone(error: &fantoccini::error::CmdError) -> bool {
    use fantoccini::error::CmdError;
    match error {
        CmdError::Lost(_) | CmdError::Failed(_) | CmdError::FailedC(_) => true,
        CmdError::Standard(said) => {
            matches!(said.error, ErrorStatus::InvalidSessionId) || said.message.starts_with(ENDED)
        }
        _ => false,
    }
}
