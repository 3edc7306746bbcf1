//! What the agent looks at pages with.

use std::sync::Arc;

use eyes::launch::Launcher;
use eyes::{Eyes, Network, Place};
use settings::Settings;

use crate::error::StartError;

/// What to do when there is no browser.
const NONE: &str = "to look at pages, install one (Debian, Ubuntu: apt install chromium chromium-driver), or set \
    REMOTE_BROWSER_SERVER in .env to the address of a WebDriver server";

/// Finds the browser, and starts what will start it if it is on this machine. Call it before the agent is confined.
///
/// # Errors
/// [`StartError::Network`] and [`StartError::Browser`] name the setting.
pub fn open_eyes(settings: &Settings) -> Result<Arc<Eyes>, StartError> {
    let wanted = &settings.config.browser;
    let network = Network::new(&wanted.allow_private)?;
    let (place, network) = match &settings.browser.remote {
        Some(address) => {
            let url = address.parse().map_err(|_| StartError::Browser(address.clone()))?;
            let (bind, reached) = (wanted.proxy_bind.as_deref(), wanted.proxy_address.as_deref());
            (Place::Remote(url), network.remote(bind, reached, wanted.trust_remote_network)?)
        }
        None => (own(settings), network),
    };
    Ok(Arc::new(Eyes::new(place, network)))
}

/// The line for people that says which browser there is.
pub(super) fn line(eyes: &Eyes) -> String {
    format!("browser: {}", eyes.in_words())
}

fn own(settings: &Settings) -> Place {
    match Launcher::begin(&settings.browser.search) {
        Ok(Some(launcher)) => Place::Own(launcher),
        Ok(None) => Place::None(NONE.to_owned()),
        Err(error) => Place::None(format!("what starts it could not be started: {error}")),
    }
}
