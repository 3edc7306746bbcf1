//! `/cron PATTERN TEXT [--agent]`: the same as `/remind`, again and again.

use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};
use super::remind::Wish;
use crate::schedule::{Book, Pattern, When};

/// How many fields a pattern has.
const FIELDS: usize = 5;

#[derive(Debug)]
struct Cron {
    pattern: String,
    wish: Wish,
}

pub(super) fn read(rest: &str) -> Read {
    let mut text = rest;
    let mut fields = Vec::new();
    while fields.len() < FIELDS && !text.is_empty() {
        let (field, more) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        fields.push(field);
        text = more.trim_start();
    }
    let usage = "say when and what: /cron 0 9 * * 1-5 stand-up (minute, hour, day of the month, month, day of the week)";
    let wish = Wish::read(text).ok_or(usage)?;
    Ok(Arc::new(Cron { pattern: fields.join(" "), wish }))
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
