//! `/remind SPAN TEXT [--agent]`: says something later, or has the model do it then.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::workspace::urls;
use protocol::Millis;
use schedule::{Book, NewJob, When, WhenError};

use super::perform::{At, Perform, Read};

/// What people hear where there is no clock.
pub(super) const OFF: &str =
    "nothing can be said or done later: the clock is off (clock.enabled in agent/config.json)";

#[derive(Debug)]
struct Remind {
    span: String,
    wish: Wish,
}

/// What a person wants later.
#[derive(Debug)]
pub(super) struct Wish {
    text: String,
    is_agentic: bool,
    /// It counts from then, though it may have waited for a turn.
    typed: Millis,
}

pub(super) fn read(rest: &str) -> Read {
    let (span, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let usage = "say when and what: /remind 2h call Max";
    if span.is_empty() {
        return Err(usage.to_owned());
    }
    let wish = Wish::read(text).ok_or(usage)?;
    Ok(Arc::new(Remind { span: span.to_owned(), wish }))
}

#[async_trait]
impl Perform for Remind {
    async fn perform(&self, at: At<'_>) {
        self.wish.add(at, |book, now| When::after(&self.span, book.zone(), now)).await;
    }
}

impl Wish {
    /// The text, without the word `--agent`; `None` when there is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let is_agentic = text.split_whitespace().any(|word| word == "--agent");
        let text = match is_agentic {
            true => {
                let words = text.split(' ').filter(|word| word.trim() != "--agent");
                words.collect::<Vec<_>>().join(" ")
            }
            false => text.to_owned(),
        };
        let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty())?;
        Some(Self { text, is_agentic, typed: Millis::of_this_machine() })
    }

    /// Adds the job, and says what was agreed on.
    pub(super) async fn add(
        &self,
        at: At<'_>,
        when: impl FnOnce(&Book, Millis) -> Result<When, WhenError>,
    ) {
        let Some(book) = at.mind.book.clone() else { return at.notice(OFF) };
        let waited = Millis::of_this_machine().since(self.typed).as_millis();
        let now = Millis(book.now().0.saturating_sub(u64::try_from(waited).unwrap_or_default()));
        let when = match when(&book, now) {
            Ok(when) => when,
            Err(error) => return at.notice(error.to_string()),
        };
        let new = NewJob {
            text: self.text.clone(),
            when,
            is_agentic: self.is_agentic,
            by: at.session.principal.clone(),
            is_models: false,
            bits: at.session.entered.taint(),
            typed: urls(&self.text).map(str::to_owned).collect(),
            watch: None,
        };
        add(&at, &book, new).await;
    }
}

/// Adds a job, and says what was agreed on.
pub(super) async fn add(at: &At<'_>, book: &Arc<Book>, new: NewJob) {
    let keeper = Arc::clone(book);
    let added = tokio::task::spawn_blocking(move || keeper.add(new)).await;
    match added {
        Ok(Ok(added)) => {
            at.text(added.job.agreed(book.now(), book.zone()));
            book.remark().into_iter().for_each(|remark| at.remark(remark));
            if let Some(error) = added.unsaved {
                at.notice(format!("{error}; it counts until this chat ends"));
            }
        }
        Ok(Err(error)) => at.notice(error.to_string()),
        Err(error) => at.notice(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_is_a_word_of_its_own() {
        let read = |text: &str| Wish::read(text).map(|wish| (wish.text, wish.is_agentic));
        let some = |text: &str, is_agentic| Some((text.to_owned(), is_agentic));
        assert_eq!(read("call Max"), some("call Max", false));
        assert_eq!(read("sum up --agent"), some("sum up", true));
        assert_eq!(read("--agent sum up"), some("sum up", true));
        assert_eq!(read("about --agentless things"), some("about --agentless things", false));
        assert_eq!((read(""), read(" --agent ")), (None, None));
    }

    #[test]
    fn what_is_missing_is_told() {
        for wrong in ["", "2h", "2h --agent"] {
            assert!(super::read(wrong).unwrap_err().contains("/remind 2h call Max"), "{wrong}");
        }
    }
}
