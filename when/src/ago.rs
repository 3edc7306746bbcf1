//! Spans of time, as people say them.

use std::time::Duration;

/// How long ago, as exactly as people care.
#[must_use]
pub fn ago(span: Duration) -> String {
    if span.as_secs() < 60 { "just now".to_owned() } else { format!("{} ago", about(span)) }
}

/// About how long: `3 hours`. What is shorter than a minute is one.
#[must_use]
pub fn about(span: Duration) -> String {
    let seconds = span.as_secs().max(60);
    let (count, unit) = match seconds {
        ..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_people_say_them() {
        for (seconds, told) in
            [(5, "just now"), (60, "1 minute ago"), (7_300, "2 hours ago"), (200_000, "2 days ago")]
        {
            assert_eq!(ago(Duration::from_secs(seconds)), told);
        }
        let lasts = [0, 86_399, 86_400].map(|seconds| about(Duration::from_secs(seconds)));
        assert_eq!(lasts, ["1 minute", "23 hours", "1 day"]);
    }
}
