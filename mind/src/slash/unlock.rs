//! `/unlock`: lets a conversation go on that was told no too often, and takes back what a person has refused in it.

use std::sync::Arc;

use async_trait::async_trait;
use session::Caller;

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Unlock {
    session: Option<String>,
}

pub(super) fn read(rest: &str) -> Read {
    let session = match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [] => None,
        [session] => Some(session.to_owned()),
        _ => return Err("it is /unlock, or /unlock SESSION for another conversation".to_owned()),
    };
    Ok(Arc::new(Unlock { session }))
}

#[async_trait]
impl Perform for Unlock {
    async fn perform(&self, at: At<'_>) {
        let caller = Caller::of(at.session);
        match at.mind.actions.owner.unlock(&caller, self.session.as_deref()).await {
            Ok(()) => {
                at.text("It goes on. What was refused is asked about again when it comes up.")
            }
            Err(stopped) => at.notice(stopped.message),
        }
    }
}
