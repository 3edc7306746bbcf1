//! A text in pieces that a model can read.

/// Cuts `text` into pieces of at most `size` bytes, at the end of a line where one is near, never within a character.
pub(super) fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > size {
        let end = rest.floor_char_boundary(size).max(1);
        let near = rest.floor_char_boundary(size - size / 4);
        let at = rest[near..end].rfind('\n').map_or(end, |line| near + line + 1);
        let (piece, left) = rest.split_at(at);
        pieces.push(piece);
        rest = left;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(rest);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_end_with_a_line_where_one_is_near() {
        assert_eq!(pieces("", 8), [""]);
        assert_eq!(pieces("aaaaaa\nbbb", 8), ["aaaaaa\n", "bbb"]);
        assert_eq!(pieces("a\nbbbbbbbbbb", 8), ["a\nbbbbbb", "bbbb"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "(?s).{0,200}", size in 4_usize..40) {
            let cut = pieces(&text, size);
            prop_assert_eq!(cut.concat(), text.as_str());
            prop_assert!(cut.iter().all(|piece| piece.len() <= size));
        }
    }
}
