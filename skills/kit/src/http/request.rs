//! A request, which can be sent and can be shown.

use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};

use crate::Object;

/// How long a request may take in all, its redirects and its body included, unless it says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// A request. It is a plain value, so that a dry run shows the very thing that would be sent.
///
/// ```
/// use safeclaw_skill::http::Request;
/// use serde_json::json;
///
/// let request = Request::post("https://api.x.com/2/tweets")
///     .secret("Authorization", "Bearer {}", "X_TOKEN")
///     .json(json!({"text": "Hello World"}));
/// assert_eq!(
///     request.would_send(),
///     json!({"would_send": {
///         "method": "POST",
///         "url": "https://api.x.com/2/tweets",
///         "headers": {"Authorization": "Bearer <X_TOKEN>", "Content-Type": "application/json"},
///         "body": {"text": "Hello World"},
///     }})
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    /// The headers that the proxy fills in; they are shown and never sent.
    secrets: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) follows: bool,
    pub(super) timeout: Duration,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    Empty,
    Text(String),
    Json(Value),
}

impl Request {
    /// A GET of an absolute http or https URL.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url)
    }

    /// A POST.
    #[must_use]
    pub fn post(url: impl Into<String>) -> Self {
        Self::new(Method::POST, url)
    }

    /// A PUT.
    #[must_use]
    pub fn put(url: impl Into<String>) -> Self {
        Self::new(Method::PUT, url)
    }

    /// A PATCH.
    #[must_use]
    pub fn patch(url: impl Into<String>) -> Self {
        Self::new(Method::PATCH, url)
    }

    /// A DELETE.
    #[must_use]
    pub fn delete(url: impl Into<String>) -> Self {
        Self::new(Method::DELETE, url)
    }

    fn new(method: Method, url: impl Into<String>) -> Self {
        Self {
            method,
            url: url.into(),
            headers: Vec::new(),
            secrets: Vec::new(),
            body: Body::Empty,
            follows: false,
            timeout: DEFAULT_TIMEOUT,
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Says that the proxy fills in this header with the secret `name`, as `[secrets.<name>]` of skill.toml
    /// declares: `format` has `{}` in the secret's place. It is shown in a dry run and not sent from here.
    #[must_use]
    pub fn secret(mut self, header: impl Into<String>, format: &str, name: &str) -> Self {
        self.secrets.push((header.into(), format.replace("{}", &format!("<{name}>"))));
        self
    }

    /// Sends a JSON value as the body, with its Content-Type.
    #[must_use]
    pub fn json(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self.header("Content-Type", "application/json")
    }

    /// Sends a text as the body; the Content-Type is the caller's to set.
    #[must_use]
    pub fn text(mut self, body: impl Into<String>) -> Self {
        self.body = Body::Text(body.into());
        self
    }

    /// Follows at most [`MAX_REDIRECTS`](super::MAX_REDIRECTS) redirects of a GET, each of them through
    /// the proxy and so judged by the wall. Without this a redirect is an answer like any other. Other
    /// methods never follow: what changes something is not sent to another place on a server's word.
    #[must_use]
    pub fn follow_redirects(mut self) -> Self {
        self.follows = self.method == Method::GET;
        self
    }

    /// Changes how long the whole request may take ([`DEFAULT_TIMEOUT`]).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What the skill answers in a dry run: `{"would_send": {method, url, headers, body}}`.
    #[must_use]
    pub fn would_send(&self) -> Value {
        let shown = self.secrets.iter().chain(&self.headers);
        let headers: Object =
            shown.map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        let body = match &self.body {
            Body::Empty => Value::Null,
            Body::Text(text) => Value::from(text.as_str()),
            Body::Json(value) => value.clone(),
        };
        json!({"would_send": {
            "method": self.method.as_str(),
            "url": self.url,
            "headers": headers,
            "body": body,
        }})
    }
}

impl Body {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Empty => Vec::new(),
            Self::Text(text) => text.clone().into_bytes(),
            Self::Json(value) => value.to_string().into_bytes(),
        }
    }
}
