//! What the browser's and the driver's errors mean, and who can do what about them.

use fantoccini::error::{CmdError, ErrorStatus, WebDriver};

use crate::look::LookError;

/// The most that is shown of an error's own text, in characters: a page may have a part in it.
const SHOWN: usize = 300;

/// The driver or the browser failed.
pub(super) fn failed(error: &CmdError) -> LookError {
    LookError::Browser(short(&error.to_string()))
}

/// The browser answered in a form that is not known.
#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
pub(super) fn unexpected(error: serde_json::Error) -> LookError {
    LookError::Browser(format!("its answer can't be understood: {}", short(&error.to_string())))
}

/// Whether a dialog of the page was in the way.
pub(super) fn is_dialog(error: &WebDriver) -> bool {
    error.error() == ErrorStatus::UnexpectedAlertOpen.to_string()
}

/// Whether the page kept the browser longer than the driver waits.
pub(super) fn is_timeout(error: &WebDriver) -> bool {
    let said = error.error();
    said == ErrorStatus::Timeout.to_string() || said == ErrorStatus::ScriptTimeout.to_string()
}

/// Whether the document that was asked is gone, because the page went elsewhere.
pub(super) fn is_gone(error: &CmdError) -> bool {
    let said = error.to_string();
    [
        "Cannot find context",
        "context was destroyed",
        "navigated or closed",
        "No frame",
        "Promise was collected",
    ]
    .iter()
    .any(|sign| said.contains(sign))
}

/// Chromium's name of a network error in a text, without `net::`: `ERR_NAME_NOT_RESOLVED`.
pub(super) fn net_error(text: &str) -> Option<&str> {
    let from = &text[text.find("ERR_")?..];
    let end = from.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
    Some(&from[..end.unwrap_or(from.len())])
}

/// What one of Chromium's network errors means.
/// The names are those of <https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h>.
pub(super) fn meaning(error: &str) -> String {
    let words = match error {
        "ERR_NAME_NOT_RESOLVED" | "ERR_NAME_RESOLUTION_FAILED" => {
            "there is no host of that name; look whether it is spelled rightly"
        }
        "ERR_INTERNET_DISCONNECTED" | "ERR_NETWORK_CHANGED" | "ERR_ADDRESS_UNREACHABLE" => {
            "the network can't be reached; look at this machine's connection"
        }
        "ERR_TUNNEL_CONNECTION_FAILED" => {
            "SafeClaw's proxy did not connect to it: the address is not allowed or not public, or nobody answers there"
        }
        "ERR_CONNECTION_REFUSED" => "nobody listens there; the server is down or the port is wrong",
        "ERR_CONNECTION_TIMED_OUT" | "ERR_TIMED_OUT" => {
            "the server does not answer; try again later"
        }
        "ERR_EMPTY_RESPONSE" | "ERR_CONNECTION_RESET" | "ERR_CONNECTION_CLOSED" => {
            "the server hung up without an answer; try again later"
        }
        "ERR_TOO_MANY_REDIRECTS" => "it redirects without an end; only its owner can mend that",
        "ERR_INVALID_AUTH_CREDENTIALS" => NAME_AND_PASSWORD,
        "ERR_UNSAFE_PORT" => "the browser opens no pages on that port",
        "ERR_CONTENT_DECODING_FAILED" | "ERR_INVALID_RESPONSE" | "ERR_INVALID_HTTP_RESPONSE" => {
            "the server's answer is broken; only its owner can mend that"
        }
        "ERR_HTTP2_PROTOCOL_ERROR"
        | "ERR_INCOMPLETE_CHUNKED_ENCODING"
        | "ERR_CONTENT_LENGTH_MISMATCH" => "the server's answer broke off; try again later",
        name if name.starts_with("ERR_PROXY") => {
            "SafeClaw's own proxy can't be reached; start SafeClaw again"
        }
        name if name.starts_with("ERR_CERT") => {
            "its certificate is not valid, so it may not be who it says; only its owner can mend that"
        }
        name if name.starts_with("ERR_SSL") || name.contains("_SSL_") => {
            "no secure connection could be made; only its owner can mend that"
        }
        name if name.starts_with("ERR_BLOCKED") => "the browser's rules forbid it",
        _ => "the browser could not load it",
    };
    format!("{words} ({error})")
}

/// What is said of a page that wants a login of HTTP.
pub(super) const NAME_AND_PASSWORD: &str = "it asks for a name and a password (401), which SafeClaw does not give; open it in your own browser";

/// What an HTTP status from 400 on means, in words.
pub(super) fn status(status: u16) -> &'static str {
    match status {
        401 => "it wants a login",
        403 => "access is forbidden",
        404 => "there is no such page",
        410 => "the page is gone for good",
        407 => "a proxy wants a login",
        408 | 504 => "the server took too long",
        429 => "the server has had too many requests; try again later",
        451 => "it is withheld for legal reasons",
        500..=599 => "the server has a fault; try again later",
        _ => "the server refused",
    }
}

/// The first line, up to a length.
fn short(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_network_error_is_found_in_a_sentence() {
        let said = "unknown error: net::ERR_HTTP2_PROTOCOL_ERROR\n  (Session info)";
        assert_eq!(net_error(said), Some("ERR_HTTP2_PROTOCOL_ERROR"));
        assert_eq!(net_error("ERR_FAILED"), Some("ERR_FAILED"));
        assert_eq!(net_error("no such window"), None);
    }

    #[test]
    fn each_kind_of_network_error_says_who_can_do_what() {
        let names = [
            "ERR_NAME_NOT_RESOLVED",
            "ERR_TUNNEL_CONNECTION_FAILED",
            "ERR_PROXY_CONNECTION_FAILED",
            "ERR_CONNECTION_REFUSED",
            "ERR_CERT_DATE_INVALID",
            "ERR_BAD_SSL_CLIENT_AUTH_CERT",
            "ERR_TOO_MANY_REDIRECTS",
            "ERR_BLOCKED_BY_CLIENT",
            "ERR_SOMETHING_NEW",
        ];
        let said: Vec<_> = names.iter().map(|name| meaning(name)).collect();
        insta::assert_snapshot!(said.join("\n"));
    }
}
