//! `queue retry`: sends the command of a dead letter again.

use broker::redis::look::{Lane, Look, Target};
use protocol::Command;
use serde_json::json;

use super::said::{Said, ask};
use super::{Owner, QueueError, unknown};
use crate::owner;

pub(super) async fn say(
    Owner { look, secrets, deeds }: &Owner<'_>,
    target: &Target,
    yes_run_again: bool,
) -> Result<Said, QueueError> {
    let found = look.find(target).await?;
    if found.is_nothing() {
        return Err(unknown(look, target));
    }
    let id = target.to_string();
    let Some(letter) = found.letters.first() else { return Err(QueueError::NotDead { id }) };
    let command = letter.command().map_err(|why| QueueError::NoCommand { id: id.clone(), why })?;
    if letter.may_have_run() && !yes_run_again {
        match ask(&owner::may_be_done_twice(letter, &command), secrets)? {
            None => return Err(QueueError::MayHaveRun { id }),
            Some(false) => {
                let document = json!({ "id": command.message_id, "retried": false });
                return Ok(Said::new("nothing was changed\n".to_owned(), document));
            }
            Some(true) => {}
        }
    }
    let lane = owner::send_again(look, deeds, (target, letter)).await?;
    let document = json!({ "id": command.message_id, "retried": true, "lane": lane });
    Ok(Said::new(words(&command, lane, look), document))
}

fn words(command: &Command, lane: Lane, look: &Look) -> String {
    let (action, id) = (&command.action, &command.message_id);
    let mut text = format!(
        "{action} ({id}) waits in the lane {} as a new command; its dead letter is gone\n\
        nobody waits for its reply: `{}` tells it until 10 minutes after its end\n",
        lane.as_str(),
        home::router_command(&format!("queue show {id}"))
    );
    let is_signed = look.terms().keys.is_some() && command.envelope.mac.is_some();
    if is_signed {
        text.push_str("it is signed anew, and can be begun within half an hour\n");
    }
    if look.routers_alive() == 0 {
        // Unsigned it has no deadline any more, and of that lane a router that starts goes by how long it lay untouched.
        let stale = match look.terms().stale_after.as_secs() {
            patience @ 1.. if lane == Lane::Queue && !is_signed => {
                format!(" within {patience} s, or it is set aside as stale again")
            }
            _ => String::new(),
        };
        let start = home::router_command("");
        text.push_str(&format!("no router lives: run `{start}`{stale}\n"));
    }
    text
}
