//! The actions as tools that a server knows.

use llm::Tool;
use protocol::ActionCard;

use super::schema;

/// One tool for each card.
pub(super) fn tools(cards: &[&ActionCard]) -> Vec<Tool> {
    let tool = |card: &&ActionCard| Tool {
        name: card.name.to_string(),
        description: card.instruction.clone(),
        parameters: schema::params(card),
    };
    cards.iter().map(tool).collect()
}
