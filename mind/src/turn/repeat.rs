//! Keeps the second try of an answer from saying again what the first one has said.

/// What of a second try is shown: nothing, as long as it repeats the first.
#[derive(Debug, Default, Clone)]
pub(super) struct Repeat {
    /// What the first try said and the second has not repeated by now.
    left: String,
    /// What was held back because it repeats.
    held: String,
    /// What stands between the two.
    between: &'static str,
}

impl Repeat {
    /// The second try to say `first`.
    pub(super) fn of(first: &str) -> Self {
        let between = if first.is_empty() { "" } else { "\n" };
        Self { left: first.to_owned(), held: String::new(), between }
    }

    /// Whether there was a first try that said something.
    pub(super) fn is_second(&self) -> bool {
        !self.between.is_empty()
    }

    /// What is shown now that the second try goes on with `piece`.
    pub(super) fn new_of(&mut self, piece: String) -> String {
        if self.left.is_empty() {
            self.held.clear();
            return piece;
        }
        if let Some(left) = self.left.strip_prefix(&piece) {
            self.left = left.to_owned();
            self.held.push_str(&piece);
            return String::new();
        }
        let more = piece.strip_prefix(&self.left).map(str::to_owned);
        self.left.clear();
        let held = std::mem::take(&mut self.held);
        // It either goes on where the first ended, or says something else on a line of its own.
        more.unwrap_or_else(|| format!("{}{held}{piece}", self.between))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(first: &str, pieces: &[&str]) -> String {
        let mut repeat = Repeat::of(first);
        pieces.iter().map(|piece| repeat.new_of((*piece).to_owned())).collect()
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        assert_eq!(shown("I post it.", &["I pos", "t it."]), "");
        assert_eq!(shown("I post it.", &["I post it. Soon."]), " Soon.");
        assert_eq!(shown("I post it.", &["I post ", "it.", " Soon."]), " Soon.");
        assert_eq!(shown("I post it.", &["I post ", "nothing."]), "\nI post nothing.");
        assert_eq!(shown("", &["Hello", " you."]), "Hello you.");
        assert_eq!(shown("I post it.", &["I pos"]), "");
    }
}
