//! The clock: the jobs that are known, and who tells what is due.

use std::sync::Arc;

use crate::channel::Channel;
use crate::channel::clock::ClockChannel;
use crate::config::Settings;
use crate::schedule::Book;
use crate::workspace::Workspace;
use document::Clock;

/// The jobs, unless the clock is off. An agent that answers one message and ends `tells` none.
pub(super) fn book(settings: &Settings, workspace: &Workspace, tells: bool) -> Option<Arc<Book>> {
    let zone = settings.zone.clone();
    let is_on = settings.config.clock.enabled;
    is_on.then(|| Arc::new(Book::open(workspace, zone, Clock::default(), tells)))
}

/// The channel over which they speak.
pub(super) fn channel(book: Option<&Arc<Book>>) -> Option<Box<dyn Channel>> {
    let book = book.filter(|book| book.tells())?;
    Some(Box::new(ClockChannel { book: Arc::clone(book) }))
}
