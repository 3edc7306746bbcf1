//! Cuts a stream of bytes into lines, wherever its chunks end.

/// The bytes of the line that has no end yet.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<u8>);

impl Lines {
    /// Takes a chunk and gives the lines that it completes. A character that stands in two chunks is
    /// whole again, because only whole lines are read.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Vec<Vec<u8>> {
        let mut parts = chunk.split(|&byte| byte == b'\n');
        // Splitting always gives a first part.
        self.0.extend_from_slice(parts.next().unwrap_or_default());
        parts.map(|part| std::mem::replace(&mut self.0, part.to_vec())).collect()
    }

    /// How long the line without an end is by now.
    pub(super) fn waiting(&self) -> usize {
        self.0.len()
    }

    /// The last line, which need not end.
    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn chunks_make_no_difference(text in "[a\nü]{0,30}", size in 1_usize..6) {
            let mut lines = Lines::default();
            let mut seen = Vec::new();
            for chunk in text.as_bytes().chunks(size) {
                seen.extend(lines.push(chunk));
            }
            seen.push(lines.finish());
            let expected: Vec<_> = text.split('\n').map(|line| line.as_bytes().to_vec()).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
