//! What is taken out of heads on their way through.

use hyper::HeaderMap;
use hyper::header::{
    self, ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, HeaderName, HeaderValue,
    IF_RANGE, RANGE, TRANSFER_ENCODING,
};

use super::redact::Redactor;
use super::reply::PROXY_SAYS;

/// Headers that concern one connection (RFC 9110, 7.6.1), and those that are meant for a proxy.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Removes what concerns one connection alone, with the headers that `Connection` lists.
pub(super) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let listed: Vec<HeaderName> =
        tokens(headers, &CONNECTION).filter_map(|token| token.parse().ok()).collect();
    // The length belongs to the message, whatever a `Connection: content-length` says.
    for name in listed.iter().filter(|name| **name != CONTENT_LENGTH).chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// Asks for a response that can be searched: all of it, as it is. A part of a secret would not be found.
pub(super) fn ask_for_plain_whole(headers: &mut HeaderMap) {
    headers.remove(RANGE);
    headers.remove(IF_RANGE);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
}

/// The encoding of a body that can't be read as it is.
pub(super) fn encoding(headers: &HeaderMap) -> Option<String> {
    let content = tokens(headers, &CONTENT_ENCODING).find(|token| token != "identity");
    content.or_else(|| tokens(headers, &TRANSFER_ENCODING).find(|token| token != "chunked"))
}

/// Removes every header whose value holds a secret, and the length, which is another one once a secret is
/// taken out of the body.
pub(super) fn drop_secrets(headers: &mut HeaderMap, redactor: &Redactor) {
    let names: Vec<HeaderName> = headers
        .iter()
        .filter(|(_, value)| redactor.finds_in(value.as_bytes()))
        .map(|(name, _)| name.clone())
        .collect();
    for name in names {
        headers.remove(name);
    }
    headers.remove(CONTENT_LENGTH);
}

/// Removes the header by which the proxy speaks for itself, so that no server can.
pub(super) fn drop_own_words(headers: &mut HeaderMap) {
    headers.remove(PROXY_SAYS);
}

/// The elements of a list header, in lower case.
fn tokens(headers: &HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> {
    let values =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let all: Vec<String> = values
        .flat_map(|value| {
            value.split(',').map(|token| token.trim().to_ascii_lowercase()).collect::<Vec<_>>()
        })
        .filter(|token| !token.is_empty())
        .collect();
    all.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        list.iter().map(pair).collect()
    }

    #[test]
    fn what_concerns_one_connection_is_taken_out() {
        let mut map = headers(&[
            ("connection", "keep-alive, X-Hop"),
            ("connection", "close,content-length"),
            ("keep-alive", "timeout=5"),
            ("proxy-connection", "keep-alive"),
            ("proxy-authorization", "Basic eA=="),
            ("te", "trailers"),
            ("upgrade", "websocket"),
            ("x-hop", "1"),
            ("x-end", "2"),
            ("content-length", "3"),
        ]);
        strip_hop_by_hop(&mut map);
        assert_eq!(map, headers(&[("x-end", "2"), ("content-length", "3")]));
    }

    #[test]
    fn only_a_plain_body_has_no_encoding() {
        assert_eq!(encoding(&headers(&[("content-encoding", "identity")])), None);
        assert_eq!(encoding(&headers(&[("transfer-encoding", "chunked")])), None);
        let gzip = Some("gzip".to_owned());
        assert_eq!(encoding(&headers(&[("content-encoding", "GZIP")])), gzip);
        assert_eq!(encoding(&headers(&[("transfer-encoding", "gzip, chunked")])), gzip);
    }
}
