//! `/forget KEY`, `/forget note NUMBER`, `/forget notes`: forgets one thing that is remembered, one note, or all notes.

use std::sync::Arc;

use async_trait::async_trait;

use super::memory::{Wish, no_note};
use super::perform::{At, Perform, Read};

/// What is forgotten of the notes.
#[derive(Debug)]
enum ForgetNotes {
    One(usize),
    All,
}

pub(super) fn read(rest: &str) -> Read {
    match rest.split_whitespace().collect::<Vec<_>>().as_slice() {
        [] => Err(
            "say what to forget: /forget KEY, /forget note NUMBER, or /forget notes for all notes"
                .to_owned(),
        ),
        ["note", number] if let Ok(number) = number.parse() => {
            Ok(Arc::new(ForgetNotes::One(number)))
        }
        ["notes"] => Ok(Arc::new(ForgetNotes::All)),
        _ => Ok(Arc::new(Wish::Forget(rest.to_owned()))),
    }
}

#[async_trait]
impl Perform for ForgetNotes {
    async fn perform(&self, at: At<'_>) {
        let files = &at.session.files;
        // A fact of that name was there first.
        if matches!(self, Self::All) && files.memory.read().facts.contains_key("notes") {
            return Wish::Forget("notes".to_owned()).perform(at).await;
        }
        let forgotten = match self {
            Self::One(number) => {
                let take = |notes: &mut notes::Notes, now: Option<usize>| {
                    let taken = now.and_then(|now| notes.remove(now));
                    taken.ok_or_else(|| no_note(*number, notes.all().len()))
                };
                match files.notes.change(*number, take) {
                    Ok((note, saved)) => saved.map(|()| format!("Forgotten: {}", note.words())),
                    Err(why) => return at.notice(why),
                }
            }
            Self::All => files.notes.forget_all().map(|count| match count {
                0 => "There were no notes.".to_owned(),
                1 => "One note is forgotten.".to_owned(),
                count => format!("{count} notes are forgotten."),
            }),
        };
        match forgotten {
            Ok(told) => at.text(told),
            Err(error) => at.fault(error),
        }
    }
}
