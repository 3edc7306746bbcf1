//! The browser: whether there is one to look at pages with.

use eyes::launch::installed;
use home::Check;
use settings::Settings;

const NAME: &str = "browser";

/// Whether a browser is there, and what mends it.
#[must_use]
pub fn browser(settings: &Settings) -> Check {
    if let Some(address) = &settings.browser.remote {
        return remote(settings, address);
    }
    match installed(&settings.browser.search) {
        Some(driver) => {
            Check::ok(NAME, format!("one is installed, driven by {}", driver.display()))
        }
        None => Check::warn(
            NAME,
            "none is installed, so pages are read as HTML alone",
            "install one (Debian, Ubuntu: apt install chromium chromium-driver), or set REMOTE_BROWSER_SERVER in .env",
        ),
    }
}

/// A browser elsewhere needs a network of its own, or a way to the agent's proxy.
fn remote(settings: &Settings, address: &str) -> Check {
    let wanted = &settings.config.browser;
    if address.parse::<url::Url>().is_err() {
        let seen = format!("REMOTE_BROWSER_SERVER is no address: {address}");
        return Check::fail(NAME, seen, "write it as http://host:4444 in .env");
    }
    if wanted.proxy_bind.is_none() && !wanted.trust_remote_network {
        return Check::fail(
            NAME,
            format!("{address} is set, and its network is not decided"),
            "set browser.proxy_bind or browser.trust_remote_network in agent/config.json",
        );
    }
    Check::ok(NAME, format!("the one at {address}"))
}
