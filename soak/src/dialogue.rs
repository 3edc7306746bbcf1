//! What somebody says in a chat, over and over, and what has to come back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::model::{ASKED, GREET, ITEM, REMEMBER, done};
use crate::talk::Talk;
use crate::tally::{Load, Tally};

/// How long an answer may take before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// The pause between two lines.
const PAUSE: Duration = Duration::from_millis(300);

/// After how long a yes is said again: whoever was to hear it may have been killed.
const AGAIN: Duration = Duration::from_secs(3);

/// For how long a reminder is set, in seconds.
const REMIND_IN: u64 = 4;

/// A flag that clones share.
pub(crate) type Stop = Arc<AtomicBool>;

/// One person's side.
pub(crate) struct Dialogue {
    talk: Talk,
    tally: Arc<Tally>,
    /// The number of the next item.
    next: u64,
    /// The reminders that are set: when each is due, or that it has come.
    reminders: BTreeMap<String, Option<Instant>>,
}

impl Dialogue {
    pub(crate) fn new(talk: Talk, tally: &Arc<Tally>) -> Self {
        Self { talk, tally: Arc::clone(tally), next: 1, reminders: BTreeMap::new() }
    }

    /// Talks until `stop`, hears what was promised, and leaves.
    pub(crate) fn run(mut self, stop: &Stop) -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            self.round(stop)?;
        }
        self.hear_the_rest()?;
        self.talk.end(PATIENCE)
    }

    /// Everything once.
    fn round(&mut self, stop: &Stop) -> Result<()> {
        let steps: [fn(&mut Self) -> Result<()>; 9] = [
            |it| it.turn(GREET, ""),
            Self::remind,
            |it| it.turn("Tell me of ", ""),
            |it| it.slash("/did", "just now"),
            Self::question,
            |it| it.turn(REMEMBER, ""),
            |it| it.slash("/memory", "latest"),
            |it| it.slash("/status", "workspace:"),
            |it| it.slash("/new", "This is a new one"),
        ];
        for step in steps {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            step(self)?;
            self.listen(PAUSE)?;
        }
        Ok(())
    }

    /// Says something to the model, which may act, and waits for its last word.
    fn turn(&mut self, word: &str, mark: &str) -> Result<()> {
        let item = self.item(mark);
        let ends = done(&item);
        let mut ok = true;
        self.exchange(Load::Turn, &format!("{word}{item}."), |line| {
            ok &= !line.contains(": failed");
            line.contains(&ends).then_some(ok)
        })
    }

    fn slash(&mut self, line: &str, answer: &str) -> Result<()> {
        self.exchange(Load::Slash, line, |heard| heard.contains(answer).then_some(true))
    }

    fn remind(&mut self) -> Result<()> {
        let item = self.item("");
        self.exchange(Load::Slash, &format!("/remind {REMIND_IN}s {item}"), |line| {
            line.contains("takes it back").then_some(true)
        })?;
        self.tally.asked(Load::Reminder);
        let due = Instant::now() + Duration::from_secs(REMIND_IN);
        self.reminders.insert(item, Some(due));
        Ok(())
    }

    /// Asks for what the policy asks a person about, says yes, and waits for what comes of it.
    fn question(&mut self) -> Result<()> {
        let (item, asked) = (self.item(ASKED), Instant::now());
        self.tally.asked(Load::Question);
        self.talk.say(&format!("{GREET}{item}."))?;
        let (mut yes, mut said_at) = (None, asked);
        while asked.elapsed() < PATIENCE {
            let heard = self.hear(AGAIN)?;
            let line = heard.as_deref().unwrap_or_default();
            if yes.is_none()
                && let Some(id) = id_of(line)
            {
                let line = format!("/approve {id}");
                self.talk.say(&line)?;
                (yes, said_at) = (Some(line), Instant::now());
            } else if line.contains(&format!("Hello, {item}")) {
                self.tally.answered(Load::Question, asked.elapsed(), true);
                return Ok(());
            } else if line.contains("HELLO_WORLD: failed") {
                self.tally.answered(Load::Question, asked.elapsed(), false);
                return Ok(());
            } else if let Some(yes) = &yes
                && said_at.elapsed() > AGAIN
            {
                self.talk.say(yes)?;
                said_at = Instant::now();
            }
        }
        self.tell_lost(Load::Question, &item);
        Ok(())
    }

    /// Says `line`, and hears up to what `is_answer` takes for the answer; it says whether that is a good one.
    fn exchange(
        &mut self,
        load: Load,
        line: &str,
        mut is_answer: impl FnMut(&str) -> Option<bool>,
    ) -> Result<()> {
        let asked = Instant::now();
        self.tally.asked(load);
        self.talk.say(line)?;
        while let Some(left) = PATIENCE.checked_sub(asked.elapsed()) {
            if let Some(heard) = self.hear(left)?
                && let Some(ok) = is_answer(&heard)
            {
                self.tally.answered(load, asked.elapsed(), ok);
                return Ok(());
            }
        }
        self.tell_lost(load, line);
        Ok(())
    }

    /// Hears for so long, for reminders come by themselves.
    fn listen(&mut self, length: Duration) -> Result<()> {
        let start = Instant::now();
        while let Some(left) = length.checked_sub(start.elapsed()) {
            self.hear(left)?;
        }
        Ok(())
    }

    /// Waits for the reminders that have not come yet.
    fn hear_the_rest(&mut self) -> Result<()> {
        let start = Instant::now();
        while self.reminders.values().any(Option::is_some)
            && let Some(left) = PATIENCE.checked_sub(start.elapsed())
        {
            self.hear(left)?;
        }
        let open: Vec<String> = self
            .reminders
            .iter()
            .filter(|(_, due)| due.is_some())
            .map(|(item, _)| item.clone())
            .collect();
        for item in open {
            self.tell_lost(Load::Reminder, &item);
        }
        Ok(())
    }

    /// The next line, and takes in what it reminds of.
    fn hear(&mut self, patience: Duration) -> Result<Option<String>> {
        let line = self.talk.hear(patience)?;
        let item = line.as_deref().and_then(|line| line.strip_prefix("Reminder: "));
        if let Some(item) = item.and_then(|item| item.split_whitespace().next()) {
            match self.reminders.insert(item.to_owned(), None) {
                Some(Some(due)) => {
                    let after = Instant::now().saturating_duration_since(due);
                    self.tally.answered(Load::Reminder, after, true);
                }
                _ => self.tally.twice(Load::Reminder, item),
            }
        }
        Ok(line)
    }

    fn tell_lost(&self, load: Load, what: &str) {
        self.tally.lost(load, &format!("{what}; heard last:\n{}", self.talk.last_lines()));
    }

    fn item(&mut self, mark: &str) -> String {
        self.next += 1;
        format!("{mark}{ITEM}{}", self.next - 1)
    }
}

/// The id in `To answer: /approve ID or /deny ID`.
fn id_of(line: &str) -> Option<&str> {
    line.split_once("To answer: /approve ")?.1.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_question_is_read() {
        assert_eq!(id_of("To answer: /approve 48806b2c or /deny 48806b2c; more"), Some("48806b2c"));
        assert_eq!(id_of("HELLO_WORLD: pending"), None);
    }
}
