//! Where a request goes, first and after a redirect.

use hyper::StatusCode;
use url::Url;

use super::Error;

/// How many redirects one request follows at most.
pub const MAX_REDIRECTS: usize = 5;

/// Reads a URL that can be asked: http or https, without a user name or password, which would be a secret
/// in a place where everybody looks. The fragment stays here (RFC 9110 section 7.1).
pub(super) fn checked(text: &str) -> Result<Url, Error> {
    let bad = |reason: String| Error::BadUrl { url: text.to_owned(), reason };
    let url = Url::parse(text).map_err(|error| bad(error.to_string()))?;
    accepted(url).map_err(|reason| bad(reason.to_owned()))
}

fn accepted(mut url: Url) -> Result<Url, &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http and https addresses can be");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it carries a user name or a password");
    }
    url.set_fragment(None);
    Ok(url)
}

/// Where an answer with this status and Location sends a GET, if anywhere (RFC 9110 section 15.4).
pub(super) fn target(
    from: &Url,
    status: StatusCode,
    location: Option<&str>,
) -> Result<Option<Url>, Error> {
    let Some(location) = location else { return Ok(None) };
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let bad = |reason: String| Error::BadUrl { url: location.to_owned(), reason };
    let url = from.join(location).map_err(|error| bad(error.to_string()))?;
    accepted(url).map(Some).map_err(|reason| bad(reason.to_owned()))
}

/// Whether a header may follow to another origin: what describes the reader may, what could be a
/// credential may not.
pub(super) fn may_cross(header: &str) -> bool {
    let header = header.to_ascii_lowercase();
    header.starts_with("accept") || header == "user-agent"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(location: &str) -> Result<Option<String>, Error> {
        let from = checked("https://example.com/a/b?c#d").unwrap();
        Ok(target(&from, StatusCode::FOUND, Some(location))?.map(String::from))
    }

    #[test]
    fn a_redirect_is_resolved_against_where_it_came_from() {
        for (location, to) in [
            ("e", "https://example.com/a/e"),
            ("/e#f", "https://example.com/e"),
            ("//other.org", "https://other.org/"),
            ("http://example.com/", "http://example.com/"),
        ] {
            assert_eq!(follow(location).unwrap().as_deref(), Some(to));
        }
    }

    #[test]
    fn a_redirect_to_anything_but_the_web_is_refused() {
        for location in
            ["file:///etc/passwd", "javascript:1", "https://u:p@example.com/", "http://"]
        {
            assert!(matches!(follow(location), Err(Error::BadUrl { .. })), "{location}");
        }
    }

    #[test]
    fn only_the_redirect_statuses_redirect() {
        let from = checked("https://example.com/").unwrap();
        for status in [200, 201, 300, 304, 404] {
            let status = StatusCode::from_u16(status).unwrap();
            assert!(target(&from, status, Some("/b")).unwrap().is_none());
        }
        assert!(target(&from, StatusCode::FOUND, None).unwrap().is_none());
    }
}
