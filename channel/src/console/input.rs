//! What was typed, made fit to be a message.

use std::fmt::Display;

use crate::MAX_MESSAGE;

/// What a typed line is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// Something to say, with the key of a remark on what was changed in it.
    Message(String, Option<&'static str>),
    /// The wish to end.
    Quit,
    /// Nothing that can be said: why.
    Nothing(String),
}

/// Reads a line as it came from the keyboard or a pipe.
pub(super) fn read(bytes: &[u8]) -> Typed {
    let bytes = bytes.trim_ascii_end();
    if bytes.len() > MAX_MESSAGE {
        let gaps: [(&str, &dyn Display); 2] = [("size", &bytes.len()), ("most", &MAX_MESSAGE)];
        return Typed::Nothing(settings::words().fill("say.tooLong", &gaps));
    }
    let text = String::from_utf8_lossy(bytes);
    let broken = matches!(text, std::borrow::Cow::Owned(_));
    let clean: String =
        text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let remark = if broken {
        Some("say.replaced")
    } else if clean.len() < text.len() {
        Some("say.leftOut")
    } else {
        None
    };
    match clean.trim() {
        "" => Typed::Nothing(settings::words().get("say.nothing").to_owned()),
        "quit" | "exit" | "q" | "/quit" | "/exit" => Typed::Quit,
        "help" | "?" => Typed::Message("/help".to_owned(), None),
        message => Typed::Message(message.to_owned(), remark),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Typed {
        Typed::Message(text.to_owned(), None)
    }

    #[test]
    fn lines() {
        assert_eq!(read(b"  hello \r\n"), message("hello"));
        assert_eq!(read("grüß dich".as_bytes()), message("grüß dich"));
        for quit in ["quit", " exit\n", "q", "/quit", "/exit"] {
            assert_eq!(read(quit.as_bytes()), Typed::Quit);
        }
        for help in ["help", " ? "] {
            assert_eq!(read(help.as_bytes()), message("/help"));
        }
    }

    #[test]
    fn what_can_not_be_said_is_told() {
        assert!(matches!(read(b" \t\n"), Typed::Nothing(_)));
        assert!(matches!(read(&vec![b'x'; MAX_MESSAGE + 1]), Typed::Nothing(_)));
    }

    #[test]
    fn what_was_changed_is_told() {
        let remark = |bytes: &[u8]| match read(bytes) {
            Typed::Message(text, remark) => (text, remark.is_some()),
            other => panic!("{other:?}"),
        };
        assert_eq!(remark(b"a\0b\x1b[2Jc"), ("ab[2Jc".to_owned(), true));
        assert_eq!(remark(b"a\xffb"), ("a\u{fffd}b".to_owned(), true));
    }
}
