//! What a manifest says of its skill's results, and what that means.

use protocol::Reads;
use serde::Deserialize;

/// `reads` as it is written: one word, or a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "reads is \"none\", \"public\" or \"private\", or a list of these")]
pub enum Brings {
    /// A word, which a network adds to.
    Word(Word),
    /// A list, which says all there is to say.
    Set(Vec<Word>),
}

/// One of the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// Nothing.
    None,
    /// Text that anyone may have written.
    Public,
    /// Private data.
    Private,
}

impl Brings {
    /// What a result brings of a skill that says `brings`. Whoever has a network and says nothing brings what anyone may
    /// have written, and private data that comes over a network was written by others as well: mail, chats, invitations.
    /// A list says otherwise.
    #[must_use]
    pub fn of(brings: Option<&Self>, has_net: bool) -> Reads {
        match brings {
            None if has_net => Reads::PUBLIC,
            None => Reads::NONE,
            Some(Self::Word(Word::Private)) if has_net => Reads::BOTH,
            Some(Self::Word(word)) => word.alone(),
            Some(Self::Set(words)) => {
                let all = words.iter().map(|word| word.alone());
                all.fold(Reads::NONE, |all, one| Reads {
                    public: all.public || one.public,
                    private: all.private || one.private,
                })
            }
        }
    }
}

impl Word {
    fn alone(self) -> Reads {
        match self {
            Self::None => Reads::NONE,
            Self::Public => Reads::PUBLIC,
            Self::Private => Reads::PRIVATE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Manifest {
        reads: Option<Brings>,
    }

    fn brings(text: &str, has_net: bool) -> Reads {
        let manifest: Manifest = toml::from_str(text).unwrap();
        Brings::of(manifest.reads.as_ref(), has_net)
    }

    #[test]
    fn what_is_not_said_is_the_careful_thing() {
        assert_eq!(brings("", false), Reads::NONE);
        assert_eq!(brings("", true), Reads::PUBLIC);
        assert_eq!(brings("reads = 'private'", false), Reads::PRIVATE);
        assert_eq!(brings("reads = 'private'", true), Reads::BOTH);
    }

    #[test]
    fn what_is_said_counts() {
        assert_eq!(brings("reads = 'none'", true), Reads::NONE);
        assert_eq!(brings("reads = ['private']", true), Reads::PRIVATE);
        assert_eq!(brings("reads = ['public', 'private']", false), Reads::BOTH);
        let wrong = toml::from_str::<Manifest>("reads = 'pubic'").map(|_| ()).unwrap_err();
        assert!(wrong.to_string().contains("or a list of these"), "{wrong}");
    }
}
