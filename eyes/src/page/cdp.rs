//! Commands of the DevTools protocol, which chromedriver passes on to the browser as a vendor's extension.

use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

/// One command, as in <https://chromedevtools.github.io/devtools-protocol/>.
#[derive(Debug)]
pub(super) struct Cdp {
    /// Its domain and name: `Page.navigate`.
    pub(super) name: &'static str,
    /// Its parameters, an object.
    pub(super) params: Value,
}

impl WebDriverCompatibleCommand for Cdp {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = json!({ "cmd": self.name, "params": self.params });
        (Method::POST, Some(body.to_string()))
    }
}
