//! `/cron PATTERN TEXT [--agent]`: the same as `/remind`, again and again.

use std::sync::Arc;

use async_trait::async_trait;
use schedule::{Book, Pattern, When};

use super::perform::{At, Perform, Read};
use super::remind::Wish;

/// How many fields a pattern has.
const FIELDS: usize = 5;

#[derive(Debug)]
struct Cron {
    pattern: String,
    wish: Wish,
}

/// The fields of a pattern, and what stands behind them.
pub(super) fn fields(rest: &str) -> (String, &str) {
    let mut text = rest;
    let mut fields = Vec::new();
    while fields.len() < FIELDS && !text.is_empty() {
        let (field, more) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        fields.push(field);
        text = more.trim_start();
    }
    (fields.join(" "), text)
}

pub(super) fn read(rest: &str) -> Read {
    let (pattern, text) = fields(rest);
    let usage = "say when and what: /cron 0 9 * * 1-5 stand-up (minute, hour, day of the month, month, day of the week)";
    let wish = Wish::read(text).ok_or(usage)?;
    Ok(Arc::new(Cron { pattern, wish }))
}

#[async_trait]
impl Perform for Cron {
    async fn perform(&self, at: At<'_>) {
        let read = |book: &Book, now| Pattern::read(&self.pattern, book.zone(), now);
        self.wish.add(at, |book, now| read(book, now).map(When::Again)).await;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn five_fields_and_a_text() {
        assert!(super::read("0 9 * * 1-5 stand-up").is_ok());
        for wrong in ["", "0 9 * * 1-5", "0 9 * *", "0 9 * * 1-5 --agent"] {
            assert!(super::read(wrong).unwrap_err().contains("/cron 0 9"), "{wrong}");
        }
    }
}
