//! Actions that the router runs: makes a command, waits for its reply, and takes it back when nobody waits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use broker::{RequestError, Requester};
use conversation::observation::Observation;
use protocol::{ActionName, Code, Command, Envelope, MessageId, Object, Outcome, Stopped};
use serde_json::Value;
use session::Caller;

/// What a skill's own time limit is given on top, for the way there and back.
const MARGIN: Duration = Duration::from_secs(2);

/// The longest that is waited for, whatever a card says: no router lets a call take longer.
const LONGEST: Duration = Duration::from_secs(600);

/// The way to the router.
pub(super) struct Routed {
    requester: Arc<dyn Requester>,
    timeout: Duration,
}

impl Routed {
    pub(super) fn new(requester: Arc<dyn Requester>, timeout: Duration) -> Self {
        Self { requester, timeout }
    }

    /// Asks the router to run `name`. A skill that may take longer than the usual timeout is given its
    /// own time.
    pub(super) async fn run(
        &self,
        name: ActionName,
        params: Object,
        caller: &Caller,
        patience: Option<Duration>,
    ) -> Observation {
        let Ok(message_id) = MessageId::new(uuid::Uuid::now_v7().to_string()) else {
            let stopped = Stopped::new(Code::Internal, "no id could be made for the command");
            return Observation::of_local(name, Err(stopped));
        };
        let envelope = Envelope {
            session: Some(caller.session.clone()),
            principal: Some(caller.principal.clone()),
            priority: caller.origin.priority(),
            taint: caller.entered.taint(),
            typed: caller.entered.typed(),
            said: caller.entered.said().map(str::to_owned),
            names: names(caller),
            begun: caller.entered.begun(),
            asked: caller.entered.asked,
            ..Envelope::current()
        };
        let patience = patience.map(|patience| patience.min(LONGEST) + MARGIN);
        let wait = patience.map_or(self.timeout, |patience| self.timeout.max(patience));
        let mut given_up = CancelOnDrop::new(&self.requester, message_id.clone());
        tracing::info!(%message_id, "the router is asked for {name}");
        let command = Command { message_id, action: name.clone(), params, envelope };
        match self.requester.request(command, wait).await {
            Ok(reply) => {
                given_up.disarm();
                Observation::of_reply(name, reply)
            }
            Err(error) => Observation::of_local(name, Err(stopped(&error))),
        }
    }
}

/// The names in what the owner typed that the owner's own memory resolves.
fn names(caller: &Caller) -> BTreeMap<String, String> {
    let is_owners = caller.session.is_owner();
    match caller.entered.said().filter(|_| is_owners) {
        Some(said) => caller.files.memory.read().names_in(said),
        None => BTreeMap::new(),
    }
}

fn stopped(error: &RequestError) -> Stopped {
    let message = error.to_string();
    match error {
        RequestError::Unsent { .. } => Stopped::new(Code::Internal, message),
        RequestError::Full { .. } => Stopped::new(Code::QueueFull, message),
        RequestError::TooLarge { .. } => Stopped::new(Code::TooLarge, message),
        RequestError::NoReply { .. } => Stopped::new(Code::Timeout, message).maybe_executed(),
        RequestError::Uncertain { .. } | RequestError::RouterGone | RequestError::BadReply(_) => {
            Stopped::new(Code::Internal, message).maybe_executed()
        }
    }
}

/// Takes a command back when its reply is not waited for to the end.
struct CancelOnDrop {
    command: Option<(Arc<dyn Requester>, MessageId)>,
}

impl CancelOnDrop {
    fn new(requester: &Arc<dyn Requester>, id: MessageId) -> Self {
        Self { command: Some((Arc::clone(requester), id)) }
    }

    fn disarm(&mut self) {
        self.command = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some((requester, id)) = self.command.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move { requester.cancel(&id).await });
        }
    }
}

/// What the router has answered, or why it did not do it.
pub(super) fn answered(
    Observation { outcome, fields, .. }: Observation,
) -> Result<Object, Stopped> {
    match outcome {
        Outcome::Done(_) => Ok(fields),
        Outcome::Stopped(stopped) => Err(stopped),
    }
}

/// The list called `key` of an answer; an empty one if there is none.
pub(super) fn list(fields: &Object, key: &str) -> Vec<Value> {
    fields.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
}
