//! What a customer's message is, as a model sorts it before one answers.
//!
//! A small model that is to answer, and to notice who wants a person, notices it badly. So it sorts the message first, in a
//! request of its own. The examples are in English and name no goods. The book's page on customers says how often that is right.

/// What a model is told about sorting.
pub const SORTING: &str = "\
You sort messages of a shop's customers. \"asks\": it asks about goods, prices, delivery, the shop or you. \"tells\": it greets, \
thanks, chats or tells something. \"staff\": it asks for a human being or a call, complains, or wants something done.";

/// What a message may be.
pub const CONCERNS: [&str; 3] = ["asks", "tells", STAFF];

/// It is for a person.
pub const STAFF: &str = "staff";

/// Messages, and what they are.
pub const SORTED: [(&str, &str); 15] = [
    ("Is there a smaller model?", "asks"),
    ("Could you get me somebody who knows my order?", STAFF),
    ("Good evening", "tells"),
    ("Where can I fetch my parcel?", "asks"),
    ("My name is Bo and I live in a flat.", "tells"),
    ("I have waited for three weeks and nobody cares!", STAFF),
    ("Do two people have to carry it?", "asks"),
    ("I don't want to type with a machine any longer.", STAFF),
    ("What happens if it breaks?", "asks"),
    ("Thanks, that's all.", "tells"),
    ("May I have a phone call from you?", STAFF),
    ("Who wrote to you yesterday?", "asks"),
    ("I do like it.", "tells"),
    ("How can I order by mail?", "asks"),
    ("Change my order to the red one.", STAFF),
];
