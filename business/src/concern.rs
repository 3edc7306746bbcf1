//! What a customer's message is, as a model sorts it before one answers.
//!
//! A small model that is to answer, and to notice who wants a person, notices it badly. So it sorts the message first, in a
//! request of its own. The examples are in English and name no goods. The book's page on customers says how often that is right.

/// What a model is told about sorting.
pub const SORTING: &str = "\
You sort messages of a shop's customers. \"question\": it asks about goods, prices, delivery, the shop or you. \"statement\": it greets, \
thanks, chats or tells something about itself, and asks nothing. \"request\": it asks for a human being or a call, complains, or wants \
something done.";

/// What a message may be.
pub const CONCERNS: [&str; 3] = ["question", "statement", "request"];

/// Messages, and what they are.
pub const SORTED: [(&str, &str); 15] = [
    ("Is there a smaller model?", "question"),
    ("Could you get me somebody who knows my order?", "request"),
    ("Good evening", "statement"),
    ("Where can I fetch my parcel?", "question"),
    ("My name is Bo and I live in a flat.", "statement"),
    ("I have waited for three weeks and nobody cares!", "request"),
    ("Do two people have to carry it?", "question"),
    ("I don't want to type with a machine any longer.", "request"),
    ("What happens if it breaks?", "question"),
    ("Thanks, that's all.", "statement"),
    ("May I have a phone call from you?", "request"),
    ("Who wrote to you yesterday?", "question"),
    ("I do like it.", "statement"),
    ("How can I order by mail?", "question"),
    ("Change my order to the red one.", "request"),
];

/// What a customer's message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    /// A question, which the papers may answer.
    Question,
    /// A greeting or a remark: no person is called for it.
    Statement,
    /// It is for a person.
    Request,
}

impl Concern {
    /// The one that a word of [`CONCERNS`] stands for.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let all = [Self::Question, Self::Statement, Self::Request];
        CONCERNS.iter().position(|name| *name == word).map(|at| all[at])
    }
}
