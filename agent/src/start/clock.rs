//! The clock: the jobs that are known, and who tells what is due.

use std::sync::Arc;

use channel::Channel;
use channel::clock::ClockChannel;
use conversation::workspace::Workspace;
use document::Clock;
use mind::Mind;
use schedule::Book;
use settings::{ClockSettings, Settings};

use crate::watching::Looker;

/// The jobs, unless the clock is off. An agent that answers one message and ends `tells` none.
pub(super) fn book(settings: &Settings, workspace: &Workspace, tells: bool) -> Option<Arc<Book>> {
    let zone = settings.zone.clone();
    let (is_on, budget) = (settings.config.clock.enabled, settings.config.clock.budget());
    let path = workspace.folder().join("scheduler.json");
    let open = || Book::open(path, workspace.notices(), zone, Clock::default(), tells);
    is_on.then(|| Arc::new(open().with_budget(budget)))
}

/// The channel over which they speak, and the looks of watches, with how often they may ask a model and when they are quiet.
pub(super) fn channel(mind: &Arc<Mind>, settings: &ClockSettings) -> Option<Box<dyn Channel>> {
    let book = mind.book.as_ref().filter(|book| book.tells())?;
    let looks = Arc::new(Looker::new(Arc::clone(mind), settings.questions));
    let quiet = settings.quiet.as_ref().map(|quiet| quiet.0.clone());
    Some(Box::new(ClockChannel { book: Arc::clone(book), looks, quiet }))
}
