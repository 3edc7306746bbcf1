//! Characters that nobody sees.

/// Whether `c` turns the order in which letters are shown (Unicode's `Bidi_Control`).
#[must_use]
pub fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether `c` is one of the tags, which nobody sees and models read as letters (Unicode's block Tags and what
/// is reserved behind it).
#[must_use]
pub fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e0fff}')
}

/// Whether nothing is shown for `c` (Unicode's `Default_Ignorable_Code_Point`): those that turn the order, tags,
/// selectors, fillers, and those that join or part letters.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    turns(c)
        || is_tag(c)
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_turns_or_tags_is_unseen_and_letters_are_not() {
        let unseen: Vec<char> = ('\0'..=char::MAX).filter(|c| is_unseen(*c)).collect();
        // DerivedCoreProperties.txt of Unicode 16 counts as many.
        assert_eq!(unseen.len(), 4_174);
        assert!(('\0'..=char::MAX).filter(|c| turns(*c) || is_tag(*c)).all(is_unseen));
        assert!(!"aé日\u{301} \n\u{1b}".chars().any(is_unseen));
    }
}
