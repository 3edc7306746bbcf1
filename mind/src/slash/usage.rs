//! What the latest answer took, as `/status` shows it.

use model::{Usage, seconds};
use session::percent;

use super::model::grouped;

/// The lines on it, of which each says only what the server has said.
pub(super) fn lines(usage: &Usage) -> String {
    let by = match usage.first_token {
        Some(time) => format!("last answer: {}, the first token after {}", usage.by, seconds(time)),
        None => format!("last answer: {}", usage.by),
    };
    let mut lines = vec![by];
    let counts = [
        usage.read.map(|read| format!("{} in", grouped(read))),
        usage.cached.map(|cached| format!("{} of them known from before", grouped(cached))),
        usage.written.map(|written| format!("{} out", grouped(written))),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    if !counts.is_empty() {
        lines.push(format!("  tokens: {}", counts.join(", ")));
    }
    if let Some(window) = usage.window {
        lines.push(format!("  window: {}", gauge(usage, window)));
    }
    if !usage.cut.is_empty() {
        lines.push(format!("  left out of the prompt: {}", usage.cut.join("; ")));
    }
    lines.join("\n")
}

/// How full the window was: the prompt and the answer share it.
fn gauge(usage: &Usage, window: u64) -> String {
    let Some(read) = usage.read else { return format!("{} tokens", grouped(window)) };
    let used = read.saturating_add(usage.written.unwrap_or_default());
    let percent = percent(usage).unwrap_or_default();
    format!("{} of {} tokens ({percent} %)", grouped(used), grouped(window))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_the_server_says_is_shown_and_nothing_else() {
        let usage = Usage {
            by: "llama3.1:8B at 127.0.0.1:11434".to_owned(),
            read: Some(1_200),
            cached: Some(1_100),
            written: Some(40),
            window: Some(8_192),
            first_token: Some(Duration::from_millis(810)),
            cut: vec!["3 of 10 earlier exchanges".to_owned()],
        };
        insta::assert_snapshot!(lines(&usage), @r"
        last answer: llama3.1:8B at 127.0.0.1:11434, the first token after 0.81 s
          tokens: 1,200 in, 1,100 of them known from before, 40 out
          window: 1,240 of 8,192 tokens (15 %)
          left out of the prompt: 3 of 10 earlier exchanges
        ");
        let wild = Usage { read: Some(u64::MAX), written: Some(u64::MAX), ..usage };
        assert!(lines(&wild).contains("window: 18,446,744,073,709,551,615 of 8,192"));
        let silent = Usage { by: "offline".to_owned(), ..Usage::default() };
        assert_eq!(lines(&silent), "last answer: offline");
    }
}
