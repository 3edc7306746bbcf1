//! What an action's result brings into a session.

use serde::{Deserialize, Serialize};

use crate::Taint;

/// The set of what enters the session with an action's result. It is written as one word (`"none"`, `"public"`,
/// `"private"`) or as a list (`["public", "private"]`), which is how mail and chats are: private, and written by others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Reads {
    /// Text that anyone may have written: it sets T.
    pub public: bool,
    /// Private data: it sets P.
    pub private: bool,
}

/// The two forms on the wire.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged, expecting = "reads is one of none, public and private, or a list of these")]
enum Written {
    Word(String),
    Set(Vec<String>),
}

impl Reads {
    /// Nothing that others wrote and nothing private.
    pub const NONE: Self = Self { public: false, private: false };
    /// Text that anyone may have written.
    pub const PUBLIC: Self = Self { public: true, private: false };
    /// Private data.
    pub const PRIVATE: Self = Self { public: false, private: true };
    /// Private data that others wrote.
    pub const BOTH: Self = Self { public: true, private: true };

    /// The set of these words.
    ///
    /// # Errors
    /// The word that is none of `none`, `public` and `private`, with what may stand there.
    pub fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<Self, String> {
        let mut reads = Self::NONE;
        for word in words {
            match word {
                "none" => {}
                "public" => reads.public = true,
                "private" => reads.private = true,
                other => return Err(format!("{other:?} is none of none, public and private")),
            }
        }
        Ok(reads)
    }

    /// The bits that it sets.
    #[must_use]
    pub fn taint(self) -> Taint {
        Taint { untrusted: self.public, private: self.private }
    }
}

impl TryFrom<Written> for Reads {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Word(word) => Self::of_words([word.as_str()]),
            Written::Set(words) => Self::of_words(words.iter().map(String::as_str)),
        }
    }
}

impl From<Reads> for Written {
    fn from(reads: Reads) -> Self {
        match (reads.public, reads.private) {
            (true, true) => Self::Set(vec!["public".to_owned(), "private".to_owned()]),
            _ => Self::Word(reads.to_string()),
        }
    }
}

impl std::fmt::Display for Reads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match (self.public, self.private) {
            (false, false) => "none",
            (true, false) => "public",
            (false, true) => "private",
            (true, true) => "public and private",
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_word_and_a_list_of_words_are_read() {
        let read = |value: Value| serde_json::from_value::<Reads>(value);
        for (value, reads) in [
            (json!("none"), Reads::NONE),
            (json!("public"), Reads::PUBLIC),
            (json!(["private"]), Reads::PRIVATE),
            (json!(["private", "public"]), Reads::BOTH),
            (json!([]), Reads::NONE),
        ] {
            assert_eq!(read(value).unwrap(), reads);
        }
        assert!(read(json!("pubic")).unwrap_err().to_string().contains("\"pubic\""));
        assert!(read(json!(5)).unwrap_err().to_string().contains("or a list"));
    }

    #[test]
    fn one_is_written_as_a_word_and_both_as_a_list() {
        let written = |reads: Reads| serde_json::to_string(&reads).unwrap();
        assert_eq!(written(Reads::PUBLIC), r#""public""#);
        assert_eq!(written(Reads::BOTH), r#"["public","private"]"#);
    }
}
