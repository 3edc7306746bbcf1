//! What a browser says of where a request comes from, and what it may do with the answer.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};

/// The header in which browsers say where a request comes from (W3C Fetch Metadata).
const FETCH_SITE: &str = "sec-fetch-site";

/// What a browser may do with what it gets: nothing that does not come from here is loaded, nothing is put into a frame of
/// another page, and no text becomes a script.
const CONTENT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The headers of every answer to a browser. They say that nothing is kept, guessed, framed or shared.
pub fn guarded_headers() -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    [
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, CONTENT),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ]
    .into_iter()
    .map(|(name, value)| (name, HeaderValue::from_static(value)))
}

/// Whether a request was made by the page itself. An Origin that is there must have been compared before.
#[must_use]
pub fn is_of_the_page(method: &Method, headers: &HeaderMap) -> bool {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    // Browsers send an Origin with whatever changes something.
    let has_origin = headers.contains_key(header::ORIGIN);
    match header_text(headers, FETCH_SITE) {
        Some("same-origin") => is_read || has_origin,
        Some("none") => is_read,
        Some(_) => false,
        // Old browsers do not send it.
        None => is_read || has_origin,
    }
}

/// Whether a request for what everybody may see was made by the page, or opens it in a window of its own.
#[must_use]
pub fn may_open(method: &Method, headers: &HeaderMap) -> bool {
    is_of_the_page(method, headers)
        || (matches!(*method, Method::GET | Method::HEAD)
            && header_text(headers, "sec-fetch-mode") == Some("navigate")
            && header_text(headers, "sec-fetch-dest") == Some("document"))
}

/// The value of a header, where it is plain text.
#[must_use]
pub fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let name = |name: &str| HeaderName::try_from(name).unwrap();
        pairs.iter().map(|(key, value)| (name(key), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_sign_in_counts_only_with_what_the_page_itself_asks() {
        let own = |method: Method, pairs: &[(&str, &str)]| is_of_the_page(&method, &headers(pairs));
        let origin = ("origin", "http://127.0.0.1:8787");
        let site = |value| (FETCH_SITE, value);
        assert!(own(Method::GET, &[site("same-origin")]) && own(Method::GET, &[]));
        assert!(own(Method::POST, &[site("same-origin"), origin]) && own(Method::POST, &[origin]));
        assert!(!own(Method::POST, &[]) && !own(Method::POST, &[site("none"), origin]));
        for foreign in ["same-site", "cross-site", "x"] {
            assert!(
                !own(Method::GET, &[site(foreign)]) && !own(Method::POST, &[site(foreign), origin])
            );
        }
    }

    #[test]
    fn a_link_elsewhere_opens_the_page_in_a_window_and_in_no_frame() {
        let opens = |dest| {
            let of = [
                (FETCH_SITE, "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", dest),
            ];
            may_open(&Method::GET, &headers(&of))
        };
        assert!(opens("document"));
        assert!(!opens("iframe") && !opens("embed"));
    }
}
