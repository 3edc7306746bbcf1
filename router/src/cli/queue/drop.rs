//! `queue drop`: takes a command back, or removes a dead letter.

use broker::redis::look::{Cancelled, Found, Look, State, Target};
use protocol::MessageId;
use serde_json::json;

use super::said::{Said, ask};
use super::{Owner, QueueError, list, unknown};
use crate::audit::Deed;

pub(super) async fn say(
    Owner { look, secrets, deeds }: &Owner<'_>,
    target: &Target,
    yes: bool,
) -> Result<Said, QueueError> {
    let found = look.find(target).await?;
    let id = match target {
        _ if found.is_nothing() => return Err(unknown(look, target)),
        Target::Id(id) if lives(&found) => Some(id),
        _ if !found.letters.is_empty() => None,
        _ => return Err(QueueError::NothingToDrop(nothing_left(target, &found))),
    };
    if !yes {
        match ask(&question(target, &found, id.is_some()), secrets)? {
            None => return Err(QueueError::NotAsked { id: target.to_string() }),
            Some(false) => {
                let document = json!({ "id": target.to_string(), "dropped": false });
                return Ok(Said::new("nothing was changed\n".to_owned(), document));
            }
            Some(true) => {}
        }
    }
    let deed = Deed::Drop { target: target.to_string() };
    match id {
        Some(id) => deeds.doing(&deed, take_back(look, id)).await,
        None => deeds.doing(&deed, remove(look, target, &found)).await,
    }
}

/// Whether it waits or runs.
fn lives(found: &Found) -> bool {
    !found.entries.is_empty() || matches!(found.state, Some(State::Running { .. } | State::Again))
}

fn nothing_left(target: &Target, found: &Found) -> String {
    match found.state {
        Some(State::Cancelled) => format!("{target} has been taken back already"),
        _ => {
            let show = home::router_command(&format!("queue show {target}"));
            format!("{target} has ended already; `{show}` tells how")
        }
    }
}

fn question(target: &Target, found: &Found, lives: bool) -> String {
    if !lives {
        return format!("Remove the dead letter {target} for good?");
    }
    match found.entries.first() {
        Some(entry) if entry.router.is_some() => {
            format!("{target} runs. Stop it? What it has done by then stays done.")
        }
        Some(entry) => format!(
            "{target} waits in the lane {}. Take it back? It is answered `cancelled`.",
            list::place(entry)
        ),
        None => format!("Take {target} back? It is answered `cancelled`."),
    }
}

async fn take_back(look: &Look, id: &MessageId) -> Result<Said, QueueError> {
    let (was, text) = match look.cancel(id).await? {
        Cancelled::Waiting if look.routers_alive() == 0 => (
            "waiting",
            format!("{id} is taken back; it is answered `cancelled` once a router runs\n"),
        ),
        Cancelled::Waiting => {
            ("waiting", format!("{id} is taken back; it is answered `cancelled` in its turn\n"))
        }
        Cancelled::Running => {
            ("running", format!("{id} runs, and its router is told to stop it\n"))
        }
        Cancelled::Done => {
            return Err(QueueError::NothingToDrop(format!("{id} has just ended")));
        }
    };
    Ok(Said::new(text, json!({ "id": id, "dropped": true, "was": was })))
}

async fn remove(look: &Look, target: &Target, found: &Found) -> Result<Said, QueueError> {
    let mut removed = 0;
    for letter in &found.letters {
        removed += u32::from(look.remove(letter).await?);
    }
    let text = match removed {
        1 => format!("the dead letter {target} is removed\n"),
        count => format!("{count} dead letters of {target} are removed\n"),
    };
    let document = json!({
        "id": target.to_string(), "dropped": true, "was": "dead_letter", "removed": removed,
    });
    Ok(Said::new(text, document))
}
