//! Commands that stand in one reply: whoever wrote them has not seen the screen between them.

/// What stands behind the environment of a command that was written together with the one before it.
const MARK: char = '+';

/// `environment`, for a command that was written together with the one before it.
#[must_use]
pub fn together(environment: &str) -> String {
    format!("{environment}{MARK}")
}

/// The environment that `named` means, and whether its command was written together with the one before it.
#[must_use]
pub fn is_together(named: &str) -> (&str, bool) {
    named.strip_suffix(MARK).map_or((named, false), |environment| (environment, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_made() {
        assert_eq!(is_together(&together("bash")), ("bash", true));
        assert_eq!(is_together("bash"), ("bash", false));
    }
}
