//! What becomes of a message by the mode of its chat, before it reaches a session.

use business::{Admitted, ChatMode, ChatStanding, Route};
use channel::{Incoming, Said};
use conversation::message::{Origin, Outgoing, Ticket};
use protocol::SessionKey;
use session::{OwnersReply, OwnersWish};

use super::SessionRegistry;

impl SessionRegistry {
    /// What goes on to its session. Whoever waits for an answer that does not come hears the end of it.
    pub(super) fn judged(&self, incoming: Incoming) -> Option<Incoming> {
        let (key, reception) = (&incoming.session, &self.mind.reception);
        if key.is_owner() {
            return Some(incoming);
        }
        let text = match &incoming.said {
            Said::Message(text) | Said::WithFiles { text, .. } => text.as_str(),
            Said::Command(command) => command.text(),
            _ => return Some(incoming).filter(|it| !reception.is_muted(&it.session)),
        };
        let standing = reception.standing(key);
        let route = standing.route();
        if route == Route::Skip {
            self.let_go(key, incoming.ticket);
            return None;
        }
        reception.saw(key, "");
        if let Err(error) = reception.look(&incoming.from, text) {
            tracing::warn!("injection.log can't be written: {error}");
        }
        match route {
            Route::Archive if !reception.keeps(key) => {
                self.let_go(key, incoming.ticket);
                None
            }
            Route::Archive => {
                let said = Said::Overheard(text.to_owned());
                Some(Incoming { said, ..incoming })
            }
            _ if standing == ChatStanding::In(ChatMode::Business) => {
                let admitted = reception.admit(key, text);
                self.is_admitted(key, incoming.ticket, admitted).then_some(incoming)
            }
            _ => Some(incoming),
        }
    }

    /// Says what there is to say of a customer's message that is not answered.
    fn is_admitted(&self, key: &SessionKey, ticket: Ticket, admitted: Admitted) -> bool {
        let why = match admitted {
            Admitted::Yes => return true,
            Admitted::No => {
                self.let_go(key, ticket);
                return false;
            }
            Admitted::Told(why) => why,
            Admitted::UsedUp(why) => {
                let set = home::agent_command("config customers.all_tokens NUMBER");
                self.tell_owner(format!(
                    "customers have used up the tokens of today and are not answered any more; `{set}` gives more"
                ));
                let Some(why) = why else {
                    self.let_go(key, ticket);
                    return false;
                };
                why
            }
        };
        self.lines.say(key, Outgoing::Refused { ticket, why: why.to_owned() });
        false
    }

    /// Nothing is said to this message.
    pub(super) fn let_go(&self, key: &SessionKey, ticket: Ticket) {
        self.lines.say(key, Outgoing::Aside { ticket, text: String::new() });
    }

    /// Takes what the owner says to the people of other sessions there.
    pub(super) async fn pass_replies_on(&self) {
        let Some(mut replies) = self.mind.replies.listen() else { return };
        while let Some(OwnersReply { to, from, wish }) = replies.recv().await {
            let said = match wish {
                OwnersWish::Say(text, receipt) => Said::Reply(text, receipt),
                OwnersWish::Stop => Said::Stop,
            };
            let (ticket, origin) = (Ticket::new(), Origin::Person);
            self.send(Incoming { ticket, session: to, from, origin, said });
        }
    }
}
