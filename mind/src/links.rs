//! Links that sign their bearer in on the page: each for ten minutes, and once. Whoever has the token of `.env` can make one, and
//! the agent need not know of it before it is used.

use loopback::Codes;
use protocol::Millis;
use secrecy::{ExposeSecret, SecretString};
use settings::{Settings, Site};

pub use loopback::{CodeError, Sign};

/// Where links lead to on the page.
pub const PATH: &str = "/sign-in";

/// What the key is made of besides the token, so that no other use of the token makes a link.
const USE: &str = "SafeClaw sign-in 1";

/// Makes links, and knows them again.
#[derive(Debug, Clone)]
pub struct Links {
    codes: Codes,
    sites: Vec<Site>,
}

impl Links {
    /// Links to the page that these settings turn on, if they do.
    #[must_use]
    pub fn of(settings: &Settings) -> Option<Self> {
        let token = settings.http_token.as_ref()?;
        let sites = settings.config.http.all_sites();
        settings.config.http.listen.map(|_| Self::new(token, sites))
    }

    /// Links to `sites`, signed with the token that programs show.
    #[must_use]
    pub fn new(token: &SecretString, sites: Vec<Site>) -> Self {
        Self { codes: Codes::new(USE, token.expose_secret().as_bytes()), sites }
    }

    /// A new link for each site. They share a code, so that one of them can be used.
    #[must_use]
    pub fn make(&self, now: Millis) -> Vec<String> {
        let code = self.codes.make(now);
        let link = |site: &Site| format!("{}{}?code={code}", site.as_str(), PATH);
        self.sites.iter().map(link).collect()
    }

    /// Reads a code at `now`.
    ///
    /// # Errors
    /// [`CodeError`].
    pub fn read(&self, code: &str, now: Millis) -> Result<Sign, CodeError> {
        self.codes.read(code, now)
    }
}
