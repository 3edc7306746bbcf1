//! What the latest answer took, as `/status` shows it.

use std::cmp::Reverse;

use model::{Share, Usage, seconds};
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
    if !usage.shares.is_empty() {
        lines.push(format!("  the prompt was {}", made_of(&usage.shares)));
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

/// What a prompt was made of, the largest share first; shares below a hundredth are passed over.
fn made_of(shares: &[Share]) -> String {
    let all = shares.iter().map(|share| share.bytes).sum::<usize>().max(1);
    let mut told: Vec<(String, usize)> = Vec::new();
    for share in shares {
        let words = in_words(share.name);
        match told.iter_mut().find(|(known, _)| *known == words) {
            Some((_, bytes)) => *bytes += share.bytes,
            None => told.push((words, share.bytes)),
        }
    }
    told.retain(|(_, bytes)| bytes * 100 >= all);
    told.sort_by_key(|(_, bytes)| Reverse(*bytes));
    let told = told.iter().map(|(words, bytes)| format!("{words} {} %", bytes * 100 / all));
    told.collect::<Vec<_>>().join(", ")
}

/// What stands in the place of that name, in words for people.
fn in_words(name: &str) -> String {
    let words = match name {
        "SOUL_CONTENT" => "SOUL.md",
        "AGENT_ACTIONS" => "the agent's own actions",
        "ROUTER_ACTIONS" => "the router's actions",
        "HOW_TO_ANSWER" | "FORM" => "how to answer",
        "MEMORY_CONTENT" => "memory",
        "ARTIFACT" => "results",
        "USER_INPUT_HISTORY" | "EARLIER" => "what was said before",
        "USER_MESSAGE" => "the message",
        "TEMPLATE" => "PROMPT.md",
        _ => return name.to_lowercase().replace('_', " "),
    };
    words.to_owned()
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
            shares: vec![
                Share { name: "MEMORY_CONTENT", bytes: 100 },
                Share { name: "ROUTER_ACTIONS", bytes: 800 },
                Share { name: "SCREEN", bytes: 95 },
                Share { name: "ARTIFACT", bytes: 5 },
            ],
        };
        insta::assert_snapshot!(lines(&usage), @r"
        last answer: llama3.1:8B at 127.0.0.1:11434, the first token after 0.81 s
          tokens: 1,200 in, 1,100 of them known from before, 40 out
          window: 1,240 of 8,192 tokens (15 %)
          the prompt was the router's actions 80 %, memory 10 %, screen 9 %
          left out of the prompt: 3 of 10 earlier exchanges
        ");
        let wild = Usage { read: Some(u64::MAX), written: Some(u64::MAX), ..usage };
        assert!(lines(&wild).contains("window: 18,446,744,073,709,551,615 of 8,192"));
        let silent = Usage { by: "offline".to_owned(), ..Usage::default() };
        assert_eq!(lines(&silent), "last answer: offline");
    }
}
