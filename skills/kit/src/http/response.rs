//! An answer, whose body is read when it is asked for.

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::http::response::Parts;
use serde::de::DeserializeOwned;
use url::Url;

use super::client::Deadline;
use super::error::{Error, is_unsure};
use super::words::words;

/// The largest body that [`Response::bytes`], [`Response::text`] and [`Response::json`] take: 1 MiB.
pub const MAX_BODY: usize = 1024 * 1024;

/// How much of an error answer is looked at for its words, in bytes.
const MAX_WORDS: usize = 64 * 1024;

/// An answer of any status.
#[derive(Debug)]
pub struct Response {
    pub(super) url: Url,
    pub(super) head: Parts,
    pub(super) body: Incoming,
    /// The connection lives on this runtime, and the body comes only while it runs.
    pub(super) runtime: tokio::runtime::Runtime,
    pub(super) deadline: Deadline,
}

/// The beginning of a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Prefix {
    /// At most as many bytes as were asked for.
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub cut: bool,
}

impl Response {
    /// Where the answer came from: the request's URL, or the last redirect's.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.head.status.as_u16()
    }

    /// Whether the status is 2xx.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.head.status.is_success()
    }

    /// Whether the host may have acted on what it was sent although the status is no 2xx: 408, 500, 502, 503 and 504
    /// leave it open. After such an answer it is for a person to look before the same is sent again.
    #[must_use]
    pub fn may_have_acted(&self) -> bool {
        is_unsure(self.status())
    }

    /// A header, if it is there and is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The answer if its status is 2xx.
    ///
    /// # Errors
    /// [`Error::Answered`] with the API's words for any other status.
    pub fn ok(self) -> Result<Self, Error> {
        if self.is_success() {
            return Ok(self);
        }
        let (host, status) = (self.host(), self.status());
        Err(Error::Answered { host, status, words: self.words() })
    }

    /// The API's own words in an error answer, in one line; the status's name when there are none.
    #[must_use]
    pub fn words(self) -> String {
        let status = self.head.status;
        let is_text =
            self.header(CONTENT_TYPE.as_str()).is_some_and(|t| t.starts_with("text/plain"));
        // An error answer that breaks off still has its status.
        let body = self.prefix(MAX_WORDS).map(|prefix| prefix.bytes).unwrap_or_default();
        words(status, is_text, &body)
    }

    /// The body as a value of JSON.
    ///
    /// # Errors
    /// [`Error::BadBody`] when it is none of that form, and those of [`bytes`](Self::bytes).
    pub fn json<T: DeserializeOwned>(self) -> Result<T, Error> {
        let host = self.host();
        let bytes = self.bytes()?;
        serde_json::from_slice(&bytes).map_err(|source| Error::BadBody { host, source })
    }

    /// The body as text; what is not UTF-8 is replaced by U+FFFD.
    ///
    /// # Errors
    /// Those of [`bytes`](Self::bytes).
    pub fn text(self) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }

    /// The whole body, at most [`MAX_BODY`].
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more, [`Error::Timeout`] and [`Error::Broken`].
    pub fn bytes(self) -> Result<Vec<u8>, Error> {
        let host = self.host();
        match self.prefix(MAX_BODY)? {
            Prefix { cut: true, .. } => Err(Error::TooLarge { host, limit: MAX_BODY }),
            Prefix { bytes, .. } => Ok(bytes),
        }
    }

    /// The first `limit` bytes of the body. The rest is not read.
    ///
    /// # Errors
    /// [`Error::Timeout`] and [`Error::Broken`].
    pub fn prefix(mut self, limit: usize) -> Result<Prefix, Error> {
        let Self { url, body, runtime, deadline, .. } = &mut self;
        runtime.block_on(deadline.keep(url, read(body, url, limit)))
    }

    fn host(&self) -> String {
        host(&self.url)
    }
}

/// The host of a URL, for an error's words.
pub(super) fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

async fn read(body: &mut Incoming, url: &Url, limit: usize) -> Result<Prefix, Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| Error::Broken { host: host(url), source: Box::new(e) })?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            bytes.extend_from_slice(&data[..limit - bytes.len()]);
            return Ok(Prefix { bytes, cut: true });
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Prefix { bytes, cut: false })
}
