//! What time it is, so that a model can tell when a job is due.

use std::sync::Arc;

use async_trait::async_trait;
use schedule::Book;

use super::Step;
use super::section::{Part, Section, Source};

/// The local time to the minute with its zone, right before the message: it changes, and what stands before it does not. Where
/// there is no clock, that nothing can be promised.
#[derive(Debug)]
pub struct Now {
    /// The clock's book, if it is on.
    pub book: Option<Arc<Book>>,
}

#[async_trait]
impl Source for Now {
    fn name(&self) -> &'static str {
        "NOW"
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let text = match &self.book {
            // Without the action nobody needs the time, and a small model has less to read.
            Some(_) if !step.cards[0].iter().any(|card| card.name.as_str() == "_ADD_SCHEDULE") => {
                return None;
            }
            Some(book) => {
                let now = book.zone().at(book.now());
                format!("Now: {}, {}.", now.strftime("%a %Y-%m-%d %H:%M"), book.zone().name())
            }
            None => "You can't remind or do anything later: the clock is off. Say so.".to_owned(),
        };
        Some(Section::written(move |_| vec![Part::own(text.clone())]))
    }
}
