//! `/skills`: what the router can do here, each with what it is for.

use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Skills;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Skills))
}

#[async_trait]
impl Perform for Skills {
    async fn perform(&self, at: At<'_>) {
        let [_, routed] = at.mind.cards_for(at.session);
        let line = |card: &protocol::ActionCard| {
            format!("- {}: {}", card.name.as_str().to_lowercase(), card.instruction)
        };
        let lines: Vec<String> = routed.0.iter().map(line).collect();
        at.text(if lines.is_empty() {
            "There are no skills here.".to_owned()
        } else {
            lines.join("\n")
        });
    }
}
