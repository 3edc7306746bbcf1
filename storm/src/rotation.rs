//! Who speaks next: the agents in turn. A person speaks at any time, and that moves no turn.

use crate::cast::Cast;
use crate::log::Message;
use crate::name::is_person;

/// The index of the one who is next: the one behind the last agent that spoke, or the first if none did or that one is
/// not among them any more.
#[must_use]
pub fn next<'m>(cast: &Cast, said: impl DoubleEndedIterator<Item = &'m Message>) -> usize {
    let agents = cast.agents();
    let last = said.rev().find(|message| !is_person(&message.from));
    let at = last.and_then(|last| agents.iter().position(|agent| agent.name.as_str() == last.from));
    at.map_or(0, |at| (at + 1) % agents.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::tests::agents;
    use crate::stamp::Stamp;

    #[test]
    fn agents_take_turns_and_a_person_moves_none() {
        let cast = Cast::new(agents(&["A", "B", "C"])).unwrap();
        let after = |speakers: &[&str]| {
            let message = |from: &&str| Message {
                from: (*from).to_owned(),
                at: Stamp::from(std::time::UNIX_EPOCH),
                text: "x".to_owned(),
            };
            let said: Vec<Message> = speakers.iter().map(message).collect();
            next(&cast, said.iter())
        };
        assert_eq!(after(&[]), 0);
        assert_eq!(after(&["user"]), 0);
        assert_eq!(after(&["A"]), 1);
        assert_eq!(after(&["A", "user", "Human"]), 1);
        assert_eq!(after(&["A", "B", "C"]), 0);
        assert_eq!(after(&["B", "gone"]), 0);
        assert_eq!(after(&["b"]), 0);
    }
}
