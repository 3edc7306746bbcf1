//! How the owner's conversation stands, for who shows it beside the prompt.

use std::sync::Arc;

use model::Usage;
use protocol::Taint;
use tokio::sync::watch;

use super::Session;

/// How it stands now, once its session is open. That session keeps it up to date: nobody else may read its files, because a
/// broken one is set aside by its first reader.
#[derive(Debug, Clone, Default)]
pub struct OwnersStanding(Arc<watch::Sender<Option<Stands>>>);

/// How it stands at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stands {
    /// What the latest answer took; none before the first one.
    pub usage: Option<Usage>,
    /// What has come in.
    pub taint: Taint,
}

impl OwnersStanding {
    /// How it stands; as long as that is not known, as if nothing had come in.
    #[must_use]
    pub fn now(&self) -> Stands {
        self.0.borrow().clone().unwrap_or_default()
    }

    /// Waits until it is known.
    pub async fn known(&self) {
        // The sender lives as long as this does.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }

    /// Takes in how the owner's conversation stands; that of a guest is nothing that the owner is shown.
    pub fn note(&self, session: &Session) {
        if session.is_owners() {
            let (usage, taint) = (session.usage.clone(), session.entered.taint());
            self.0.send_replace(Some(Stands { usage, taint }));
        }
    }
}

/// How much of the window the prompt and the answer took together, in hundredths.
pub fn percent(usage: &Usage) -> Option<u64> {
    let used = usage.read?.saturating_add(usage.written.unwrap_or_default());
    Some(used.saturating_mul(100) / usage.window?.max(1))
}
