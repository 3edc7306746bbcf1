//! The browser: which one there is, and one look with it from the session's start to its end.

pub(crate) mod capabilities;
mod own;
mod session;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::Url;

use crate::launch::Launcher;
use crate::look::{Look, LookError, Seen};
use crate::network::{Network, shown};
use crate::page;
use own::Own;
use session::{Session, is_gone};

/// How many pages are looked at side by side: a browser of each takes a few hundred megabytes.
const SIDE_BY_SIDE: usize = 3;

/// How long it is asked whether a browser that failed is still there.
const STILL_THERE: Duration = Duration::from_secs(2);

/// Where a browser is.
#[derive(Debug)]
pub enum Place {
    /// At a WebDriver server elsewhere.
    Remote(Url),
    /// Here: a driver of our own is started when it is needed, and named profiles are kept in the folder.
    Own(Launcher, PathBuf),
    /// There is none: why, and what to do.
    None(String),
}

/// Looks at pages.
#[derive(Debug)]
pub struct Eyes {
    browser: Browser,
    network: Network,
    places: Arc<Semaphore>,
}

#[derive(Debug)]
enum Browser {
    Remote(Url),
    Own(Own, PathBuf),
    None(String),
}

impl Eyes {
    /// Eyes with the browser at `place`, which has this network.
    #[must_use]
    pub fn new(place: Place, network: Network) -> Self {
        let browser = match place {
            Place::Remote(url) => Browser::Remote(url),
            Place::Own(launcher, profiles) => Browser::Own(Own::new(launcher), profiles),
            Place::None(why) => Browser::None(why),
        };
        let places = Arc::new(Semaphore::new(network.side_by_side(SIDE_BY_SIDE)));
        Self { browser, network, places }
    }

    /// Whether there is a browser to look with.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !matches!(self.browser, Browser::None(_))
    }

    /// Whether the browser is elsewhere.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        matches!(self.browser, Browser::Remote(_))
    }

    /// One line for people: which browser, and how it gets at pages.
    #[must_use]
    pub fn in_words(&self) -> String {
        let network = self.network.in_words();
        match &self.browser {
            Browser::Remote(url) => format!("the one at {}; {network}", shown(url)),
            Browser::Own(..) => {
                format!("one of this agent's own, started when it is needed; {network}")
            }
            Browser::None(why) => format!("none: {why}"),
        }
    }

    /// Looks at one page, in a session of its own, which is closed also when this future is dropped.
    ///
    /// # Errors
    /// [`LookError`] says who can do what.
    pub async fn look(&self, look: Look) -> Result<Seen, LookError> {
        self.network.check(&look.url)?;
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| LookError::NoBrowser("it is closed".to_owned()))?;
        let (driver, shown, _awake) = match &self.browser {
            Browser::None(why) => return Err(LookError::NoBrowser(why.clone())),
            Browser::Remote(url) => (url.clone(), shown(url), None),
            Browser::Own(own, _) => {
                let (url, awake) = own.wake().await?;
                (url, "this machine".to_owned(), Some(awake))
            }
        };
        let gate = self.network.open().await?;
        let capabilities = self.capabilities(&look, gate.address())?;
        let session = Session::open(&driver, capabilities, &shown, place).await?;
        let looked = async {
            let Some(client) = session.client() else {
                return Err(LookError::Browser("its session is closed".to_owned()));
            };
            gate.admit(client).await?;
            page::look(client, &look).await
        };
        let seen = match timeout(look.limit, looked).await {
            Ok(seen) => seen,
            Err(_) => Err(LookError::Slow(self::shown(&look.url), look.limit)),
        };
        let seen = self.or_gone(seen, &session, &shown).await;
        session.close().await;
        let mut seen = gate.judge(&look.url, seen)?;
        seen.remarks.extend(self.network.remark());
        Ok(seen)
    }

    fn capabilities(
        &self,
        look: &Look,
        proxy: Option<&str>,
    ) -> Result<serde_json::Value, LookError> {
        match (&self.browser, &look.profile) {
            (Browser::Own(_, profiles), name) => {
                let folder = match name {
                    Some(name) if !capabilities::is_name(name) => {
                        let why = format!(
                            "{name:?} is no name of a profile: letters, digits, - and _ are"
                        );
                        return Err(LookError::Browser(why));
                    }
                    name => name.as_ref().map(|name| profiles.join(name)),
                };
                Ok(capabilities::own(proxy.unwrap_or_default(), folder.as_deref()))
            }
            (_, None) => Ok(capabilities::remote(proxy)),
            (_, Some(name)) => Err(LookError::Browser(format!(
                "the profile {name:?} is on this machine, and the browser is not"
            ))),
        }
    }

    /// The same, or that the browser is gone, if that is why nothing was seen.
    async fn or_gone(
        &self,
        seen: Result<Seen, LookError>,
        session: &Session,
        shown: &str,
    ) -> Result<Seen, LookError> {
        let (Err(LookError::Page(..) | LookError::Browser(..)), Some(client)) =
            (&seen, session.client())
        else {
            return seen;
        };
        match timeout(STILL_THERE, client.current_url()).await {
            Ok(Err(error)) if is_gone(&error) => Err(LookError::Browser(format!(
                "the browser at {shown} has ended in the middle; the next look starts one anew"
            ))),
            _ => seen,
        }
    }
}
