//! Guesses what a misspelt name was meant to be.

/// How alike two names must be (Jaro, 0 to 1) for the one to be taken as a slip of the other. It is the
/// bound that clap uses for its own suggestions.
const ALIKE: f64 = 0.7;

/// The name of `known` that is most like `given`, if any is like it; case does not count.
#[must_use]
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::jaro(&given, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers_alone() {
        let known = ["REDIS_URL", "COMMAND_QUEUE", "OLLAMA_HOST"];
        assert_eq!(nearest("REDIS_ULR", known), Some("REDIS_URL"));
        assert_eq!(nearest("ollama_hsot", known), Some("OLLAMA_HOST"));
        assert_eq!(nearest("PATH", known), None);
        assert_eq!(nearest("", known), None);
    }
}
