//! By what a channel says what has become of a message to everybody.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The channel's end: it says of each place that the message is for whether it has taken it. A channel that drops it has
/// reached nobody.
#[derive(Debug, Clone)]
pub struct Receipt(UnboundedSender<Result<(), String>>);

/// What channels say about one message; it ends when all have said it.
pub type Reports = UnboundedReceiver<Result<(), String>>;

/// Waits until a place has the message.
///
/// # Errors
/// Why the last place that spoke will not have it, or that none was there, once all have said so.
pub async fn taken(mut reports: Reports) -> Result<(), String> {
    let mut last = Err("nobody could be reached there".to_owned());
    while let Some(report) = reports.recv().await {
        last = report;
        if last.is_ok() {
            break;
        }
    }
    last
}

impl Receipt {
    /// One for a message, and where it is heard.
    #[must_use]
    pub fn new() -> (Self, Reports) {
        let (sender, reports) = unbounded_channel();
        (Self(sender), reports)
    }

    /// A place has the message.
    pub fn taken(&self) {
        // Whoever waits no longer does not want to hear it.
        let _ = self.0.send(Ok(()));
    }

    /// A place will not have it, for this reason.
    pub fn failed(&self, why: impl Into<String>) {
        let _ = self.0.send(Err(why.into()));
    }
}

/// The same words to everybody are the same message.
impl PartialEq for Receipt {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
