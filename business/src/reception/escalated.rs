//! The questions that are passed on to a person, until somebody answers them.

use std::sync::Arc;

use protocol::SessionKey;

use super::Reception;
use crate::{Escalation, OpenEscalations};

impl Reception {
    /// The customer of this chat has asked what a person is to answer. It is open from now on; gives the line that a person
    /// reads. [`Self::keep`] brings it to the disk.
    #[must_use]
    pub fn escalate(&self, key: &SessionKey, question: &str) -> String {
        self.escalations.hold(|open| open.add(key, question, self.clock.now()));
        Escalation { chat: key, customer: &self.name(key), question }.line()
    }

    /// Whether questions of this chat were open in `asked`, which are answered now. [`Self::keep`] brings that to the disk.
    #[must_use]
    pub fn answered(&self, key: &SessionKey, asked: &OpenEscalations) -> bool {
        let is_its = asked.all().iter().any(|open| open.chat == *key);
        if is_its {
            self.escalations.hold(|open| open.close(key, asked));
        }
        is_its
    }

    /// The questions for a person that are open.
    #[must_use]
    pub fn escalations(&self) -> Arc<OpenEscalations> {
        self.escalations.read()
    }
}
