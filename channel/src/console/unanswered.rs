//! What was said here and is not answered to its end.

use crate::{Outgoing, Ticket};

/// Messages in the order in which they were said.
#[derive(Debug, Default)]
pub(super) struct Unanswered(Vec<Message>);

#[derive(Debug)]
struct Message {
    ticket: Ticket,
    /// Whether it is being answered now.
    is_begun: bool,
}

impl Unanswered {
    pub(super) fn push(&mut self, ticket: Ticket) {
        self.0.push(Message { ticket, is_begun: false });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Knows by `outgoing` what has become of a message, and gives what is to be shown of it; nothing of a message of
    /// this place that begins to be answered.
    pub(super) fn hear(&mut self, outgoing: Outgoing) -> Option<Outgoing> {
        let own = |ticket: &Ticket| self.0.iter().position(|said| said.ticket == *ticket);
        let at = match &outgoing {
            Outgoing::Begin { ticket, .. }
            | Outgoing::Queued { ticket, .. }
            | Outgoing::Aside { ticket, .. }
            | Outgoing::Refused { ticket, .. } => own(ticket),
            _ => None,
        };
        let Some(at) = at else { return Some(outgoing) };
        match outgoing {
            Outgoing::Begin { .. } => {
                self.0[at].is_begun = true;
                None
            }
            Outgoing::Queued { ahead, .. } => {
                let told = crate::queued(settings::words(), ahead);
                Some(Outgoing::Notice(told))
            }
            Outgoing::Aside { text, .. } => {
                self.0.remove(at);
                (!text.is_empty()).then_some(Outgoing::Text(text))
            }
            Outgoing::Refused { why, .. } => {
                self.0.remove(at);
                Some(Outgoing::Notice(why))
            }
            other => Some(other),
        }
    }

    /// A turn has ended; says whether it was one of this place.
    pub(super) fn end(&mut self) -> bool {
        let before = self.0.len();
        self.0.retain(|said| !said.is_begun);
        self.0.len() < before
    }
}

#[cfg(test)]
mod tests {
    use protocol::Principal;

    use super::*;

    #[test]
    fn a_message_is_answered_once_a_turn_that_was_begun_for_it_has_ended() {
        let (mut unanswered, own, other) = (Unanswered::default(), Ticket::new(), Ticket::new());
        unanswered.push(own);
        let begin = |ticket| {
            let from = Principal::new("console:owner").unwrap();
            Outgoing::Begin { ticket, from, text: "hello".to_owned() }
        };
        assert!(matches!(unanswered.hear(begin(other)), Some(Outgoing::Begin { .. })));
        assert!(!unanswered.end(), "another place's turn");
        assert!(unanswered.hear(begin(own)).is_none());
        assert!(unanswered.end() && unanswered.is_empty());
    }

    #[test]
    fn what_is_told_aside_or_refused_is_answered_by_that() {
        let mut unanswered = Unanswered::default();
        let (first, second) = (Ticket::new(), Ticket::new());
        [first, second].into_iter().for_each(|ticket| unanswered.push(ticket));
        let aside = Outgoing::Aside { ticket: first, text: "so".to_owned() };
        assert!(matches!(unanswered.hear(aside), Some(Outgoing::Text(text)) if text == "so"));
        let refused = Outgoing::Refused { ticket: second, why: "full".to_owned() };
        assert!(matches!(unanswered.hear(refused), Some(Outgoing::Notice(why)) if why == "full"));
        assert!(unanswered.is_empty());
    }
}
