//! Commands that stand in one reply: whoever wrote them has not seen the screen between them.

/// What stands before a command that was written together with the one before it. To bash and python it is a comment.
const MARK: &str = "# written together with the one before\n";

/// `command`, marked as one that was written together with the one before it. The environment stays as it is, because a policy may
/// have a rule for it.
#[must_use]
pub fn together(command: &str) -> String {
    format!("{MARK}{command}")
}

/// A command without the mark, and whether it had one.
#[must_use]
pub fn is_together(marked: &str) -> (&str, bool) {
    marked.strip_prefix(MARK).map_or((marked, false), |command| (command, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_made() {
        assert_eq!(is_together(&together("ls")), ("ls", true));
        assert_eq!(is_together("# ls"), ("# ls", false));
    }
}
