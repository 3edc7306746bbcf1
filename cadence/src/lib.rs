//! Cadence: who speaks next in a conversation. It is decided by [`Cadence::next`] and nowhere else.
//!
//! A chat and a storm differ in their cadence alone. Whoever takes turns asks before each of them, and a turn knows only who
//! speaks in it. Another way to follow on one another is another case here.

/// How the turns of a conversation follow on one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cadence {
    /// Each message is answered once, by the mind that it is addressed to; then a person speaks.
    #[default]
    Reply,
    /// Minds speak in turn, so many of them. A person speaks at any time, and that moves no turn.
    Rotate {
        /// How many turns are taken before a person is waited for.
        turns: usize,
    },
    /// One mind works step after step, each of them a turn, until nothing is left to do.
    Drive,
}

/// What has happened in a conversation, as far as it counts for who is next.
#[derive(Debug, Clone, Copy, Default)]
pub struct Floor<'f> {
    /// The mind that the message is addressed to; `None` for the default one.
    pub addressed: Option<&'f str>,
    /// Those who take turns, in their order.
    pub present: &'f [&'f str],
    /// The mind that spoke last, today or long ago. A person is none.
    pub last: Option<&'f str>,
    /// How the turns have ended that were taken since somebody let them begin.
    pub ended: &'f [TurnEnd],
}

/// How a turn has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    /// It came to its end, with an answer or with the reason why there is none.
    Whole,
    /// It was a step of something that is not done yet.
    GoesOn,
    /// Somebody stopped it.
    Stopped,
    /// Nothing came of it: whoever was next still is.
    Failed,
}

/// Who speaks next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next<'f> {
    /// A person, whenever one likes.
    Person,
    /// The mind that speaks where none is named.
    Default,
    /// The mind of this name.
    Mind(&'f str),
}

impl Cadence {
    /// Who speaks next.
    #[must_use]
    pub fn next<'f>(self, floor: &Floor<'f>) -> Next<'f> {
        let may_go_on = match (self, floor.ended.last()) {
            (_, None) => true,
            (Self::Reply, Some(_)) => false,
            (Self::Rotate { .. }, Some(end)) => *end == TurnEnd::Whole,
            (Self::Drive, Some(end)) => *end == TurnEnd::GoesOn,
        };
        match self {
            _ if !may_go_on => Next::Person,
            Self::Rotate { turns } if floor.ended.len() >= turns => Next::Person,
            Self::Rotate { .. } => {
                behind(floor.last, floor.present).map_or(Next::Person, Next::Mind)
            }
            Self::Reply | Self::Drive => floor.addressed.map_or(Next::Default, Next::Mind),
        }
    }
}

/// The one behind `last` in a circle; the first if nobody spoke yet, or one who is not there any more.
fn behind<'f>(last: Option<&str>, present: &[&'f str]) -> Option<&'f str> {
    let at = last.and_then(|last| present.iter().position(|name| *name == last));
    present.get(at.map_or(0, |at| (at + 1) % present.len())).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_answered_once_by_whom_it_is_addressed_to() {
        let begun = |addressed| Floor { addressed, ..Floor::default() };
        assert_eq!(Cadence::Reply.next(&begun(None)), Next::Default);
        assert_eq!(Cadence::Reply.next(&begun(Some("coder"))), Next::Mind("coder"));
        for end in [TurnEnd::Whole, TurnEnd::Stopped, TurnEnd::Failed] {
            let floor = Floor { ended: &[end], ..begun(Some("coder")) };
            assert_eq!(Cadence::Reply.next(&floor), Next::Person);
        }
    }

    #[test]
    fn minds_speak_in_turn_as_often_as_was_wished() {
        let present = ["A", "B", "C"];
        let next = |last, ended| {
            Cadence::Rotate { turns: 2 }.next(&Floor {
                present: &present,
                last,
                ended,
                ..Floor::default()
            })
        };
        assert_eq!(next(None, &[]), Next::Mind("A"));
        assert_eq!(next(Some("A"), &[TurnEnd::Whole]), Next::Mind("B"));
        assert_eq!(next(Some("C"), &[]), Next::Mind("A"));
        assert_eq!(next(Some("gone"), &[]), Next::Mind("A"));
        assert_eq!(next(Some("b"), &[]), Next::Mind("A"), "names are exact");
        assert_eq!(next(Some("B"), &[TurnEnd::Whole, TurnEnd::Whole]), Next::Person);
        assert_eq!(next(Some("A"), &[TurnEnd::Failed]), Next::Person);
        assert_eq!(next(Some("A"), &[TurnEnd::Stopped]), Next::Person);
    }

    #[test]
    fn one_mind_works_on_until_nothing_is_left_to_do() {
        let is_next = |ended: &[TurnEnd]| {
            let floor = Floor { addressed: Some("coder"), ended, ..Floor::default() };
            Cadence::Drive.next(&floor) == Next::Mind("coder")
        };
        assert!(is_next(&[]) && is_next(&[TurnEnd::GoesOn, TurnEnd::GoesOn]));
        for end in [TurnEnd::Whole, TurnEnd::Stopped, TurnEnd::Failed] {
            assert!(!is_next(&[TurnEnd::GoesOn, end]));
        }
    }

    #[test]
    fn where_nobody_takes_turns_a_person_is_next() {
        assert_eq!(Cadence::Rotate { turns: 9 }.next(&Floor::default()), Next::Person);
    }
}
