//! The line above the prompt that tells how things stand: who thinks, how full the window is, what waits and what has come in.
//!
//! It is printed like any other line, so nothing that has scrolled is drawn anew; and only when it tells something new.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;

use markup::Surface;
use model::Switch;
use protocol::Taint;
use session::{OwnersStanding, Stands, percent};
use words::Words;

/// Turn dim on and off (ECMA-48, SGR 2 and 22).
const DIM: &str = "\x1b[2m";
const BRIGHT: &str = "\x1b[22m";

/// How long the conversation may take to open.
const OPENS: Duration = Duration::from_secs(1);

/// What tells how things stand.
pub struct DimLine {
    model: Arc<Switch>,
    standing: OwnersStanding,
    /// The line that was shown last; at first what the lines at the start tell.
    shown: String,
}

impl fmt::Debug for DimLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DimLine").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl DimLine {
    /// Tells who `model` asks and how the conversation is `standing`. Nothing of it is new but what has come in before.
    #[must_use]
    pub fn new(model: Arc<Switch>, standing: OwnersStanding) -> Self {
        let shown = parts(settings::words(), &model.first(), Stands::default(), 0).concat();
        Self { model, standing, shown }
    }

    /// Waits until it is known what has come in before, though not for long.
    pub(super) async fn known(&self) {
        let _ = tokio::time::timeout(OPENS, self.standing.known()).await;
    }

    /// The line as it is now at `place`, with so many questions `open`; none if it is the one that was shown last.
    pub(super) fn next(&mut self, open: usize, place: Surface) -> Option<String> {
        let parts = parts(settings::words(), &self.model.first(), self.standing.now(), open);
        let separator = if settings::shows_unicode() { " · " } else { ", " };
        let line = markup::told(place, &parts.join(separator));
        if parts.concat() == std::mem::replace(&mut self.shown, parts.concat()) {
            return None;
        }
        // Without styles it must not look like an answer.
        Some(if settings::shows_styles() {
            format!("{DIM}{line}{BRIGHT}")
        } else {
            format!("[{line}]")
        })
    }
}

fn parts(words: &Words, model: &impl Display, stands: Stands, open: usize) -> Vec<String> {
    let filled = stands.usage.as_ref().and_then(percent);
    let filled = filled.map(|filled| words.fill("dim.window", &[("percent", &filled)]));
    let waits = match open {
        0 => None,
        1 => Some(words.get("dim.oneWaits").to_owned()),
        open => Some(words.fill("dim.manyWait", &[("count", &open)])),
    };
    let entered = match stands.taint {
        Taint { untrusted: false, private: false } => None,
        Taint { untrusted: true, private: false } => Some("dim.untrusted"),
        Taint { untrusted: false, private: true } => Some("dim.private"),
        Taint { untrusted: true, private: true } => Some("dim.both"),
    };
    let entered = entered.map(|key| words.get(key).to_owned());
    [Some(model.to_string()), filled, waits, entered].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use model::Usage;

    use super::*;

    #[test]
    fn each_part_stands_there_only_when_there_is_something_to_tell() {
        let told = |stands: Stands, open| {
            let words = words::CONSOLE.wanted(["en"]);
            parts(words, &"qwen3:8b", stands, open).join(", ")
        };
        let taint = |untrusted, private| Taint { untrusted, private };
        let usage = |read| Usage { read: Some(read), window: Some(100), ..Usage::default() };
        let stands = |read: Option<u64>, taint| Stands { usage: read.map(usage), taint };
        assert_eq!(told(Stands::default(), 0), "qwen3:8b");
        assert_eq!(
            told(stands(Some(7), taint(false, true)), 1),
            "qwen3:8b, window 7 %, 1 question waits, private data has come in"
        );
        assert_eq!(
            told(stands(None, taint(true, false)), 2),
            "qwen3:8b, 2 questions wait, others' text has come in"
        );
        assert!(
            told(stands(None, taint(true, true)), 0)
                .ends_with("others' text and private data have come in")
        );
    }
}
