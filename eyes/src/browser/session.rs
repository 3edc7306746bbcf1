//! One browser context: a session of its own, with a profile of its own, that is closed whatever happens.

use std::time::Duration;

use fantoccini::error::{ErrorStatus, NewSessionError};
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::{Method, Request};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::timeout;
use url::Url;

use super::bounded::Connector;
use crate::launch::ENDED;
use crate::look::LookError;

/// How long a session may take to open: a grid queues.
const OPENING: Duration = Duration::from_secs(30);

/// How long one that nobody waits for any more may take until it is given up: longer than a grid keeps a request in its
/// queue (Selenium's `--session-request-timeout` is 300 s). Its place is free then.
const GIVEN_UP: Duration = Duration::from_secs(330);

/// How long a session may take to be closed. What is asked in it is asked one after the other, so a page that holds up
/// one command holds up this one too.
const CLOSING: Duration = Duration::from_secs(1);

/// How long the driver may take to end a session that could not be closed.
const ENDING: Duration = Duration::from_secs(10);

/// An open session. It is closed when it is dropped, too.
#[derive(Debug)]
pub(super) struct Session {
    /// None once it is being closed.
    client: Option<Client>,
    /// The place among those that may be open at once.
    place: Option<OwnedSemaphorePermit>,
    /// What the driver is told to end.
    at: Option<Url>,
}

impl Session {
    /// Opens one at `driver`, which people know as `shown`. If nobody waits for it any more when it is open, it is
    /// closed.
    pub(super) async fn open(
        driver: &Url,
        capabilities: Value,
        shown: &str,
        place: Option<OwnedSemaphorePermit>,
    ) -> Result<Self, LookError> {
        let Value::Object(capabilities) = capabilities else {
            return Err(LookError::Browser("its capabilities are no object".to_owned()));
        };
        let (told, opened) = oneshot::channel();
        let connecting = connect(driver.clone(), capabilities, place, told);
        tokio::spawn(async move {
            if timeout(GIVEN_UP, connecting).await.is_err() {
                tracing::warn!("a browser that was asked for never came");
            }
        });
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

    /// Holds a place until it is closed.
    pub(super) fn hold(&mut self, place: OwnedSemaphorePermit) {
        self.place = Some(place);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let (client, at, place) = (self.client.take(), self.at.take(), self.place.take());
        let (Some(client), Ok(runtime)) = (client, tokio::runtime::Handle::try_current()) else {
            return;
        };
        runtime.spawn(async move {
            match timeout(CLOSING, client.close()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::info!(%error, "a browser's session was gone before it was closed");
                }
                Err(_) => end(at).await,
            }
            drop(place);
        });
    }
}

/// Tells the driver to end a session, beside whatever is being asked in it.
async fn end(at: Option<Url>) {
    let request = at.map(|at| Request::builder().method(Method::DELETE).uri(at.as_str()));
    let Some(Ok(request)) = request.map(|request| request.body(Empty::<Bytes>::new())) else {
        return;
    };
    let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new());
    let asked = client.build_http().request(request);
    match timeout(ENDING, asked).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::info!(%error, "a browser's session could not be ended"),
        Err(_) => tracing::warn!("a browser's session does not end"),
    }
}

async fn connect(
    driver: Url,
    capabilities: Capabilities,
    place: Option<OwnedSemaphorePermit>,
    told: oneshot::Sender<Result<Session, NewSessionError>>,
) {
    let mut builder = ClientBuilder::new(Connector::new());
    let builder = builder.capabilities(capabilities);
    let mut opened = builder.connect(driver.as_str()).await;
    if opened.as_ref().is_err_and(ended_at_its_start) {
        tracing::info!("a browser ended while it started; it is started once more");
        opened = builder.connect(driver.as_str()).await;
    }
    let connected = match opened {
        Ok(client) => {
            let id = client.session_id().await.ok().flatten();
            let at = id.and_then(|id| address(&driver, &id));
            Ok(Session { client: Some(client), place, at })
        }
        Err(error) => Err(error),
    };
    // A session that nobody takes is dropped here, which closes it.
    let _ = told.send(connected);
}

/// Whether the browser started and ended before it could be driven. Chromium does so once in a while, for no reason that
/// it says (ChromeDriver's words; Selenium's issue 17265).
fn ended_at_its_start(error: &NewSessionError) -> bool {
    matches!(error, NewSessionError::SessionNotCreated(said) if said.message.contains("Chrome instance exited"))
}

fn address(driver: &Url, session: &str) -> Option<Url> {
    let mut at = driver.clone();
    at.path_segments_mut().ok()?.pop_if_empty().extend(["session", session]);
    Some(at)
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
        // The desk's words come as an unknown error, which fantoccini counts as none of WebDriver's.
        NewSessionError::NotW3C(said) if said.to_string().contains(ENDED) => {
            format!("the browser at {shown} has ended; the next look starts one anew")
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_driver_that_has_ended_is_told_as_such() {
        let told =
            |said: Value| unopened(&NewSessionError::NotW3C(said), "this machine").to_string();
        let ended = told(json!({"error": "unknown error", "message": format!("{ENDED}: refused")}));
        assert!(ended.contains("this machine has ended"), "{ended}");
        assert!(told(json!({"error": "unknown error", "message": "no"})).contains("WebDriver"));
    }
}
