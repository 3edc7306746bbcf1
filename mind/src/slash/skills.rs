//! `/skills`: how people are answered here, and what the router can do here, each with what it is for.

use std::sync::Arc;

use async_trait::async_trait;
use persona::{Fault, PolicySkill};

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
        let mut lines: Vec<String> = routed.0.iter().map(line).collect();
        if lines.is_empty() {
            lines.push("There are no skills here.".to_owned());
        }
        let policy = at.mind.skills.now();
        let told = |skill: &PolicySkill| format!("- {}: {}", skill.name, skill.description);
        let policies: Vec<String> = policy.of(at.mind.role(&at.session.key)).map(told).collect();
        if !policies.is_empty() {
            lines.push("By these policies I answer here:".to_owned());
            lines.extend(policies);
        }
        if at.session.is_owners() {
            let left_out = |fault: &Fault| format!("{} is left out: {}", fault.file, fault.why);
            lines.extend(policy.faults.iter().map(left_out));
            if !policy.faults.is_empty() {
                lines.push("Until that is mended, nobody but you is offered an action.".to_owned());
            }
        }
        at.text(lines.join("\n"));
    }
}
