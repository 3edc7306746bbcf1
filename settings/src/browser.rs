//! The browser: which network it has, and where it is.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

/// `browser` in agent/config.json: what a browser may reach.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Browser {
    /// Hosts at home that pages may be opened at, as `host:port`. Pages from outside can then reach them as well.
    pub allow_private: Vec<String>,
    /// Where the proxy for a remote browser listens, as `10.0.0.5:3129`.
    pub proxy_bind: Option<String>,
    /// What the remote browser calls that address, if it is another one.
    pub proxy_address: Option<String>,
    /// A remote browser may use its own network, and what is private there.
    pub trust_remote_network: bool,
}

/// Where a browser can be found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BrowserPlace {
    /// The WebDriver server elsewhere, as REMOTE_BROWSER_SERVER has it.
    pub remote: Option<String>,
    /// Where programs are looked for, as PATH has it.
    pub search: OsString,
}
