//! `/actions`: lists what can be done.

use std::fmt::Write;
use std::sync::Arc;

use async_trait::async_trait;
use conversation::workspace::Cards;

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct ListActions;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(ListActions))
}

#[async_trait]
impl Perform for ListActions {
    async fn perform(&self, at: At<'_>) {
        at.text(listed(&at.mind.cards_for(at.session)));
    }
}

fn listed(cards: &[Arc<Cards>; 2]) -> String {
    let mut text = String::new();
    for card in cards.iter().flat_map(|cards| &cards.0) {
        let params: Vec<String> = card
            .params
            .keys()
            .map(
                |name| if card.optional.contains(name) { format!("{name}?") } else { name.clone() },
            )
            .collect();
        // Writing to a String can't fail.
        let _ = writeln!(text, "{} {{{}}}", card.name, params.join(", "));
        let _ = writeln!(text, "  {}", card.instruction);
        if let Some(example) = card.examples.first() {
            let _ = writeln!(text, "  e.g. {}", example.say);
        }
    }
    if cards[1].0.is_empty() {
        text.push_str("The router has no skills, or none is connected.");
    }
    text
}
