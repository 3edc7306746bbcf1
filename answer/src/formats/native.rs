//! The format `native`: tool calls of the server's own.

use llm::Tool;
use protocol::ActionCard;
use protocol::json::MAX_BYTES;

use super::Call;
use super::json::params;
use crate::error::AnswerError;

/// How to answer, in words for the model.
pub(super) const INSTRUCTIONS: &str = "\
Answer the message at the end in plain words and in its language. If it asks for something that a listed action does, call \
that tool, once for each thing to do.";

/// The one line for templates that have words of their own.
pub(super) const IN_ONE_LINE: &str =
    "Call the tools that you are offered; write no tool_code, whatever was said of it.";

/// What a server is sent: one tool for each card.
pub(super) fn tools(cards: &[&ActionCard]) -> Vec<Tool> {
    let tool = |card: &&ActionCard| Tool {
        name: card.name.to_string(),
        description: card.instruction.clone(),
        parameters: params(card),
    };
    cards.iter().map(tool).collect()
}

/// Reads what the server took for calls.
///
/// # Errors
/// [`AnswerError::Unreadable`]: one has more parameters than are read.
pub(super) fn calls(calls: &[llm::Call]) -> Result<Vec<Call>, AnswerError> {
    let read = |call: &llm::Call| {
        if call.params.len() > MAX_BYTES {
            return Err(AnswerError::Unreadable("the parameters are too large".to_owned()));
        }
        Ok(Call::Named(call.name.clone(), call.params.clone()))
    };
    calls.iter().map(read).collect()
}
