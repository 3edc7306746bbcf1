//! What the product itself says, wrapped at words on a terminal.

use crate::{Prose, Surface, harmless};

/// `text` as it is told at `place`: without what acts on a terminal, without styles.
#[must_use]
pub fn told(place: Surface, text: &str) -> String {
    Prose::whole(place.plain(), &harmless(text))
}

/// A question as it is put at `place`. What is set in is what would run, which gets no line end of ours.
#[must_use]
pub fn question(place: Surface, text: &str) -> String {
    let exact = |line: &str| line.starts_with([' ', '\t']);
    let lines = text.lines().map(|line| match exact(line) {
        true => harmless(line),
        false => told(place, line),
    });
    lines.collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_keeps_what_would_run_as_it_is() {
        let text =
            "POST {\n  \"text\": \"words that are many\"\n}\nasked because: it is seen by others";
        let place = Surface::Terminal { columns: 22, dims: true };
        assert_eq!(
            question(place, text),
            "POST {\n  \"text\": \"words that are many\"\n}\nasked because: it is \nseen by others"
        );
        assert_eq!(question(Surface::File, text), text);
    }
}
