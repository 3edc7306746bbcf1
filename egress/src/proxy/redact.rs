//! Taking secrets out of a stream of bytes.

use std::mem;

use hyper::body::Bytes;
use secrecy::{ExposeSecret, SecretString};

/// What stands in the place of a secret.
const REDACTED: &[u8] = b"[secret]";

/// Replaces secrets in a stream, in whatever letter case, also where one lies across the border of two chunks. It holds back only
/// what may be the beginning of a secret, so that a slow stream still flows.
pub(super) struct Redactor {
    secrets: Vec<SecretString>,
    held: Vec<u8>,
}

impl Redactor {
    /// A redactor for these secrets, none of which is empty.
    pub(super) fn new(secrets: impl IntoIterator<Item = SecretString>) -> Self {
        Self { secrets: secrets.into_iter().collect(), held: Vec::new() }
    }

    /// Whether a secret stands anywhere in `bytes`.
    pub(super) fn finds_in(&self, bytes: &[u8]) -> bool {
        (0..bytes.len()).any(|at| self.secret_at(&bytes[at..]).is_some())
    }

    /// Takes the next chunk, and gives what is known to be no part of a secret.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Bytes {
        self.held.extend_from_slice(chunk);
        let end = self.open_end();
        self.release(end)
    }

    /// Gives what was held back, when nothing more comes.
    pub(super) fn finish(&mut self) -> Bytes {
        self.release(self.held.len())
    }

    /// Where the longest end of what is held begins that may yet become a secret.
    fn open_end(&self) -> usize {
        let all = self.held.len();
        let longest = self.each().map(<[u8]>::len).max().unwrap_or_default();
        let begins_one = |at: &usize| {
            let end = &self.held[*at..];
            self.each().any(|secret| {
                secret.len() > end.len() && secret[..end.len()].eq_ignore_ascii_case(end)
            })
        };
        (all.saturating_sub(longest)..all).find(begins_one).unwrap_or(all)
    }

    /// Gives what stands before `end`. A secret that begins before `end` is replaced as a whole.
    fn release(&mut self, end: usize) -> Bytes {
        let mut held = mem::take(&mut self.held);
        let mut clean = Vec::with_capacity(end);
        let mut at = 0;
        while at < end {
            if let Some(length) = self.secret_at(&held[at..]) {
                clean.extend_from_slice(REDACTED);
                at += length;
            } else {
                clean.push(held[at]);
                at += 1;
            }
        }
        self.held = held.split_off(at);
        clean.into()
    }

    /// The length of the longest secret that `bytes` begin with.
    fn secret_at(&self, bytes: &[u8]) -> Option<usize> {
        let begins = |secret: &&[u8]| {
            bytes.get(..secret.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(secret))
        };
        self.each().filter(begins).map(<[u8]>::len).max()
    }

    fn each(&self) -> impl Iterator<Item = &[u8]> {
        self.secrets.iter().map(|secret| secret.expose_secret().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What comes out when `text` comes in chunks of `size` bytes.
    fn redacted(secrets: &[&str], text: &str, size: usize) -> String {
        let mut redactor = Redactor::new(secrets.iter().map(|secret| SecretString::from(*secret)));
        let mut out = Vec::new();
        for chunk in text.as_bytes().chunks(size) {
            out.extend_from_slice(&redactor.push(chunk));
        }
        out.extend_from_slice(&redactor.finish());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_secret_is_found_wherever_the_chunks_end() {
        for size in 1..40 {
            let text = "s3 s3cret, s3cres3cret and s3cre";
            assert_eq!(
                redacted(&["s3cret"], text, size),
                "s3 [secret], s3cre[secret] and s3cre",
                "{size}"
            );
        }
    }

    #[test]
    fn another_letter_case_hides_nothing() {
        for size in 1..12 {
            assert_eq!(redacted(&["s3cRet"], "S3CRET s3cret", size), "[secret] [secret]", "{size}");
        }
    }

    #[test]
    fn the_longer_of_two_secrets_wins() {
        for size in 1..12 {
            assert_eq!(
                redacted(&["abc", "abcdef"], "xabcdefabcd", size),
                "x[secret][secret]d",
                "{size}"
            );
        }
    }

    #[test]
    fn only_what_may_be_a_secret_is_held_back() {
        let mut redactor = Redactor::new([SecretString::from("s3cret")]);
        assert_eq!(redactor.push(b"data: 1\n\n"), "data: 1\n\n");
        assert_eq!(redactor.push(b"data: s3c"), "data: ");
        assert_eq!(redactor.push(b"x"), "s3cx");
        assert_eq!(redactor.finish(), "");
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference(text in "[ab]{0,60}", secret in "[ab]{1,5}", size in 1_usize..9) {
            let out = redacted(&[&secret], &text, size);
            prop_assert_eq!(&out, &text.replace(&secret, "[secret]"));
        }
    }
}
