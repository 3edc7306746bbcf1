//! Tells in words how a network refused.

use jiff::Timestamp;
use safeclaw_skill::SkillError;
use safeclaw_skill::http::Response;

use super::Network;

/// An answer that is no success, in the API's own words, with what a person can do about it.
pub(super) fn said(network: &dyn Network, what: &str, response: Response) -> SkillError {
    let (name, status) = (network.name(), response.status());
    let advice = match status {
        429 => Some(retry(&response)),
        status => network.advice(status),
    };
    let words = response.words();
    let words = words.trim_end_matches('.');
    let advice = advice.map(|advice| format!(". {advice}")).unwrap_or_default();
    SkillError::new(format!("{name} {what}: {words} ({status}){advice}"))
}

/// How to get out of an answer 401: a new token, in the place where the router reads it.
pub(super) fn new_token(how: &str, variable: &str) -> String {
    format!(
        "The token is missing, expired or withdrawn: {how}, and put it into router/.env as {variable}"
    )
}

fn retry(response: &Response) -> String {
    match reset(response) {
        Some(time) => format!("Try again after {}", time.strftime("%Y-%m-%d %H:%M:%S UTC")),
        None => match response.header("retry-after").and_then(|text| text.parse::<u32>().ok()) {
            Some(seconds) => format!("Try again in {seconds} s"),
            None => "Try again later".to_owned(),
        },
    }
}

/// When the limit that was hit is lifted. X has several, in seconds since 1970, and the one that was hit
/// has nothing remaining (<https://docs.x.com/x-api/fundamentals/rate-limits>); Mastodon has one, as an
/// RFC 3339 time (<https://docs.joinmastodon.org/api/rate-limits/>).
fn reset(response: &Response) -> Option<Timestamp> {
    let used_up = |limit: &&str| response.header(&format!("{limit}-remaining")) == Some("0");
    let limits = ["x-user-limit-24hour", "x-app-limit-24hour", "x-rate-limit"];
    let limit = limits.into_iter().find(used_up).unwrap_or("x-rate-limit");
    let seconds = response.header(&format!("{limit}-reset")).and_then(|text| text.parse().ok());
    seconds
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .or_else(|| response.header("x-ratelimit-reset")?.parse().ok())
}
