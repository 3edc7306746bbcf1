//! Texts with `*` in them, as they stand in rules.

/// A text in which `*` stands for any text, the empty one included, and everything else for itself. `\*` is a star,
/// `\\` a backslash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Star,
    Letter(char),
}

impl Glob {
    /// Reads `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let part = match letter {
                '*' => Part::Star,
                '\\' => match letters.next_if(|next| matches!(next, '*' | '\\')) {
                    Some(escaped) => Part::Letter(escaped),
                    None => Part::Letter('\\'),
                },
                other => Part::Letter(other),
            };
            // Two stars say no more than one, and cost time.
            if part != Part::Star || parts.last() != Some(&Part::Star) {
                parts.push(part);
            }
        }
        Self { parts }
    }

    /// Whether `text` as a whole fits.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let text: Vec<Part> = text.chars().map(Part::Letter).collect();
        fits(&self.parts, &text)
    }

    /// Whether every text that fits `other` fits this one, too.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        fits(&self.parts, &other.parts)
    }

    /// Whether only the names of the agent's own actions, which begin with a `_`, can fit.
    #[must_use]
    pub fn is_of_agent(&self) -> bool {
        self.parts.first() == Some(&Part::Letter('_'))
    }

    /// Whether every text fits.
    #[must_use]
    pub fn is_anything(&self) -> bool {
        self.parts == [Part::Star]
    }
}

/// Whether `pattern` takes in `text`, where a star of the text is only taken in by a star. It goes back to the last
/// star alone, so that no pattern takes longer than the product of the two lengths.
fn fits(pattern: &[Part], text: &[Part]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some(Part::Star) => {
                last_star = Some((at, seen));
                at += 1;
            }
            Some(letter) if *letter == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match last_star {
                Some((star, taken)) => {
                    last_star = Some((star, taken + 1));
                    (at, seen) = (star + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|part| *part == Part::Star)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_star_is_any_text_and_the_whole_has_to_fit() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("X", "X", true),
            ("X", "XX", false),
            ("", "X", false),
            ("CREATE_*", "CREATE_POST", true),
            ("CREATE_*", "RECREATE_POST", false),
            ("*a*b", "xaxxabxb", true),
            ("*a*b", "xaxxabxbc", false),
            (r"2\*3", "2*3", true),
            (r"2\*3", "2xx3", false),
            (r"a\\*", r"a\b", true),
            (r"a\b", r"a\b", true),
        ] {
            assert_eq!(Glob::new(pattern).matches(text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn one_covers_another_when_it_is_broader() {
        let covers = |a, b| Glob::new(a).covers(&Glob::new(b));
        for (broad, narrow) in
            [("*", "a*b"), ("a*", "a*b"), ("a*", "ab"), ("*.x.com", "*api.x.com")]
        {
            assert!(covers(broad, narrow) && !covers(narrow, broad), "{broad} {narrow}");
        }
        assert!(!covers("a*", "*"));
        assert!(!covers("ab*", "a*b"));
    }

    proptest! {
        #[test]
        fn what_a_covered_one_matches_the_broader_one_matches(
            a in "[ab*]{0,5}", b in "[ab*]{0,5}", text in "[ab]{0,6}"
        ) {
            let (a, b) = (Glob::new(&a), Glob::new(&b));
            prop_assert!(!(a.covers(&b) && b.matches(&text)) || a.matches(&text));
        }
    }
}
