//! What the owner does at the window. Each deed is written down first, as at the command line.

use std::str::FromStr as _;

use broker::redis::look::Target;
use protocol::{GrantTerms, Principal};
use window::{Deed, Done, Trouble};

use super::{Desk, trouble};
use crate::audit::MYSELF;
use crate::owner::{self, OwnerError};
use crate::policy::approval::Answer;

/// Said where there is no queue on Redis.
const NO_LETTERS: &str = "there are no dead letters on a pipe";

impl Desk {
    pub(super) async fn act(&self, deed: Deed) -> Result<Done, Trouble> {
        match deed {
            Deed::Answer { id, answer, code } => {
                let (yes, always) = match answer.as_str() {
                    "yes" => (true, None),
                    "always" => (true, Some(GrantTerms::HOUR)),
                    "no" => (false, None),
                    _ => return Err(Trouble("answer: it is yes, no or always".to_owned())),
                };
                self.answer(Answer { id, yes, always, code }).await
            }
            Deed::Revoke { id } => {
                let places = self.places().await.map_err(trouble)?;
                let grant = owner::revoke(&self.deeds(), places, &whole(id)?).await;
                Ok(Done::Said(format!("taken back: {}", grant.map_err(trouble)?.scope)))
            }
            Deed::Retry { name, may_be_twice } => self.retry(&name, may_be_twice).await,
            Deed::Stop => Ok(Done::Said(self.stop().await?)),
            Deed::Resume => {
                owner::put_back(&self.home, &self.deeds()).await.map_err(trouble)?;
                Ok(Done::Said("everything goes on".to_owned()))
            }
        }
    }

    async fn answer(&self, answer: Answer) -> Result<Done, Trouble> {
        let places = self.places().await.map_err(trouble)?;
        let asking = owner::find(places, &whole(answer.id.clone())?).await.map_err(trouble)?;
        let me = Principal::new(MYSELF).map_err(trouble)?;
        let granted = owner::answer(&self.deeds(), &asking, &answer, &me).await;
        let said = match (answer.yes, granted.map_err(trouble)?) {
            (false, _) => "refused here".to_owned(),
            (true, None) => "allowed here".to_owned(),
            (true, Some(grant)) => format!("allowed here, and for an hour: {}", grant.scope),
        };
        Ok(Done::Said(said))
    }

    async fn retry(&self, name: &str, may_be_twice: bool) -> Result<Done, Trouble> {
        let target = Target::from_str(name).map_err(trouble)?;
        let look = self.looked().await.ok_or_else(|| Trouble(NO_LETTERS.to_owned()))??;
        let found = look.find(&target).await.map_err(trouble)?;
        let gone = || Trouble("this dead letter is gone".to_owned());
        let letter = found.letters.first().ok_or_else(gone)?;
        let command = letter.command().map_err(trouble)?;
        if letter.may_have_run() && !may_be_twice {
            let question = owner::may_be_done_twice(letter, &command);
            return Ok(Done::Asks(self.secrets.redact(&question)));
        }
        let lane = owner::send_again(&look, &self.deeds(), (&target, letter)).await;
        let lane = lane.map_err(trouble)?;
        Ok(Done::Said(format!("it waits again, in the lane {}", lane.as_str())))
    }

    async fn stop(&self) -> Result<String, Trouble> {
        let thrown = owner::throw(&self.home, &self.deeds(), MYSELF).await;
        let fault = thrown.places.into_iter().find_map(|(_, fault)| fault).map(OwnerError::from);
        if let Some(error) = thrown.unread.or(fault) {
            return Err(Trouble(format!("not everything is stopped: {error}")));
        }
        Ok(match thrown.recorded {
            Ok(()) => "everything is stopped".to_owned(),
            Err(error) => format!("everything is stopped, and that could not be recorded: {error}"),
        })
    }
}

/// An id that is whole: the beginning of one could be another's by the time that it is looked for.
fn whole(id: String) -> Result<String, Trouble> {
    let is_whole = uuid::Uuid::parse_str(&id).is_ok();
    is_whole.then_some(id).ok_or_else(|| Trouble("there is no such id".to_owned()))
}
