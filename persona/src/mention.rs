//! `@name ` at the beginning of a message: whom it is addressed to.

/// The name of those in `names` that `text` mentions at its beginning, and the words behind it. Letter case does not count, the
/// longest name wins, and an unknown name is part of the text.
#[must_use]
pub fn mentioned<'n, 't>(
    names: impl Iterator<Item = &'n str>,
    text: &'t str,
) -> Option<(&'n str, &'t str)> {
    let rest = text.trim_start().strip_prefix('@')?;
    let behind = |name: &str| {
        let (head, tail) = rest.split_at_checked(name.len())?;
        let ends = tail.is_empty() || tail.starts_with([' ', '\t', '\n', ',', ':']);
        let words = tail.trim_start_matches([',', ':']).trim();
        (ends && head.to_lowercase() == name.to_lowercase()).then_some(words)
    };
    let found = names.filter_map(|name| Some((name, behind(name)?)));
    found.max_by_key(|(name, _)| name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_at_the_beginning_and_whole() {
        let of = |text| mentioned(["coder", "coder two", "Ärztin"].into_iter(), text);
        assert_eq!(of("@coder fix it"), Some(("coder", "fix it")));
        assert_eq!(of("  @Coder: fix it"), Some(("coder", "fix it")));
        assert_eq!(of("@coder two fix it"), Some(("coder two", "fix it")));
        assert_eq!(of("@ärztin hilf"), Some(("Ärztin", "hilf")));
        assert_eq!(of("@coder"), Some(("coder", "")));
        for text in ["@coders fix it", "mail @coder", "@nobody hi", "coder hi", "@", "@\u{e4}"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
