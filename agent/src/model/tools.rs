//! The actions as tools that a server knows.

use protocol::ActionCard;
use serde_json::Value;

use super::schema;

/// A tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tool {
    /// The action's name.
    pub(super) name: String,
    /// What it is for.
    pub(super) description: String,
    /// The JSON Schema of its parameters: an object.
    pub(super) parameters: Value,
}

/// One tool for each card.
pub(super) fn tools(cards: &[&ActionCard]) -> Vec<Tool> {
    let tool = |card: &&ActionCard| Tool {
        name: card.name.to_string(),
        description: card.instruction.clone(),
        parameters: schema::params(card),
    };
    cards.iter().map(tool).collect()
}
