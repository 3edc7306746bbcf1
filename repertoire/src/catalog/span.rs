//! Spans of time as people write them.

use std::time::Duration;

/// The longest that a call may hold one of the router's slots.
pub const LONGEST: Duration = Duration::from_secs(600);

/// Reads `500ms`, `15s`, `2m` or `1h`.
pub fn read(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[digits.len()..];
    let wrong = || format!("{text:?} is no span of time; write 500ms, 15s or 2m");
    let number: u32 = digits.parse().map_err(|_| wrong())?;
    if number == 0 {
        return Err(format!("{text:?} leaves no time at all"));
    }
    match unit {
        "ms" => Ok(Duration::from_millis(number.into())),
        "s" => Ok(Duration::from_secs(number.into())),
        "m" => Ok(Duration::from_secs(u64::from(number) * 60)),
        "h" => Ok(Duration::from_secs(u64::from(number) * 3_600)),
        _ => Err(wrong()),
    }
}

/// Reads a span that a call may take.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let span = read(text)?;
    if span > LONGEST {
        Err(format!("{text:?} is longer than 10m, the most that a call may take"))
    } else {
        Ok(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("15s"), Ok(Duration::from_secs(15)));
        assert_eq!(parse("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(read("24h"), Ok(Duration::from_secs(86_400)));
        for bad in ["", "15", "s", "0s", "-1s", "1.5s", "1h", "15 s", "11m", "4294967295m"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
