//! Cuts a stream of bytes into lines, wherever its chunks end.

/// The bytes of the line that has no end yet.
#[derive(Debug, Default)]
pub(super) struct Lines {
    open: Vec<u8>,
    /// The last byte was a carriage return; a line feed behind it belongs to the same end.
    returned: bool,
}

impl Lines {
    /// Takes a chunk and gives the lines that it completes. A line ends with a line feed, a carriage return or
    /// both. A character that stands in two chunks is whole again, because only whole lines are read.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        let mut rest = chunk;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.returned) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|&byte| matches!(byte, b'\n' | b'\r')) else {
                self.open.extend_from_slice(rest);
                break;
            };
            self.open.extend_from_slice(&rest[..end]);
            lines.push(std::mem::take(&mut self.open));
            self.returned = rest[end] == b'\r';
            rest = &rest[end + 1..];
        }
        lines
    }

    /// How long the line without an end is by now.
    pub(super) fn waiting(&self) -> usize {
        self.open.len()
    }

    /// The last line, which need not end.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.open)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn chunks_and_kinds_of_ends_make_no_difference(
            text in "[a\nü]{0,30}", size in 1_usize..6, end in "\n|\r|\r\n",
        ) {
            let bytes = text.replace('\n', &end);
            let mut lines = Lines::default();
            let mut seen = Vec::new();
            for chunk in bytes.as_bytes().chunks(size) {
                seen.extend(lines.push(chunk));
            }
            seen.push(lines.finish());
            let expected: Vec<_> = text.split('\n').map(|line| line.as_bytes().to_vec()).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
