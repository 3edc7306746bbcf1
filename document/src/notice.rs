//! What people should hear though nothing has stopped.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A sentence for people about something that was mended or worked around: what happened, where the old
/// thing is kept, what is done now. It is the owner's, and may name addresses and commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    text: String,
    for_guests: Option<String>,
}

impl Notice {
    /// A notice with this text, which is not a guest's business.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), for_guests: None }
    }

    /// The same, of which a guest hears this.
    #[must_use]
    pub fn for_guests(self, text: impl Into<String>) -> Self {
        Self { for_guests: Some(text.into()), ..self }
    }

    /// What the owner hears of it, or a guest; `None` when it is not a guest's business.
    #[must_use]
    pub fn told_to(&self, is_owner: bool) -> Option<&str> {
        if is_owner { Some(&self.text) } else { self.for_guests.as_deref() }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Where files leave what people should hear. The same sentence waits only once.
#[derive(Debug, Clone, Default)]
pub struct Notices(Arc<Mutex<Vec<Notice>>>);

impl Notices {
    /// Leaves a sentence, which is the owner's.
    pub fn add(&self, text: impl Into<String>) {
        let notice = Notice::new(text);
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.contains(&notice) {
            waiting.push(notice);
        }
    }

    /// What has been left since it was taken last.
    #[must_use]
    pub fn take(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
