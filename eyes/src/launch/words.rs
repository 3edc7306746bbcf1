//! What is said over the pair of sockets: one byte asks, and the answer is a byte, a length and a text.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// That there is a driver.
pub(super) const START: u8 = b's';

/// That there is none any more; it is not answered.
pub(super) const KILL: u8 = b'k';

/// The answer is an address.
const HERE: u8 = 1;

/// The answer is the reason why there is no address.
const NOT: u8 = 0;

/// Asks.
pub(super) fn ask(mut outside: &UnixStream, what: u8) -> io::Result<()> {
    outside.write_all(&[what])
}

/// Reads an answer.
pub(super) fn take(mut outside: &UnixStream) -> io::Result<Result<String, String>> {
    let mut head = [0; 3];
    outside.read_exact(&mut head)?;
    let [kind, low, high] = head;
    let mut text = vec![0; usize::from(u16::from_le_bytes([low, high]))];
    outside.read_exact(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(if kind == HERE { Ok(text) } else { Err(text) })
}

/// The bytes of an answer.
pub(super) fn answer(said: &Result<String, String>) -> Vec<u8> {
    let (kind, text) = match said {
        Ok(address) => (HERE, address),
        Err(reason) => (NOT, reason),
    };
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let text = &text.as_bytes()[..usize::from(length)];
    [&[kind], &length.to_le_bytes()[..], text].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_answered_is_taken() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let long = "x".repeat(70_000);
        for said in [Ok("http://127.0.0.1:1/a/"), Err("no"), Err(""), Err(&*long)] {
            let said = said.map(str::to_owned).map_err(str::to_owned);
            theirs.write_all(&answer(&said)).unwrap();
            let cut = |text: String| text.chars().take(65_535).collect::<String>();
            assert_eq!(take(&ours).unwrap(), said.map(cut).map_err(cut));
        }
        drop(theirs);
        assert!(take(&ours).is_err());
    }
}
