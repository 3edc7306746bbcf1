//! A browser that is open, with its own session and its own network, for one look.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use url::Url;

use super::session::{Session, is_gone};
use crate::look::{Look, LookError, Seen};
use crate::network::{Gate, Network, shown};
use crate::page;

/// How long it is asked whether a browser is still there.
const STILL_THERE: Duration = Duration::from_secs(2);

/// Where browsers are opened, and with which network.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) driver: Url,
    /// What people know the driver as.
    pub(super) shown: String,
    pub(super) network: Network,
}

/// An open browser. It is closed when it is dropped.
#[derive(Debug)]
pub(super) struct Ready {
    session: Session,
    gate: Gate,
    shown: String,
}

impl Source {
    /// Opens a proxy, and a browser with the capabilities that are `made` of the proxy's address. `place` is held until the
    /// browser is closed.
    pub(super) async fn open(
        self,
        made: impl FnOnce(Option<&str>) -> Value,
        place: Option<OwnedSemaphorePermit>,
    ) -> Result<Ready, LookError> {
        let gate = self.network.open().await?;
        let capabilities = made(gate.address());
        let session = Session::open(&self.driver, capabilities, &self.shown, place).await?;
        Ok(Ready { session, gate, shown: self.shown })
    }
}

impl Ready {
    /// Holds a place until it is closed.
    pub(super) fn hold(&mut self, place: OwnedSemaphorePermit) {
        self.session.hold(place);
    }

    /// Whether the browser answers.
    pub(super) async fn answers(&self) -> bool {
        let Some(client) = self.session.client() else { return false };
        matches!(timeout(STILL_THERE, client.current_url()).await, Ok(Ok(_)))
    }

    /// Looks at a page. Whatever came of it, the browser is used now, and closed behind the look's back.
    pub(super) async fn look(self, look: &Look) -> Result<Seen, LookError> {
        let Some(client) = self.session.client() else {
            return Err(LookError::Browser("its session is closed".to_owned()));
        };
        let looked = async {
            self.gate.admit(client).await?;
            page::look(client, look).await
        };
        let seen = match timeout(look.limit, looked).await {
            Ok(seen) => seen,
            Err(_) => Err(LookError::Slow(shown(&look.url), look.limit)),
        };
        let seen = self.or_gone(seen).await;
        self.gate.judge(&look.url, seen)
    }

    /// The same, or that the browser is gone, if that is why nothing was seen.
    async fn or_gone(&self, seen: Result<Seen, LookError>) -> Result<Seen, LookError> {
        let (Err(LookError::Page(..) | LookError::Browser(..)), Some(client)) =
            (&seen, self.session.client())
        else {
            return seen;
        };
        match timeout(STILL_THERE, client.current_url()).await {
            Ok(Err(error)) if is_gone(&error) => Err(LookError::Browser(format!(
                "the browser at {} has ended in the middle; the next look starts one anew",
                self.shown
            ))),
            _ => seen,
        }
    }
}
