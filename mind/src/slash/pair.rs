//! `/pair`: gives a code with which one more person may talk with the agent over Telegram.

use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Pair;

pub(super) fn read(rest: &str) -> Read {
    match rest {
        "" => Ok(Arc::new(Pair)),
        _ => {
            Err("say /pair alone: it gives a code, and whoever sends it to the bot may talk"
                .to_owned())
        }
    }
}

#[async_trait]
impl Perform for Pair {
    async fn perform(&self, at: At<'_>) {
        let reception = &at.mind.reception;
        let Some(bot) = reception.guests.bot() else {
            let set_up = home::agent_command("config telegram");
            return at.notice(format!(
                "no Telegram bot is reached through which somebody could join: `{set_up}` sets one up; where one is set up, say it again in a \
                 moment"
            ));
        };
        let code = reception.invite();
        at.text(format!(
            "Whoever sends /start {code} to @{bot} within ten minutes may talk with me as a guest: a conversation apart, which \
             sees nothing of yours. It works once.\nhttps://t.me/{bot}?start={code} sends it."
        ));
    }
}
