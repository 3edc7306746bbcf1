//! What is wrong with an answer, in words that tell the model how to write it right.

use protocol::NameError;

use super::MAX_ACTIONS;

/// Why a model's text is no answer. The text of each is shown to the model, which gets one chance to
/// repair it, and after that to the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Neither words nor actions, besides reasoning perhaps.
    #[error("the answer is empty; answer in words, or with one <tool_code> block")]
    Empty,
    /// More than one block.
    #[error("there are {0} <tool_code> blocks; put all actions into one array in one block")]
    ManyBlocks(usize),
    /// The text ends inside the block.
    #[error("<tool_code> is not closed; end the block with </tool_code>")]
    Unclosed,
    /// The block has an end and no beginning.
    #[error("</tool_code> stands there without <tool_code>; write both around the array")]
    Unopened,
    /// Words stand behind the block.
    #[error(
        "there are words behind the <tool_code> block; write it at the very end, or leave it out"
    )]
    Followed,
    /// The block is quoted, so it may be an example.
    #[error(
        "the <tool_code> block stands in a quotation or in reasoning; write it at the very end and on its \
         own, or leave it out"
    )]
    Quoted,
    /// A code fence is marked as a block, without the tags.
    #[error("the code fence holds no block; put the array between <tool_code> and </tool_code>")]
    Untagged,
    /// The block is no JSON, is too large or too deep, or has a key twice.
    #[error(
        "the <tool_code> block is not readable as JSON: {0}; \
         write [{{\"name\": \"...\", \"params\": {{...}}}}] and nothing else in it"
    )]
    Json(String),
    /// The block is JSON, but no array.
    #[error(
        "the <tool_code> block holds {0}, not an array; \
         write [{{\"name\": \"...\", \"params\": {{...}}}}]"
    )]
    NotAList(&'static str),
    /// More actions than one answer may have.
    #[error("{0} actions are too many; ask for at most {MAX_ACTIONS} in one answer")]
    TooMany(usize),
    /// One action can't be read.
    #[error("action {number} of the block: {problem}")]
    Action {
        /// Which one, counted from 1.
        number: usize,
        /// What is wrong with it.
        problem: ActionError,
    },
}

/// What is wrong with one action of a block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// It is no object.
    #[error("it is {0}, not an object; write {{\"name\": \"...\", \"params\": {{...}}}}")]
    NotAnObject(&'static str),
    /// It has no name.
    #[error("\"name\" is missing; add the name of an action")]
    NoName,
    /// Its name is no text.
    #[error("\"name\" is {0}, not a text")]
    NameKind(&'static str),
    /// Its name breaks the grammar.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Its parameters are no object.
    #[error("\"params\" is {0}, not an object; write {{}} if there are none")]
    Params(&'static str),
    /// It has a key that means nothing. At most 80 characters of it.
    #[error("{0:?} is no key of an action; use \"name\" and \"params\" alone")]
    UnknownKey(String),
}
