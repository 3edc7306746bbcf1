//! The browser: which one there is, and one look with it from the session's start to its end.

mod bounded;
mod own;
mod ready;
mod session;

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Semaphore;
use url::Url;

use crate::capabilities;
use crate::launch::Launcher;
use crate::look::{Look, LookError, Seen};
use crate::network::{Network, shown};
use own::{Awake, Own};
use ready::{Ready, Source};

/// How many pages are looked at side by side: a browser of each takes a few hundred megabytes.
const SIDE_BY_SIDE: usize = 3;

/// Where a browser is.
#[derive(Debug)]
pub enum Place {
    /// At a WebDriver server elsewhere.
    Remote(Url),
    /// Here: a driver of our own is started when it is needed.
    Own(Launcher),
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
    Own(Own),
    None(String),
}

impl Eyes {
    /// Eyes with the browser at `place`, which has this network.
    #[must_use]
    pub fn new(place: Place, network: Network) -> Self {
        let browser = match place {
            Place::Remote(url) => Browser::Remote(url),
            Place::Own(launcher) => Browser::Own(Own::new(launcher)),
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

    /// Looks at one page, in a browser of its own, which is closed also when this future is dropped.
    ///
    /// # Errors
    /// [`LookError`] says who can do what.
    pub async fn look(&self, look: Look) -> Result<Seen, LookError> {
        self.network.check(&look.url)?;
        let place = Arc::clone(&self.places).acquire_owned();
        let Ok(place) = tokio::time::timeout(look.limit, place).await else {
            let why = "other looks hold every browser that may be open; try again later";
            return Err(LookError::Browser(why.to_owned()));
        };
        let place = place.map_err(|_| LookError::NoBrowser("it is closed".to_owned()))?;
        let (source, awake) = self.source().await?;
        let spare = match &awake {
            Some(awake) => awake.spare().await,
            None => None,
        };
        let ready: Ready = if let Some(mut spare) = spare {
            spare.hold(place);
            spare
        } else {
            let is_own = awake.is_some();
            let made = move |proxy: Option<&str>| capabilities_of(is_own, proxy);
            source.clone().open(made, Some(place)).await?
        };
        let seen = ready.look(&look).await;
        if let Some(awake) = &awake {
            awake.prepare(source.open(|proxy| capabilities_of(true, proxy), None));
        }
        let mut seen = seen?;
        seen.remarks.extend(self.network.remark());
        Ok(seen)
    }

    /// Where a browser is opened, and what keeps the driver there.
    async fn source(&self) -> Result<(Source, Option<Awake>), LookError> {
        let (driver, shown, awake) = match &self.browser {
            Browser::None(why) => return Err(LookError::NoBrowser(why.clone())),
            Browser::Remote(url) => (url.clone(), shown(url), None),
            Browser::Own(own) => {
                let (url, awake) = own.wake().await?;
                (url, "this machine".to_owned(), Some(awake))
            }
        };
        Ok((Source { driver, shown, network: self.network.clone() }, awake))
    }
}

fn capabilities_of(is_own: bool, proxy: Option<&str>) -> Value {
    if is_own { capabilities::own(proxy.unwrap_or_default()) } else { capabilities::remote(proxy) }
}
