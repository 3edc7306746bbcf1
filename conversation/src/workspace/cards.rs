//! Files that describe actions.

use document::Document;
use protocol::ActionCard;
use serde_json::Value;

/// A list of cards, as it stands in `agent_action.json` and `router_actions.json`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cards(pub Vec<ActionCard>);

impl Cards {
    /// The cards of a text that was compiled in; a test says that it is one.
    pub fn built_in(text: &str) -> Self {
        Self::from_text(text, &mut Vec::new()).unwrap_or_default()
    }
}

impl Document for Cards {
    const LIMIT: u64 = 4 * 1024 * 1024;

    fn from_text(text: &str, left_out: &mut Vec<String>) -> Result<Self, String> {
        let mut cards: Vec<ActionCard> = Vec::new();
        for (index, value) in document::json::<Vec<Value>>(text)?.into_iter().enumerate() {
            // One card that somebody mistyped must not take the others away.
            match serde_json::from_value::<ActionCard>(value) {
                Ok(card) if cards.iter().any(|other| other.name == card.name) => {
                    left_out.push(format!("{} stands there twice; the first one counts", card.name))
                }
                Ok(card) => cards.push(card),
                Err(error) => {
                    left_out.push(format!("entry {} is left out: {error}", index + 1));
                }
            }
        }
        Ok(Self(cards))
    }

    fn to_text(&self) -> String {
        document::pretty(&self.0)
    }
}
